// A program that uses every public name as a user would. It is compiled, but never run, by the compiler of this repository and by
// TypeScript 3.8, which Pulumi uses for programs. So it has no newer syntax.
import * as pulumi from "@pulumi/pulumi";
import {
  Adopt,
  Args,
  ConnectionArgs,
  DeepInput,
  Dialect,
  EnvironmentReference,
  ErrorCode,
  FileReference,
  Getter,
  Outputs,
  Provider,
  ProviderArgs,
  platform,
  SchedulerServer,
  SecretReference,
  SecretsDialect,
  SecretsServer,
  Server,
  StewardError,
  scheduler,
  secrets,
} from "pulumi-steward";
import { Fault, Mail, Options, PlatformService, Sandbox, SecretsService, Seed, Service, start, TextMessage } from "pulumi-steward/sandbox";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<Claim extends true>(...claim: Claim[]): void;
declare const later: pulumi.Output<string>;
const options: pulumi.CustomResourceOptions = { protect: true };

const accessArgs: secrets.SchedulerAccessArgs = {
  address: later,
  token: pulumi.secret("token"),
  maxTokenNameLength: 64,
  caCert: later,
  clientCert: "pem",
  clientKey: Promise.resolve("pem"),
  mount: "team/scheduler",
  adopt: true,
  connection: "production",
};
const access = new secrets.SchedulerAccess("access", accessArgs, options);
holds<Same<typeof access.address, pulumi.Output<string>>>();
holds<Same<typeof access.maxTokenNameLength, pulumi.Output<number | undefined>>>();
export const readAccess: secrets.SchedulerAccess = secrets.SchedulerAccess.get(
  "read",
  "scheduler/config/access",
  { connection: later },
  options,
);
export const accessState: secrets.SchedulerAccessState = { address: "", maxTokenNameLength: undefined, mount: "" };
export const accessInputs: secrets.SchedulerAccessInputs = {};

const times: secrets.Duration[] = ["1h30m", 90];
const leaseArgs: secrets.SchedulerLeaseArgs = { ttl: times[0], maxTtl: later, mount: later, connection: later };
new secrets.SchedulerLease("lease", leaseArgs);
new secrets.SchedulerLease("seconds", { ttl: 30 });
secrets.SchedulerLease.get("read", later);
export const leaseState: secrets.SchedulerLeaseState = { ttl: 1, maxTtl: 2, mount: "" };
export const leaseInputs: secrets.SchedulerLeaseInputs = {};

const roleArgs: secrets.SchedulerRoleArgs = {
  name: "web",
  policies: ["a", later],
  global: later.apply(Boolean),
  type: "client",
  adopt: "unchanged",
};
const adopt: Adopt = false;
const role = new secrets.SchedulerRole("role", roleArgs);
holds<Same<typeof role.policies, pulumi.Output<string[]>>>();
holds<Same<typeof role.type, pulumi.Output<"client" | "management">>>();
secrets.SchedulerRole.get("read", role.id, { connection: "production" });
export const roleInputs: secrets.SchedulerRoleInputs = { name: "web", adopt };
holds<Same<typeof role.lease, pulumi.Output<string | undefined>>>();
const shownRole: secrets.RoleState = { policies: [], global: undefined, type: "client" };
export const roleState: secrets.SchedulerRoleState = { name: "web", ...shownRole, lease: undefined, mount: "" };

const roleType: secrets.RoleType = "management";
const attributes: secrets.RoleAttributes = { policies: ["a"], global: true, type: roleType };
const rolesArgs: secrets.SchedulerRolesArgs = {
  roles: { web: attributes, site: { policies: [later], type: "client" }, none: {} },
  exclusive: true,
  mount: "scheduler",
  adopt: true,
};
const roles = new secrets.SchedulerRoles("roles", rolesArgs);
new secrets.SchedulerRoles("unknown", { roles: later.apply(() => ({ web: attributes })) });
holds<Same<typeof roles.roles, pulumi.Output<Record<string, secrets.RoleState>>>>();
secrets.SchedulerRoles.get("read", "scheduler/role");
export const rolesInputs: secrets.SchedulerRolesInputs = { roles: {} };
export const rolesState: secrets.SchedulerRolesState = { roles: {}, mount: "" };

const tokenArgs: secrets.SchedulerTokenArgs = { role: role.name, keepers: { month: later }, mount: later, connection: "production" };
const token = new secrets.SchedulerToken("token", tokenArgs, { dependsOn: access });
holds<Same<typeof token.secretId, pulumi.Output<string>>>();
holds<Same<typeof token.leaseDuration, pulumi.Output<number | undefined>>>();
holds<Same<typeof token.expiresAt, pulumi.Output<string | undefined>>>();
export const tokenInputs: secrets.SchedulerTokenInputs = { role: "web" };
export const tokenState: secrets.SchedulerTokenState = {
  accessorId: "",
  secretId: "",
  leaseId: undefined,
  leaseDuration: 1,
  expiresAt: "",
};

const inVariable: secrets.EnvironmentShare = { env: "SHARE_1" };
const inFile: secrets.FileShare = { file: "share.txt" };
const source: secrets.ShareSource = inVariable;
const proof: secrets.RekeyProof = "threshold";
const target: secrets.RekeyTarget = "recovery";
const onConflict: secrets.OnConflict = "resume";
const rekeyArgs: secrets.RekeyArgs = {
  target,
  secretShares: 5,
  secretThreshold: later.apply(() => 3),
  currentShares: [later, source, inFile, { env: later }],
  pgpKeys: ["key"],
  keepSharesInState: false,
  backup: true,
  replaceBackup: true,
  removeBackup: later.apply(() => true),
  requireVerification: true,
  allowUnverified: false,
  newShares: [source, "share"],
  proof,
  waitSeconds: 60,
  triggers: [later],
  onConflict,
  discardShares: false,
  allowHttp: false,
  connection: later,
};
const rekey = new secrets.Rekey("rekey", rekeyArgs, { protect: true });
holds<Same<typeof rekey.shares, pulumi.Output<string[]>>>();
holds<Same<typeof rekey.encryptedShares, pulumi.Output<secrets.EncryptedShare[]>>>();
holds<Same<typeof rekey.fingerprints, pulumi.Output<string[]>>>();
holds<Same<typeof rekey.complete, pulumi.Output<boolean>>>();
export const rekeyInputs: secrets.RekeyInputs = { secretShares: 1, secretThreshold: 1, currentShares: [] };
const statusOptions: secrets.GetRekeyStatusOptions = { connection: "production", target };
export const rekeyStatus: Promise<secrets.RekeyStatus> = secrets.getRekeyStatus(statusOptions);
secrets.getRekeyStatus().then(({ started, verification }) => [started, verification?.progress]);
const backupOptions: secrets.GetRekeyBackupOptions = {};
export const rekeyBackup: Promise<secrets.RekeyBackup | undefined> = secrets.getRekeyBackup(backupOptions);
const decryptOptions: secrets.DecryptShareOptions = { share: "c1", privateKey: "key", passphrase: "words" };
export const decrypted: Promise<pulumi.Output<string>> = secrets.decryptShare(decryptOptions);

const listOptions: secrets.ListSchedulerRolesOptions = { connection: "production", mount: "scheduler" };
export const names: Promise<string[]> = secrets.listSchedulerRoles(listOptions);
secrets.listSchedulerRoles();
const specificationOptions: secrets.GetSpecificationOptions = { pathPrefix: "/sys/", method: "get", connection: "production" };
export const specification: Promise<secrets.Specification> = secrets.getSpecification(specificationOptions);
secrets.getSpecification().then(({ openapi, info, operations, document }) => {
  const about: secrets.SpecificationInfo = info;
  const license: secrets.SpecificationLicense | undefined = about.license;
  const sent: unknown = document;
  const first: secrets.Operation | undefined = operations[0];
  return [openapi, license?.url, sent, first && [first.path, first.method, first.summary, first.tags, first.sudo]];
});

export const settingsInputs: platform.SettingsInputs = {
  onDelete: "restore",
  connection: "production",
};
export declare const states: [
  platform.GeneralSettingsState,
  platform.CostEstimationSettingsState & platform.CostEstimationSettingsAttributes,
  platform.SamlSettingsState,
  platform.SmtpSettingsState,
  platform.SmsSettingsState,
  platform.CustomizationSettingsState,
  platform.SettingsResult<platform.SmsSettingsState>,
];
export const settingsArgs: platform.SettingsArgs = { onDelete: "retain", connection: later };
export const anyAction: platform.ActionArgs = { triggers: [later] };
export const onDelete: platform.OnDelete[] = ["restore", "retain"];
export const settingsState: platform.SettingsState = { managed: ["enabled"] };

const generalArgs: platform.GeneralSettingsArgs = {
  limitUserOrganizationCreation: true,
  apiRateLimitingEnabled: later.apply(Boolean),
  apiRateLimit: Promise.resolve(100),
  sendPassingStatusesForUntriggeredSpeculativePlans: false,
  allowSpeculativePlansOnPullRequestsFromForks: false,
  defaultRemoteStateAccess: true,
  onDelete: "retain",
  applyTimeout: later,
  connection: later,
};
const general = new platform.GeneralSettings("general", generalArgs, options);
holds<Same<typeof general.apiRateLimit, pulumi.Output<number>>>();
holds<Same<typeof general.managed, pulumi.Output<string[]>>>();
holds<Same<typeof general.applyTimeout, pulumi.Output<string | undefined>>>();
export const readGeneral: platform.GeneralSettings = platform.GeneralSettings.get("read", "general", { connection: later }, options);
export const generalInputs: platform.GeneralSettingsInputs = { apiRateLimit: 30 };
export const generalNow: Promise<platform.GeneralSettingsAttributes> = platform.getGeneralSettings({ connection: "production" });

const costArgs: platform.CostEstimationSettingsArgs = {
  enabled: true,
  cloudAAccessKeyId: later,
  cloudASecretKey: pulumi.secret("key"),
  cloudBCredentials: "{}",
  cloudCClientId: later,
  cloudCClientSecret: later,
  cloudCSubscriptionId: later,
  cloudCTenantId: later,
};
const cost = new platform.CostEstimationSettings("cost", costArgs);
holds<Same<typeof cost.cloudASecretKey, pulumi.Output<string | undefined>>>();
platform.CostEstimationSettings.get("read", "cost-estimation");
export const costInputs: platform.CostEstimationSettingsInputs = {};
const costNow = platform.getCostEstimationSettings();
export const priceKey: Promise<pulumi.Output<string | undefined>> = costNow.then((shown) => shown.cloudASecretKey);
export const priceId: Promise<string | undefined> = costNow.then((shown) => shown.cloudAAccessKeyId);

const samlArgs: platform.SamlSettingsArgs = {
  enabled: true,
  debug: false,
  idpCert: later,
  sloEndpointUrl: later,
  ssoEndpointUrl: later,
  attrUsername: "Username",
  attrGroups: later,
  attrSiteAdmin: later,
  siteAdminRole: later,
  ssoApiTokenSessionTimeout: 3600,
};
const saml = new platform.SamlSettings("saml", samlArgs);
holds<Same<typeof saml.oldIdpCert, pulumi.Output<string | undefined>>>();
holds<Same<typeof saml.acsConsumerUrl, typeof saml.metadataUrl>>();
platform.SamlSettings.get("read", "saml");
const method: platform.SamlSignatureMethod = "SHA256";
const identityProvider: platform.SamlProviderType = "okta";
export const samlInputs: platform.SamlSettingsInputs = { signatureDigestMethod: method, providerType: identityProvider };
export const samlNow: Promise<platform.SamlSettingsAttributes> = platform.getSamlSettings();

const auth: platform.SmtpAuth = "login";
const smtpArgs: platform.SmtpSettingsArgs = {
  enabled: true,
  host: later,
  port: 25,
  sender: later,
  auth,
  username: later,
  password: pulumi.secret("password"),
  testEmailAddress: later,
};
const smtp = new platform.SmtpSettings("smtp", smtpArgs);
holds<Same<typeof smtp.port, pulumi.Output<number | undefined>>>();
holds<Same<typeof smtp.auth, pulumi.Output<platform.SmtpAuth>>>();
platform.SmtpSettings.get("read", "smtp");
export const smtpInputs: platform.SmtpSettingsInputs = { auth: "plain" };
export const smtpNow: Promise<platform.SmtpSettingsAttributes> = platform.getSmtpSettings();

new platform.SmsSettings("sms", { enabled: true, accountSid: later, authToken: pulumi.secret("token"), fromNumber: "+1" });
platform.SmsSettings.get("read", "sms");
const inEnvironment: EnvironmentReference = { env: "SMS_TOKEN" };
const inSecretFile: FileReference = { file: "/run/secrets/sms" };
const references: SecretReference[] = [inEnvironment, inSecretFile];
export const smsArgs: platform.SmsSettingsArgs = { authToken: references[0] };
export const smsInputs: platform.SmsSettingsInputs = {};
export const smsNow: Promise<platform.SmsSettingsAttributes> = platform.getSmsSettings();

const textArgs: platform.CustomizationSettingsArgs = { supportEmailAddress: later, loginHelp: "", footer: "", error: "", newUser: "" };
new platform.CustomizationSettings("texts", textArgs);
platform.CustomizationSettings.get("read", "customization");
export const textInputs: platform.CustomizationSettingsInputs = {};
export const textsNow: Promise<platform.CustomizationSettingsAttributes> = platform.getCustomizationSettings();

const actionArgs: platform.OidcKeyRotationArgs = { triggers: ["one", later], connection: later };
const rotation = new platform.OidcKeyRotation("rotation", actionArgs, options);
holds<Same<typeof rotation.performedAt, pulumi.Output<string>>>();
holds<Same<typeof rotation.trimAt, pulumi.Output<string | undefined>>>();
holds<Same<platform.OidcKeyRotationInputs["trimLater"], boolean | undefined>>();
holds<Same<platform.OidcKeyRotationState["trimAt"], string | undefined>>();
const trimArgs: platform.OidcKeyTrimArgs = { triggers: [rotation.performedAt] };
const trim = new platform.OidcKeyTrim("trim", trimArgs);
const revocationArgs: platform.SamlCertificateRevocationArgs = {};
const revocation = new platform.SamlCertificateRevocation("revocation", revocationArgs);
new platform.OidcKeyRotation("bare");
const verificationArgs: platform.SmsVerificationArgs = { testNumber: later, triggers: [] };
const verification = new platform.SmsVerification("verification", verificationArgs);
export const performed: pulumi.Output<string>[] = [trim.performedAt, revocation.performedAt, verification.performedAt];
export const actionInputs: platform.ActionInputs = { triggers: ["one"] };
export const actionState: platform.ActionState = { performedAt: "" };
export const verificationInputs: platform.SmsVerificationInputs = { testNumber: "+1" };

const workspaceArgs: platform.AdminWorkspaceArgs = { workspaceId: later, destroyOnDelete: true };
const workspace = new platform.AdminWorkspace("workspace", workspaceArgs);
holds<Same<typeof workspace.locked, pulumi.Output<boolean>>>();
holds<Same<typeof workspace.vcsRepoIdentifier, pulumi.Output<string | undefined>>>();
export const workspaceNames: pulumi.Output<string>[] = [workspace.workspaceId, workspace.name, workspace.organization];
export const runId: pulumi.Output<string | undefined> = workspace.currentRunId;
platform.AdminWorkspace.get("read", "ws-1");
export const workspaceInputs: platform.AdminWorkspaceInputs = { workspaceId: "ws-1" };
export declare const workspaceState: platform.AdminWorkspaceState;

const deprecationArgs: platform.ModuleVersionDeprecationArgs = {
  organizationName: "acme",
  moduleName: later,
  moduleProvider: "aws",
  moduleVersion: "1.0.0",
  reason: later,
  link: later,
  adopt: false,
};
const deprecation = new platform.ModuleVersionDeprecation("deprecation", deprecationArgs);
holds<Same<typeof deprecation.publishedReason, pulumi.Output<string>>>();
platform.ModuleVersionDeprecation.get("read", "acme/network/aws/1.0.0");
export declare const deprecationInputs: platform.ModuleVersionDeprecationInputs;
export declare const deprecationState: platform.ModuleVersionDeprecationState;

export async function platformNow(): Promise<unknown[]> {
  const include: platform.WorkspaceInclude[] = ["organization", "organization.owners", "current_run"];
  const sort: platform.WorkspaceSort = "-current-run.created-at";
  const query: platform.WorkspaceQuery = { q: "a", currentRunStatus: ["errored"], sort, pageSize: 50, include };
  const listWorkspaces: platform.ListWorkspacesOptions = { ...query, connection: "production" };
  const list: platform.WorkspaceList = platform.listWorkspaces(listWorkspaces);
  const seen: platform.Workspace[] = [];
  for await (const each of list) seen.push(each);
  const counts: Record<string, number> = await list.statusCounts();
  const total: number = await platform.listWorkspaces().totalCount();
  const getOne: platform.GetWorkspaceOptions = { id: "ws-1", include: ["organization"] };
  const one: platform.Workspace = await platform.getWorkspace(getOne);
  const facts: [string | undefined, string | undefined, boolean, Record<string, unknown>] = [
    one.currentRun?.status,
    one.vcsRepoIdentifier || one.path,
    one.locked,
    one.attributes,
  ];
  const network: platform.Module = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };
  const module: platform.ListModuleVersionsOptions = network;
  const versions: platform.ModuleVersion[] = await platform.listModuleVersions(module);
  const getVersion: platform.GetModuleVersionOptions = { ...module, moduleVersion: "1.0.0", connection: "production" };
  const version = await platform.getModuleVersion(getVersion);
  const shownOfIt: (string | undefined)[] = [version.deprecation?.reason, version.moduleVersion, version.source];
  return [counts, total, facts, versions, shownOfIt, seen];
}

export async function schedulerNow(signal: AbortSignal): Promise<unknown[]> {
  const consistency: scheduler.QueryOptions = { connection: "production", namespace: "*", region: "eu", stale: true };
  const team: scheduler.Selector = scheduler.filter("Meta", "team.name");
  const mine: scheduler.Filter = team.equals("web").and(scheduler.filter("Priority").notEquals(50)).or(team.isEmpty().not());
  const text: string = mine.toString();
  const query: scheduler.ListOptions = { ...consistency, filter: mine, pageSize: 50, reverse: true, signal };
  const jobs: scheduler.List<scheduler.JobStub> = scheduler.listJobs(query);
  const seen: [string, number, unknown][] = [];
  for await (const { SubmitTime, Priority, JobSummary } of jobs) seen.push([SubmitTime, Priority, JobSummary]);
  const page: scheduler.Page | undefined = jobs.page;
  const facts: [number, number | undefined, boolean | undefined] | undefined = page && [page.index, page.lastContact, page.knownLeader];
  for await (const each of scheduler.listNodes({ filter: text })) {
    const node: scheduler.NodeStub = each;
    if (node.Drain && node.Status === "ready") break;
    if (node.Address) break;
  }
  for await (const { JobID, TaskGroups } of scheduler.listDeployments()) {
    const group: scheduler.DeploymentTaskGroup | undefined = TaskGroups[JobID];
    if (group && group.HealthyAllocs < group.DesiredTotal) break;
  }
  for await (const job of jobs) {
    const summary: scheduler.JobSummary = job.JobSummary;
    const running: number[] = Object.keys(job.JobSummary.Summary).map((name) => summary.Summary[name]?.Running ?? 0);
    if (running.length > job.Datacenters.length) break;
  }
  const members: scheduler.GetAgentMembersOptions = { connection: "production" };
  const registration: scheduler.RegisterJobOptions = { job: { ID: "web" }, namespace: "default" };
  const wait: scheduler.Duration = "5m";
  const watching: scheduler.WatchOptions = { ...query, resource: "jobs", wait };
  for await (const change of scheduler.watch(watching)) {
    const { index, items }: scheduler.Snapshot = change;
    if (index > 1 && items[0]?.ID) break;
  }
  const waiting: scheduler.WaitForDeploymentOptions = { jobId: "web", timeout: 600, signal };
  const done: scheduler.Deployment | undefined = await scheduler.waitForDeployment(waiting);
  return [seen, facts, done?.Status, await scheduler.getAgentMembers(members), await scheduler.registerJob(registration)];
}

export const get: Getter<secrets.SchedulerRole> = secrets.SchedulerRole.get;
export const connected: ConnectionArgs = { connection: "production" };
export const args: Args<{ a: string[] }> = { a: [later] };
export const deep: DeepInput<{ a: { b: string } }> = { a: { b: later } };
declare const outputs: Outputs<{ a: number }>;
holds<Same<typeof outputs.a, pulumi.Output<number>>>();

// A user's component passes arguments on, with its own default.
export const mount: pulumi.Input<string> = roleArgs.mount || "nomad";
export const global: pulumi.Input<boolean> = roleArgs.global || false;

export function fails(error: unknown): ErrorCode | undefined {
  if (!(error instanceof StewardError)) return undefined;
  const runError: pulumi.RunError = error;
  const facts: { status?: number; method?: string; path?: string; message: string } = error;
  return runError && facts ? error.code : undefined;
}

export async function sandbox(): Promise<Record<string, string>> {
  const chosen: Options = { dialect: "hashicorp", port: 8200, unsealShares: 5, unsealThreshold: 3, seal: "shamir" };
  const running: Sandbox = await start({ ...chosen, dialect: "openbao" });
  const service: SecretsService = running.secrets;
  const others: Service[] = [running.platform, running.scheduler, service];
  const fault: Fault = {
    system: "secrets",
    method: "GET",
    path: /role/,
    nth: 2,
    times: 3,
    action: "respond",
    status: 503,
    body: "",
    headers: {},
    delayMs: 1,
  };
  running.faults.add(fault);
  running.faults.clear();
  running.clock.advance(1000);
  const now: Date = running.clock.now();
  const log: { system: string; method: string; path: string; status: number; at: number }[] = running.requests();
  const opened: boolean = await service.opens(service.shares.slice(0, service.threshold));
  await service.seal();
  const unsealed: boolean = await service.unseal(service.shares);
  await service.failover();
  const platform: PlatformService = running.platform;
  const seed: Seed = {
    organizations: [{ name: "acme", owners: ["admin"] }, { name: "globex" }],
    workspaces: [
      {
        id: "ws-acmeWeb",
        name: "web",
        organization: "acme",
        locked: true,
        vcsRepoIdentifier: "acme/web",
        run: { id: "run-1", status: "applied", createdAt: now },
      },
      { name: "bare", organization: "acme", run: { status: "planning" } },
    ],
    modules: [{ namespace: "acme", name: "network", provider: "aws", description: "Networks", versions: ["1.0.0"] }],
  };
  platform.seed(seed);
  platform.appendToReasons(" Applies will be blocked.");
  platform.mail.fail(504);
  platform.mail.fail(401, { stored: true });
  platform.mail.recover();
  platform.sms.fail();
  platform.sms.recover();
  const mails: Mail[] = platform.mail.sent();
  const addressed: { to: string; sender: string; host: string; at: Date }[] = mails;
  const messages: TextMessage[] = platform.sms.sent();
  const numbered: { to: string; from: string; at: Date }[] = messages;
  const keys: { kid: string; createdAt: Date }[] = platform.signingKeys();
  const tokens: string[] = [platform.token, platform.memberToken, platform.url, running.page];
  await running.reset();
  await running.close();
  const seen = log.length + others.length + addressed.length + numbered.length + keys.length + tokens.length;
  return opened && unsealed && now && seen > 0 ? running.env : {};
}

const dialect: Dialect = "hashicorp";
const server: Server = { address: "https://tfe.example.com", tokenFile: "token", dialect, allowAddressChange: true, previewReads: false };
const secretsDialect: SecretsDialect = "openbao";
const secretsServer: SecretsServer = { ...server, dialect: secretsDialect, namespace: "team", mount: "nomad", caCert: "ca.pem" };
const schedulerServer: SchedulerServer = { ...server, region: "eu", clientCert: "cert.pem", clientKey: "key.pem" };
const providerArgs: ProviderArgs = { secrets: secretsServer, platform: later.apply(() => server), scheduler: schedulerServer };
new secrets.SchedulerLease("elsewhere", { ttl: "1h" }, { provider: new Provider("other", providerArgs) });

// An "any" would pass all assertions above.
holds<Same<0 extends 1 & typeof role ? true : false, false>>();
holds<Same<0 extends 1 & typeof access.address ? true : false, false>>();
