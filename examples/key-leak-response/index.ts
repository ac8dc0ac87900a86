// Responds to a leak of the key that signs the workload identity tokens of runs. It rotates the key at once, and trims the old keys when their
// tokens have expired. It sends a text message to the operator on call, with the SMS settings that the platform has. To run it again, use
// `pulumi config set incident <name>` and `pulumi up`.
import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

const config = new pulumi.Config();
const incident = config.require("incident");
const onCallNumber = config.require("onCallNumber");
/** The longest lifetime of a token. Trimming its key earlier breaks the runs that use it. */
const tokenSeconds = config.getNumber("tokenSeconds") ?? 2 * 60 * 60;

const rotation = new platform.OidcKeyRotation("rotate", { triggers: [incident] });

// If `pulumi up` is interrupted while it waits, the next one continues to wait. A preview does not wait.
const expired = rotation.performedAt.apply(async (performedAt) => {
  const left = Date.parse(performedAt) + tokenSeconds * 1000 - Date.now();
  if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
  return performedAt;
});

// One trim follows each rotation. The trigger also makes it wait for the rotation.
const trim = new platform.OidcKeyTrim("trim", { triggers: [expired] });

new platform.SmsVerification("tell-on-call", { testNumber: onCallNumber, triggers: [trim.performedAt] });

export const rotatedAt = rotation.performedAt;
export const trimmedAt = trim.performedAt;
