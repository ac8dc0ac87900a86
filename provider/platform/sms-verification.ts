import { z } from "zod";
import { Definition } from "../contract/definition";
import { ActionInputs, ActionState, action } from "./action";
import { dialectOf } from "./client";

/** Inputs of {@link SmsVerification}. */
export interface SmsVerificationInputs extends ActionInputs {
  /**
   * The phone number that receives the message. Terraform Enterprise does not store it.
   * @change updates, and sends a message to the new number
   * @example "+15550101"
   */
  testNumber: string;
}

/**
 * Sends a test message that verifies the {@link SmsSettings}.
 *
 * An operation fails with `ERR_REJECTED` if messages are disabled or Twilio rejects the message.
 *
 * Pulumi sends the message on create and on each change of `triggers` or `testNumber`, never in a preview. The request is retried only after
 * a 429, since each message may cost money. Destroying the resource sends nothing.
 *
 * @example Send one message
 * ```ts
 * new platform.SmsVerification("sms", { testNumber: "+15550101" });
 * ```
 * @example Send a message after each change of the token
 * ```ts
 * const accountSid = "AC6f0e9c";
 * const authToken = { env: "SMS_TOKEN" };
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid, authToken, fromNumber: "+15550100" });
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [accountSid] }, { dependsOn: sms });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @unreadable Everything: the admin API does not report the action, so the resource never shows drift.
 */
export const smsVerification: Definition<SmsVerificationInputs, ActionState> = action({
  type: "SmsVerification",
  displayName: "SMS verification",
  id: "sms-verification",
  path: (operation) => [dialectOf(operation).smsSettings, "verify"],
  fields: { testNumber: { input: z.string("must be a phone number").min(1, "must not be empty"), required: true } },
  whenRefused: "Enable SmsSettings with a valid account first, and add them to dependsOn.",
  attributes: ({ testNumber }) => ({ "test-number": testNumber }),
});
