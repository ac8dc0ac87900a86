// The key that signs the tokens of runs may have leaked: a new key at once, the old ones forgotten when no token of theirs is left, and a
// text message to the one on call. `pulumi config set incident <name>` and `pulumi up` do it again.
import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

const config = new pulumi.Config();
const incident = config.get("incident") || "first";
/** How long a token is valid at most. Forgetting its key earlier breaks the runs that hold one. */
const tokenSeconds = config.getNumber("tokenSeconds") ?? 2 * 60 * 60;

const sms = new platform.SmsSettings("text-messages", {
  enabled: true,
  accountSid: "AC0123456789",
  authToken: config.getSecret("smsToken") || pulumi.secret("a-token"),
  fromNumber: "+15550100",
});

const rotation = new platform.OidcKeyRotation("rotate", { triggers: [incident] });

// An `up` that is interrupted while it waits goes on waiting in the next one; a preview does not wait.
const expired = rotation.performedAt.apply(async (performedAt) => {
  const left = Date.parse(performedAt) + tokenSeconds * 1000 - Date.now();
  if (left > 0 && !pulumi.runtime.isDryRun()) await new Promise((done) => setTimeout(done, left));
  return performedAt;
});

// Each rotation is followed by one trim: the trigger orders them, too.
const trim = new platform.OidcKeyTrim("trim", { triggers: [expired] });

new platform.SmsVerification(
  "tell-on-call",
  { testNumber: config.get("onCallNumber") || "+15550123", triggers: [trim.performedAt] },
  { dependsOn: sms },
);

export const rotatedAt = rotation.performedAt;
export const trimmedAt = trim.performedAt;
