import { platform, scheduler, secrets } from "../../provider";
import { Sandbox } from "../../sandbox/index";
import { complete } from "../provider/platform/attributes";

type Properties = Record<string, unknown>;
type Dialect = "standard" | "hashicorp";

/** One resource from its creation to its end. */
export interface ResourceStory {
  token: string;
  inputs: Properties;
  /** What an update makes of it; undefined where nothing can be updated. */
  changed?: Properties;
  /** Whether a repetition leaves other things behind, such as another key. */
  acts?: boolean;
}

const role = { name: "web", policies: ["readonly"] };
const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
const saml = complete.saml as Properties;
const smtp = { ...complete.smtp, enabled: true, auth: "login", username: "platform", password: "canary-password" };

/** Every resource but the rekey's three, which are one story. */
export const resourceStories = (sandbox: Sandbox): readonly ResourceStory[] => {
  const access = { address: sandbox.scheduler.url, token: "canary-management" };
  return [
    { token: "secrets:SchedulerAccess", inputs: access, changed: { ...access, token: "canary-other" } },
    { token: "secrets:SchedulerLease", inputs: { ttl: "1h" }, changed: { ttl: "2h" } },
    { token: "secrets:SchedulerRole", inputs: role, changed: { ...role, policies: ["other"] } },
    {
      token: "secrets:SchedulerRoles",
      inputs: { roles: { one: { policies: ["a"] }, two: { policies: ["a"] } } },
      changed: { roles: { one: { policies: ["b"] }, three: { policies: ["a"] } } },
    },
    { token: "secrets:SchedulerToken", inputs: { role: "minting" }, acts: true },
    { token: "platform:GeneralSettings", inputs: { apiRateLimit: 400 }, changed: { apiRateLimit: 500, defaultRemoteStateAccess: false } },
    {
      token: "platform:CostEstimationSettings",
      inputs: { ...complete["cost-estimation"], enabled: true },
      changed: { ...complete["cost-estimation"], enabled: false },
    },
    { token: "platform:SamlSettings", inputs: { ...saml, enabled: true }, changed: { ...saml, enabled: true, debug: true } },
    { token: "platform:SmtpSettings", inputs: smtp, changed: { ...smtp, host: "other.example.com", testEmailAddress: "me@example.com" } },
    { token: "platform:SmsSettings", inputs: { ...complete.sms }, changed: { ...complete.sms, fromNumber: "+15550199" } },
    { token: "platform:CustomizationSettings", inputs: { footer: "ours" }, changed: { footer: "theirs", error: "sorry" } },
    { token: "platform:SamlCertificateRevocation", inputs: {}, changed: { triggers: ["1"] } },
    { token: "platform:SmsVerification", inputs: { testNumber: "+15550123" }, changed: { testNumber: "+15550124" } },
    { token: "platform:OidcKeyRotation", inputs: {}, changed: { triggers: ["1"] }, acts: true },
    { token: "platform:OidcKeyTrim", inputs: {}, changed: { triggers: ["1"] } },
    { token: "platform:AdminWorkspace", inputs: { workspaceId: "ws-faulty", destroyOnDelete: true } },
    {
      token: "platform:ModuleVersionDeprecation",
      inputs: { ...version, reason: "Old." },
      changed: { ...version, reason: "Older.", link: "https://wiki.example.com" },
    },
  ];
};

/** What the services hold before each story. */
export async function furnish(sandbox: Sandbox, outside: Outside): Promise<void> {
  sandbox.platform.seed({ workspaces: [{ id: "ws-faulty", name: "faulty", organization: "acme" }] });
  await outside("platform", "PATCH", settingsPath("general"), { data: { attributes: { "api-rate-limiting-enabled": false } } });
}

/** A token needs an engine that reaches the scheduler, a test message an SMS provider. */
export async function prepare(token: string, sandbox: Sandbox, outside: Outside, dialect: Dialect): Promise<void> {
  const mount = dialect === "hashicorp" ? "nomad" : "scheduler";
  if (token === "secrets:SchedulerToken") {
    await outside("secrets", "POST", `/v1/${mount}/config/access`, { address: sandbox.scheduler.url, token: sandbox.scheduler.token });
    await outside("secrets", "POST", `/v1/${mount}/role/minting`, { type: "management" });
  }
  if (token === "platform:SmsVerification") {
    const attributes = { enabled: true, "account-sid": "AC1", "auth-token": "canary-sms", "from-number": "+15550100" };
    await outside("platform", "PATCH", settingsPath(dialect === "hashicorp" ? "twilio" : "sms"), { data: { attributes } });
  }
}

export type Outside = (system: "secrets" | "platform" | "scheduler", method: string, path: string, body?: object) => Promise<unknown>;

const settingsPath = (kind: string): string => `/api/v2/admin/${kind}-settings`;

/** All that the services hold and resources change. */
export async function held(outside: Outside, dialect: Dialect): Promise<unknown> {
  const mount = dialect === "hashicorp" ? "nomad" : "scheduler";
  const kinds = ["general", "cost-estimation", "saml", "smtp", dialect === "hashicorp" ? "twilio" : "sms", "customization"];
  const roles = ["web", "one", "two", "three"].map((name) => `role/${name}`);
  const paths: [Parameters<Outside>[0], string][] = [
    ...["config/access", "config/lease", ...roles].map((path): ["secrets", string] => ["secrets", `/v1/${mount}/${path}`]),
    ...kinds.map((kind): ["platform", string] => ["platform", settingsPath(kind)]),
    ["platform", "/api/registry/v1/modules/acme/network/aws/1.0.0"],
    ["platform", "/api/v2/admin/workspaces/ws-faulty"],
  ];
  return Promise.all(paths.map(([system, path]) => outside(system, "GET", path)));
}

async function first<T>(source: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of source) if (found.push(item) >= count) break;
  return found;
}

/** Every function, called once. */
export const functionStories: Record<string, () => Promise<unknown>> = {
  "secrets.listSchedulerRoles": () => secrets.listSchedulerRoles(),
  "secrets.getRekeyStatus": () => secrets.getRekeyStatus(),
  "secrets.getSpecification": () => secrets.getSpecification(),
  "secrets.getRekeyBackup": () => secrets.getRekeyBackup(),
  "platform.getGeneralSettings": () => platform.getGeneralSettings(),
  "platform.getCostEstimationSettings": () => platform.getCostEstimationSettings(),
  "platform.getSamlSettings": () => platform.getSamlSettings(),
  "platform.getSmtpSettings": () => platform.getSmtpSettings(),
  "platform.getSmsSettings": () => platform.getSmsSettings(),
  "platform.getCustomizationSettings": () => platform.getCustomizationSettings(),
  "platform.listWorkspaces": () => first(platform.listWorkspaces({ pageSize: 1 }), 99),
  "platform.getWorkspace": () => platform.getWorkspace({ id: "ws-faulty" }),
  "platform.listModuleVersions": () =>
    platform.listModuleVersions({ organizationName: "acme", moduleName: "network", moduleProvider: "aws" }),
  "platform.getModuleVersion": () =>
    platform.getModuleVersion({ organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" }),
  "scheduler.listJobs": () => first(scheduler.listJobs({ namespace: "*", pageSize: 2 }), 99),
  "scheduler.listDeployments": () => first(scheduler.listDeployments(), 99),
  "scheduler.listNodes": () => first(scheduler.listNodes({ filter: scheduler.filter("Status").equals("ready") }), 99),
  "scheduler.getAgentMembers": () => scheduler.getAgentMembers(),
  "scheduler.watch": () => first(scheduler.watch({ resource: "nodes", electionTimeout: 1 }), 1).then(([change]) => change?.items),
  "scheduler.registerJob": () =>
    scheduler
      .registerJob({
        job: { ID: "web", Type: "batch", TaskGroups: [{ Name: "a", Tasks: [{ Name: "t", Driver: "exec", Config: { command: "x" } }] }] },
      })
      .then(() => true),
  "scheduler.waitForDeployment": () =>
    scheduler.waitForDeployment({ jobId: "api", electionTimeout: 1 }).then((deployment) => deployment?.Status),
};
