import { certificate, sha1Certificate } from "../../support/certificates";

/** One readable attribute: what a program declares, and what somebody else makes of it. */
export interface AttributeCase {
  settings: string;
  token: string;
  attribute: string;
  declared: unknown;
  outside: unknown;
  /** What the platform must hold for the attribute to be changed alone. */
  before: Record<string, unknown>;
  /** What must be declared with it, since the platform does not show whether it has one. */
  also?: Record<string, unknown>;
}

/** What settings need to be enabled. */
export const complete: Record<string, Record<string, unknown>> = {
  "cost-estimation": { cloudAAccessKeyId: "AKIA1", cloudASecretKey: "s3cret-a" },
  saml: {
    idpCert: certificate,
    sloEndpointUrl: "https://idp.example.com/slo",
    ssoEndpointUrl: "https://idp.example.com/sso",
  },
  smtp: { host: "mail.example.com", port: 25, sender: "platform@example.com" },
  sms: { accountSid: "AC1", authToken: "sms-token", fromNumber: "+15550100" },
};

/** The resource of each settings document. */
export const tokens: Record<string, string> = {
  general: "GeneralSettings",
  "cost-estimation": "CostEstimationSettings",
  saml: "SamlSettings",
  smtp: "SmtpSettings",
  sms: "SmsSettings",
  customization: "CustomizationSettings",
};

/** Every writable, readable attribute of the specification: [declared, outside]. */
const values: Record<string, Record<string, [unknown, unknown]>> = {
  general: {
    limitUserOrganizationCreation: [false, true],
    apiRateLimitingEnabled: [true, false],
    apiRateLimit: [400, 500],
    sendPassingStatusesForUntriggeredSpeculativePlans: [true, false],
    allowSpeculativePlansOnPullRequestsFromForks: [true, false],
    defaultRemoteStateAccess: [false, true],
  },
  "cost-estimation": {
    enabled: [true, false],
    cloudAAccessKeyId: ["AKIA2", "AKIA3"],
    cloudASecretKey: ["secret-2", "secret-3"],
    cloudBCredentials: ['{"type":"service_account","private_key":"two"}', '{"private_key":"three"}'],
    cloudCClientId: ["client-2", "client-3"],
    cloudCClientSecret: ["client-secret-2", "client-secret-3"],
    cloudCSubscriptionId: ["subscription-2", "subscription-3"],
    cloudCTenantId: ["tenant-2", "tenant-3"],
  },
  saml: {
    enabled: [true, false],
    debug: [true, false],
    idpCert: [certificate, sha1Certificate],
    sloEndpointUrl: ["https://idp.example.com/slo2", "https://idp.example.com/slo3"],
    ssoEndpointUrl: ["https://idp.example.com/sso2", "https://idp.example.com/sso3"],
    attrUsername: ["User2", "User3"],
    attrGroups: ["Groups2", "Groups3"],
    attrSiteAdmin: ["Admin2", "Admin3"],
    siteAdminRole: ["admins2", "admins3"],
    ssoApiTokenSessionTimeout: [3600, 7200],
  },
  smtp: {
    enabled: [true, false],
    host: ["mail2.example.com", "mail3.example.com"],
    port: [465, 587],
    sender: ["two@example.com", "three@example.com"],
    auth: ["login", "plain"],
    username: ["user2", "user3"],
  },
  sms: { enabled: [true, false], accountSid: ["AC2", "AC3"], fromNumber: ["+15550102", "+15550103"] },
  customization: {
    supportEmailAddress: ["two@example.com", "three@example.com"],
    loginHelp: ["<b>two</b>", "three"],
    footer: ["two", "three"],
    error: ["two", "three"],
    newUser: ["two", "three"],
  },
};

/** Of the real product alone. */
const extraValues: Record<string, Record<string, [unknown, unknown]>> = {
  general: {
    "apply-timeout": ["12h", "6h"],
    "plan-timeout": ["1h", "3h"],
  },
  saml: {
    "authn-requests-signed": [true, false],
    "want-assertions-signed": [true, false],
    "team-management-enabled": [true, false],
    certificate: ["cert-2", "cert-3"],
    "signature-signing-method": ["SHA1", "SHA256"],
    "signature-digest-method": ["SHA1", "SHA256"],
    "provider-type": ["okta", "entra"],
  },
};

export const attributeCases: AttributeCase[] = Object.entries(values).flatMap(([settings, attributes]) =>
  Object.entries(attributes).map(([attribute, [declared, outside]]) => ({
    settings,
    token: tokens[settings] ?? "",
    attribute,
    declared,
    outside,
    before: attribute === "enabled" ? (complete[settings] ?? {}) : {},
    ...(settings === "sms" && attribute === "enabled" ? { also: { authToken: "sms-token" } } : {}),
  })),
);

/** The settings documents, and what each resource needs besides its readable attributes. */
export const kinds: string[] = Object.keys(values);
export const hidden: Record<string, Record<string, unknown>> = {
  smtp: { password: "canary-mail", testEmailAddress: "me@example.com" },
  sms: { authToken: "canary-sms" },
};

export const extraCases: AttributeCase[] = Object.entries(extraValues).flatMap(([settings, attributes]) =>
  Object.entries(attributes).map(([attribute, [declared, outside]]) => ({
    settings,
    token: tokens[settings] ?? "",
    attribute,
    declared,
    outside,
    before: {},
  })),
);
