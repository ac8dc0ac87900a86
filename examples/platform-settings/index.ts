// Manages settings of a platform installation. Replace every value: the first `pulumi up` overwrites those on the server. Omitted attributes
// keep their values. `pulumi destroy` restores the original ones, but disables email and text messages, whose original secrets nothing can read:
// set `onDelete: "retain"` to keep them.
import * as pulumi from "@pulumi/pulumi";
import { platform } from "pulumi-steward";

const config = new pulumi.Config();
// Before the first resource, so that a missing key stops the program before it writes anything.
const idp = config.require("idp");
const idpCert = config.require("idpCert");

const general = new platform.GeneralSettings("general", {
  limitUserOrganizationCreation: true,
  apiRateLimit: 100,
  defaultRemoteStateAccess: false,
});

new platform.CustomizationSettings("texts", {
  supportEmailAddress: "platform-team@example.com",
  loginHelp: 'Sign in with your company account; <a href="https://wiki.example.com/sign-in">help</a>.',
});

// To rotate the certificate, use `pulumi config set idpCert < new.pem`. The platform accepts both until the old one is revoked, which has to happen before the next rotation.
const saml = new platform.SamlSettings("single-sign-on", {
  enabled: true,
  idpCert,
  ssoEndpointUrl: `${idp}/sso`,
  sloEndpointUrl: `${idp}/slo`,
  siteAdminRole: "platform-admins",
  // Years later, the original values may lock users out.
  onDelete: "retain",
});

// Increase the number once the identity provider signs with the new certificate. The platform then rejects the old one.
const switched = config.get("certificateSwitched");
if (switched) new platform.SamlCertificateRevocation("switched", { triggers: [switched] }, { dependsOn: saml });

new platform.SmtpSettings("mail", {
  enabled: true,
  host: "smtp.example.com",
  port: 587,
  sender: "platform@example.com",
  auth: "login",
  username: "platform",
  password: { env: "SMTP_PASSWORD" },
  // Sends one test mail with each change of these settings. Without an address, it sends none.
  testEmailAddress: config.get("testEmailAddress"),
});

new platform.SmsSettings("text-messages", {
  enabled: true,
  accountSid: "AC0123456789",
  authToken: { env: "SMS_TOKEN" },
  fromNumber: "+15550100",
});

new platform.CostEstimationSettings("prices", {
  enabled: true,
  cloudAAccessKeyId: "AKIA0123456789",
  cloudASecretKey: { env: "PRICE_KEY" },
});

export const managed = general.managed;
