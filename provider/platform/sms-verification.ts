import { z } from "zod";
import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";
import { dialectOf } from "./client";

/** Inputs of {@link SmsVerification}. */
export interface SmsVerificationInputs extends ActionInputs {
  /** The phone number that receives the message. The platform does not store it. Changing this sends a message to the new number. */
  testNumber: string;
}

/**
 * A test message that verifies the {@link SmsSettings}: `POST /api/v2/admin/sms-settings/verify` (`twilio-settings` in the hashicorp
 * dialect). Fails with `ERR_REJECTED` if messages are disabled or the SMS provider rejects the message.
 *
 * Pulumi sends the message on create and on each change of `triggers` or `testNumber`, never in a preview. The request is retried only after
 * a 429, since each message costs money. Destroying the resource sends nothing.
 *
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken, fromNumber: "+15550100" });
 * // Sends a message after each change of the token.
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers` or `testNumber`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform does not report the action, so it never shows drift.
 * @internal
 */
export const smsVerification: Definition<SmsVerificationInputs, ActionState> = action({
  type: "SmsVerification",
  displayName: "SMS verification",
  id: "sms-verification",
  path: (connection) => [dialectOf(connection).smsSettings, "verify"],
  fields: { testNumber: { input: z.string("must be a phone number").min(1, "must not be empty"), required: true } },
  whenRefused: "Enable SmsSettings with a valid account first, and add them to dependsOn.",
  attributes: ({ testNumber }) => ({ "test-number": testNumber }),
});
