import { z } from "zod";
import { Definition } from "../definition";
import { ActionInputs, ActionState, action } from "./action";
import { dialectOf } from "./client";

/** What a program declares of a test message. */
export interface SmsVerificationInputs extends ActionInputs {
  /** The phone number that gets the message. Not kept by the platform. Changing this sends a message to the new one. */
  testNumber: string;
}

/**
 * Sends one text message to test the {@link SmsSettings}: `POST /api/v2/admin/sms-settings/verify` (`twilio-settings` in the
 * hashicorp dialect). Fails with `ERR_REJECTED` where messages are disabled, or the provider turns the message down.
 *
 * Done when it is created and each time `triggers` or `testNumber` change, never in a preview; retried only after a 429, for each message costs money.
 *
 * ```ts
 * const authToken = config.requireSecret("smsToken");
 * const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC…", authToken, fromNumber: "+15550100" });
 * // Again with each new token.
 * new platform.SmsVerification("sms", { testNumber: "+15550101", triggers: [authToken] }, { dependsOn: sms });
 * ```
 *
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests Create and each change of `triggers` or `testNumber`: 1 `POST`. Refresh and delete: none.
 * @unreadable Everything: the platform keeps no trace of it, so that it never shows drift.
 * @internal
 */
export const smsVerification: Definition<SmsVerificationInputs, ActionState> = action({
  type: "SmsVerification",
  displayName: "SMS verification",
  id: "sms-verification",
  path: (connection) => [dialectOf(connection).smsSettings, "verify"],
  fields: { testNumber: { input: z.string("must be a phone number").min(1, "must not be empty"), required: true } },
  whenRefused: "Enable SmsSettings first, with an account that works, and name them in dependsOn.",
  attributes: ({ testNumber }) => ({ "test-number": testNumber }),
});
