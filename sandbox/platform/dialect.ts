import type { Attribute, Values } from "./attributes";
import { runStatuses } from "./records";

/** Where the specification and the real product differ: one table, so that no route asks which one it serves. */
export interface Dialect {
  /** More attributes of the general settings. */
  general: Record<string, Attribute>;
  generalDerived(values: Values): Values;
  /** More attributes of the SAML settings. */
  saml: Record<string, Attribute>;
  /** Has the identity provider's certificate to be one? */
  checksCertificate: boolean;
  /** Seconds of the shortest session of single sign-on. */
  leastSessionTimeout: number;
  /** Does the list of workspaces refuse a status that no run has? */
  checksStatuses: boolean;
  costEstimation: {
    /** Cloud A: its key's id and the key. */
    keyPair: string[];
    /** Cloud B: one JSON text. */
    document: string;
    /** Cloud C. */
    client: string[];
    /** What else is shown, of the credentials that are complete. */
    derived(complete: { a: boolean; b: boolean; c: boolean }): Values;
  };
  sms: {
    type: string;
    id: string;
    /** Verbs that send a test message. */
    verifies: string[];
  };
  supportAddress: string;
  /** Counters of the workspace list, beside `none` and `total`. */
  counters: string[];
  /** What the links of a list begin with. */
  linkOrigin(origin: string): string;
  /** More members of a list's `meta.pagination`. */
  pagination(pageSize: number): Record<string, number>;
  /** Headers of every answer while requests are limited. `left`: milliseconds until this client's second ends. */
  rateHeaders(limit: number, remaining: number, left: number): Record<string, string>;
  /** Headers of an answer to one request too many. */
  tooManyHeaders: Record<string, string>;
  /** Is SMTP enabled only with an address for a test message? */
  needsTestAddress: boolean;
  /** Are there also the routes that the real product's clients begin with, set up and clean up? */
  clientRoutes: boolean;
}

export const standard: Dialect = {
  general: {},
  generalDerived: () => ({}),
  saml: {},
  checksCertificate: true,
  leastSessionTimeout: 0,
  checksStatuses: true,
  costEstimation: {
    keyPair: ["cloud-a-access-key-id", "cloud-a-secret-key"],
    document: "cloud-b-credentials",
    client: ["cloud-c-client-id", "cloud-c-client-secret", "cloud-c-subscription-id", "cloud-c-tenant-id"],
    derived: () => ({}),
  },
  sms: { type: "sms-settings", id: "sms", verifies: ["POST"] },
  supportAddress: "support@example.com",
  counters: [
    "pending",
    "planning",
    "planned",
    "confirmed",
    "applying",
    "applied",
    "discarded",
    "errored",
    "canceled",
    "policy_checking",
    "policy_override",
    "policy_checked",
  ],
  linkOrigin: () => "",
  pagination: () => ({}),
  rateHeaders: () => ({}),
  tooManyHeaders: { "retry-after": "1" },
  needsTestAddress: false,
  clientRoutes: false,
};

const method: Attribute = { type: "string", default: "SHA256", oneOf: ["SHA1", "SHA256"] };

/** Terraform Enterprise 1.0; its own clients are served and its documents followed. */
export const hashicorp: Dialect = {
  general: {
    "require-two-factor-for-admins": { type: "boolean", default: false, only: "reads" },
    "fair-run-queuing-enabled": { type: "boolean", default: false, only: "reads" },
    "limit-organizations-per-user": { type: "boolean", default: false, only: "reads" },
    "default-organizations-per-user-ceiling": { type: "integer", default: null, only: "reads" },
    "limit-workspaces-per-organization": { type: "boolean", default: false, only: "reads" },
    "default-workspaces-per-organization-ceiling": { type: "integer", default: null, only: "reads" },
    "apply-timeout": { type: "string", default: "24h" },
    "plan-timeout": { type: "string", default: "2h" },
  },
  // The former names of the two timeouts.
  generalDerived: (values) => ({
    "terraform-build-worker-apply-timeout": values["apply-timeout"] ?? null,
    "terraform-build-worker-plan-timeout": values["plan-timeout"] ?? null,
  }),
  saml: {
    "authn-requests-signed": { type: "boolean", default: false },
    "want-assertions-signed": { type: "boolean", default: false },
    "team-management-enabled": { type: "boolean", default: false },
    certificate: { type: "string", default: null },
    "private-key": { type: "string", default: null, only: "writes" },
    "signature-signing-method": method,
    "signature-digest-method": method,
    "provider-type": { type: "string", default: "unknown", oneOf: ["okta", "entra", "saml", "unknown"] },
  },
  checksCertificate: false,
  leastSessionTimeout: Number.NEGATIVE_INFINITY,
  checksStatuses: false,
  costEstimation: {
    keyPair: ["aws-access-key-id", "aws-secret-key"],
    document: "gcp-credentials",
    client: ["azure-client-id", "azure-client-secret", "azure-subscription-id", "azure-tenant-id"],
    derived: ({ a, b, c }) => ({ "aws-enabled": a, "aws-instance-profile-enabled": false, "gcp-enabled": b, "azure-enabled": c }),
  },
  sms: { type: "twilio-settings", id: "twilio", verifies: ["POST", "PATCH"] },
  supportAddress: "support@hashicorp.com",
  counters: runStatuses,
  linkOrigin: (origin) => origin,
  pagination: (pageSize) => ({ "page-size": pageSize }),
  rateHeaders: (limit, remaining, left) => ({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(left / 1000),
  }),
  tooManyHeaders: {},
  needsTestAddress: false,
  clientRoutes: true,
};
