// Responds to a leak of the key that signs the workload identity tokens of runs. It rotates the key and trims the old ones at once, because
// a leaked key can sign tokens until it is trimmed. It sends a text message to the operator on call, with the SMS settings that the platform
// has. To run it again, use `pulumi config set incident <name>` and `pulumi up`. A trim does not revoke cloud credentials that were obtained with
// the leaked key: docs/guides/settings.md#rotate-the-oidc-signing-key lists what else to do.
import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

const config = new pulumi.Config();
const incident = config.require("incident");
const onCallNumber = config.require("onCallNumber");

const rotation = new platform.OidcKeyRotation("rotate", { triggers: [incident] });

// One trim follows each rotation. The trigger also makes it wait for the rotation.
const trim = new platform.OidcKeyTrim("trim", { triggers: [rotation.performedAt] });

new platform.SmsVerification("tell-on-call", { testNumber: onCallNumber, triggers: [trim.performedAt] });

export const rotatedAt = rotation.performedAt;
export const trimmedAt = trim.performedAt;
