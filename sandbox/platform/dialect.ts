import { Attribute, Values } from "./attributes";
import { runStatuses } from "./records";

/** The run statuses that the specification does not count. */
const withoutCounter = ["plan_queued", "apply_queued", "cost_estimating", "cost_estimated", "policy_soft_failed", "planned_and_finished"];

const method: Attribute = { type: "string", default: "SHA256", oneOf: ["SHA1", "SHA256"] };

/** Terraform Enterprise 1.0, as its documentation and its official clients describe it. */
export const hashicorp = {
  /** For a route file that one dialect serves. */
  name: "hashicorp" as "standard" | "hashicorp",
  /** Additional attributes of the general settings. */
  general: {
    "require-two-factor-for-admins": { type: "boolean", default: false, only: "reads" },
    "fair-run-queuing-enabled": { type: "boolean", default: false, only: "reads" },
    "limit-organizations-per-user": { type: "boolean", default: false, only: "reads" },
    "default-organizations-per-user-ceiling": { type: "integer", default: null, only: "reads" },
    "limit-workspaces-per-organization": { type: "boolean", default: false, only: "reads" },
    "default-workspaces-per-organization-ceiling": { type: "integer", default: null, only: "reads" },
    "apply-timeout": { type: "string", default: "24h" },
    "plan-timeout": { type: "string", default: "2h" },
  } as Record<string, Attribute>,
  // The previous names of the two timeouts.
  generalDerived: (values: Values): Values => ({
    "terraform-build-worker-apply-timeout": values["apply-timeout"] ?? null,
    "terraform-build-worker-plan-timeout": values["plan-timeout"] ?? null,
  }),
  /** Additional attributes of the SAML settings. */
  saml: {
    "authn-requests-signed": { type: "boolean", default: false },
    "want-assertions-signed": { type: "boolean", default: false },
    "team-management-enabled": { type: "boolean", default: false },
    certificate: { type: "string", default: null },
    "private-key": { type: "string", default: null, only: "writes" },
    "signature-signing-method": method,
    "signature-digest-method": method,
    "provider-type": { type: "string", default: "unknown", oneOf: ["okta", "entra", "saml", "unknown"] },
  } as Record<string, Attribute>,
  /** Rejects an invalid certificate of the identity provider. */
  checksCertificate: false,
  /** The attributes besides the certificate and the URLs without which SAML cannot be enabled. They have defaults, so only an empty one is missing. */
  samlNames: [] as string[],
  /** The shortest single sign-on session in seconds. */
  leastSessionTimeout: Number.NEGATIVE_INFINITY,
  /** The orders of the list of workspaces. */
  workspaceOrders: ["name", "current-run.created-at", "latest-change-at"],
  /** Rejects an unknown run status in the list of workspaces. */
  checksStatuses: false,
  costEstimation: {
    /** The access key of cloud A: its id and its secret. */
    keyPair: ["aws-access-key-id", "aws-secret-key"],
    /** The JSON credentials of cloud B. */
    document: "gcp-credentials",
    /** The client credentials of cloud C. */
    client: ["azure-client-id", "azure-client-secret", "azure-subscription-id", "azure-tenant-id"],
    /** Additional attributes, which depend on the clouds with complete credentials. */
    derived: ({ a, b, c }: { a: boolean; b: boolean; c: boolean }): Values => ({
      "aws-enabled": a,
      "aws-instance-profile-enabled": false,
      "gcp-enabled": b,
      "azure-enabled": c,
    }),
  },
  /** `verifies`: the methods that send a test message. */
  sms: { type: "twilio-settings", id: "twilio", verifies: ["POST", "PATCH"] },
  supportAddress: "support@hashicorp.com",
  /** The counters of the workspace list, besides `none` and `total`. */
  counters: runStatuses,
  /** The origin of the links in a list. */
  linkOrigin: (origin: string): string => origin,
  /** Additional members of `meta.pagination`. */
  pagination: (pageSize: number): Record<string, number> => ({ "page-size": pageSize }),
  /** The headers of each response below `/api/v2`. */
  headers: { "tfp-api-version": "2.6" } as Record<string, string>,
  /** The headers of each response while the rate limit is enabled. `left`: milliseconds until the limit resets. */
  rateHeaders: (limit: number, remaining: number, left: number): Record<string, string> => ({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(left / 1000),
  }),
  /** The headers of a 429 response. */
  tooManyHeaders: {} as Record<string, string>,
  /** Rejects enabled SMTP settings without an address for a test mail. */
  needsTestAddress: false,
  /** Serves the routes with which clients of Terraform Enterprise connect, set up and clean up. */
  clientRoutes: true,
};

/** The differences between the API specification and Terraform Enterprise. Routes read this table. Only a file that one dialect serves reads the name. */
export type Dialect = typeof hashicorp;

export const standard: Dialect = {
  name: "standard",
  general: {},
  generalDerived: () => ({}),
  saml: {},
  checksCertificate: true,
  samlNames: ["attr-username", "attr-groups", "attr-site-admin", "site-admin-role"],
  leastSessionTimeout: 0,
  workspaceOrders: ["name", "current-run.created-at"],
  checksStatuses: true,
  costEstimation: {
    keyPair: ["cloud-a-access-key-id", "cloud-a-secret-key"],
    document: "cloud-b-credentials",
    client: ["cloud-c-client-id", "cloud-c-client-secret", "cloud-c-subscription-id", "cloud-c-tenant-id"],
    derived: () => ({}),
  },
  sms: { type: "sms-settings", id: "sms", verifies: ["POST"] },
  supportAddress: "support@example.com",
  counters: runStatuses.filter((status) => !withoutCounter.includes(status)),
  linkOrigin: () => "",
  pagination: () => ({}),
  headers: {},
  rateHeaders: () => ({}),
  tooManyHeaders: { "retry-after": "1" },
  needsTestAddress: false,
  clientRoutes: false,
};
