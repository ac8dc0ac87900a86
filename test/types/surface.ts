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
  Login,
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

const access = new secrets.SchedulerAccess("access", { address: later, token: pulumi.secret("token"), clientKey: { env: "KEY" } }, options);
holds<Same<typeof access.address, pulumi.Output<string>>>();
holds<Same<typeof access.maxTokenNameLength, pulumi.Output<number | undefined>>>();
secrets.SchedulerAccess.get("read", "scheduler/config/access");
export declare const ofAccess: [secrets.SchedulerAccessArgs, secrets.SchedulerAccessInputs, secrets.SchedulerAccessState];

const times: secrets.Duration[] = ["1h30m", 90];
const mounted = new secrets.SchedulerEngine("engine", {
  description: later,
  defaultLeaseTtl: times[0],
  maxLeaseTtl: later,
  destroyOnDelete: true,
});
secrets.SchedulerEngine.get("read", later);
export declare const ofEngine: [secrets.SchedulerEngineArgs, secrets.SchedulerEngineInputs, secrets.SchedulerEngineState];
new secrets.SchedulerLease("lease", { ttl: times[0], mount: mounted.mount });
new secrets.SchedulerLease("lease", { ttl: times[0], maxTtl: later, connection: later });
secrets.SchedulerLease.get("read", later);
export declare const ofLease: [secrets.SchedulerLeaseArgs, secrets.SchedulerLeaseInputs, secrets.SchedulerLeaseState];

const adopt: Adopt = "unchanged";
const roleArgs: secrets.SchedulerRoleArgs = { name: "web", policies: ["a", later], global: later.apply(Boolean), type: "client", adopt };
const role = new secrets.SchedulerRole("role", roleArgs);
holds<Same<typeof role.policies, pulumi.Output<string[]>>>();
holds<Same<typeof role.type, pulumi.Output<"client" | "management">>>();
secrets.SchedulerRole.get("read", role.id, { connection: "production" });
export declare const ofRole: [secrets.SchedulerRoleInputs, secrets.SchedulerRoleState];

const roleType: secrets.RoleType = "management";
const attributes: secrets.RoleAttributes = { policies: ["a"], global: true, type: roleType };
const roles = new secrets.SchedulerRoles("roles", { roles: { web: attributes, site: { policies: [later], type: "client" }, none: {} } });
new secrets.SchedulerRoles("unknown", { roles: later.apply(() => ({ web: attributes })) });
holds<Same<typeof roles.roles, pulumi.Output<Record<string, secrets.RoleState>>>>();
secrets.SchedulerRoles.get("read", "scheduler/role");
export declare const ofRoles: [secrets.SchedulerRolesArgs, secrets.SchedulerRolesInputs, secrets.SchedulerRolesState];

const token = new secrets.SchedulerToken("token", { role: role.name, keepers: { month: later } }, { dependsOn: access });
holds<Same<typeof token.secretId, pulumi.Output<string>>>();
holds<Same<typeof token.leaseDuration, pulumi.Output<number | undefined>>>();
export declare const ofToken: [secrets.SchedulerTokenArgs, secrets.SchedulerTokenInputs, secrets.SchedulerTokenState];

const inVariable: secrets.EnvironmentShare = { env: "SHARE_1" };
const inFile: secrets.FileShare = { file: "share.txt" };
const source: secrets.ShareSource = inVariable;
const confirm: secrets.RekeyConfirmation = "all";
const onWaiting: secrets.OnWaiting = "fail";
const target: secrets.RekeyTarget = "recovery";
const onConflict: secrets.OnConflict = "resume";
const rekeyArgs: secrets.RekeyArgs = {
  secretShares: 5,
  secretThreshold: later.apply(() => 3),
  currentShares: [later, source, inFile, { env: later }],
  newShares: [source, "share"],
  ...{ target, confirm, onWaiting, onConflict },
};
const rekey = new secrets.Rekey("rekey", rekeyArgs, { protect: true });
holds<Same<typeof rekey.shares, pulumi.Output<string[]>>>();
holds<Same<typeof rekey.encryptedShares, pulumi.Output<secrets.EncryptedShare[]>>>();
holds<Same<typeof rekey.progress, pulumi.Output<secrets.RekeyProgress>>>();
export const phase: pulumi.Output<secrets.RekeyPhase> = rekey.progress.phase;
holds<Same<typeof rekey.complete, pulumi.Output<boolean>>>();
holds<Same<typeof rekey.record, pulumi.Output<secrets.RekeyRecordEntry[]>>>();
export const event: secrets.RekeyEvent = "started";
export const rekeyInputs: secrets.RekeyInputs = { secretShares: 1, secretThreshold: 1, currentShares: [] };
const statusOptions: secrets.GetRekeyStatusOptions = { connection: "production", target };
export const rekeyStatus: Promise<secrets.RekeyStatus> = secrets.getRekeyStatus(statusOptions);
const backupOptions: secrets.GetRekeyBackupOptions = {};
export const rekeyBackup: Promise<secrets.RekeyBackup | undefined> = secrets.getRekeyBackup(backupOptions);
const decryptOptions: secrets.DecryptShareOptions = { share: "c1", privateKey: "key", passphrase: "words" };
export const decrypted: Promise<pulumi.Output<string>> = secrets.decryptShare(decryptOptions);

const listOptions: secrets.ListSchedulerRolesOptions = { connection: "production", mount: "scheduler" };
export const names: Promise<string[]> = secrets.listSchedulerRoles(listOptions);
const specificationOptions: secrets.GetSpecificationOptions = { pathPrefix: "/sys/", method: "get", connection: "production" };
export const specification: Promise<secrets.Specification> = secrets.getSpecification(specificationOptions);
specification.then(({ info, operations }) => {
  const about: secrets.SpecificationInfo = info;
  const license: secrets.SpecificationLicense | undefined = about.license;
  const first: secrets.ApiOperation | undefined = operations[0];
  return [license?.url, first?.path];
});

const onDelete: platform.OnDelete = "retain";
export declare const ofSettings: [platform.SettingsArgs, platform.SettingsInputs, platform.SettingsState];
export declare const result: platform.SettingsResult<platform.SmsSettingsState>;

const general = new platform.GeneralSettings("general", { apiRateLimit: Promise.resolve(100), applyTimeout: later, onDelete }, options);
holds<Same<typeof general.apiRateLimit, pulumi.Output<number>>>();
holds<Same<typeof general.managed, pulumi.Output<string[]>>>();
holds<Same<typeof general.applyTimeout, pulumi.Output<string | undefined>>>();
export const readGeneral: platform.GeneralSettings = platform.GeneralSettings.get("read", "general", { connection: later }, options);
export const generalNow: Promise<platform.GeneralSettingsAttributes> = platform.getGeneralSettings({ connection: "production" });
export declare const ofGeneral: [platform.GeneralSettingsArgs, platform.GeneralSettingsInputs, platform.GeneralSettingsState];

const cost = new platform.CostEstimationSettings("cost", { enabled: true, cloudASecretKey: pulumi.secret("key"), cloudBCredentials: "{}" });
holds<Same<typeof cost.cloudASecretKey, pulumi.Output<string | undefined>>>();
platform.CostEstimationSettings.get("read", "cost-estimation");
const costNow = platform.getCostEstimationSettings();
export const priceKey: Promise<pulumi.Output<string | undefined>> = costNow.then((shown) => shown.cloudASecretKey);
export const priceId: Promise<string | undefined> = costNow.then((shown) => shown.cloudAAccessKeyId);
export declare const ofCost: [platform.CostEstimationSettingsArgs, platform.CostEstimationSettingsInputs];
export declare const costState: platform.CostEstimationSettingsState & platform.CostEstimationSettingsAttributes;

const saml = new platform.SamlSettings("saml", { enabled: true, idpCert: later, ssoApiTokenSessionTimeout: 3600 });
holds<Same<typeof saml.oldIdpCert, pulumi.Output<string | undefined>>>();
holds<Same<typeof saml.acsConsumerUrl, typeof saml.metadataUrl>>();
platform.SamlSettings.get("read", "saml");
const method: platform.SamlSignatureMethod = "SHA256";
const identityProvider: platform.SamlProviderType = "okta";
export const samlInputs: platform.SamlSettingsInputs = { signatureDigestMethod: method, providerType: identityProvider };
export const samlNow: Promise<platform.SamlSettingsAttributes> = platform.getSamlSettings();
export declare const ofSaml: [platform.SamlSettingsArgs, platform.SamlSettingsState];

const auth: platform.SmtpAuth = "login";
const smtp = new platform.SmtpSettings("smtp", { host: later, port: 25, auth, password: pulumi.secret("password") });
holds<Same<typeof smtp.port, pulumi.Output<number | undefined>>>();
holds<Same<typeof smtp.auth, pulumi.Output<platform.SmtpAuth>>>();
platform.SmtpSettings.get("read", "smtp");
export const smtpNow: Promise<platform.SmtpSettingsAttributes> = platform.getSmtpSettings();
export declare const ofSmtp: [platform.SmtpSettingsArgs, platform.SmtpSettingsInputs, platform.SmtpSettingsState];

const inEnvironment: EnvironmentReference = { env: "SMS_TOKEN" };
const inSecretFile: FileReference = { file: "/run/secrets/sms" };
const references: SecretReference[] = [inEnvironment, inSecretFile];
new platform.SmsSettings("sms", { enabled: true, accountSid: later, authToken: references[0] });
platform.SmsSettings.get("read", "sms");
export const smsNow: Promise<platform.SmsSettingsAttributes> = platform.getSmsSettings();
export declare const ofSms: [platform.SmsSettingsArgs, platform.SmsSettingsInputs];

new platform.CustomizationSettings("texts", { supportEmailAddress: later, footer: "" });
platform.CustomizationSettings.get("read", "customization");
export const textsNow: Promise<platform.CustomizationSettingsAttributes> = platform.getCustomizationSettings();
export declare const ofTexts: [
  platform.CustomizationSettingsArgs,
  platform.CustomizationSettingsInputs,
  platform.CustomizationSettingsState,
];

const actionArgs: platform.OidcKeyRotationArgs = { triggers: ["one", later], connection: later };
const rotation = new platform.OidcKeyRotation("rotation", actionArgs, options);
holds<Same<typeof rotation.performedAt, pulumi.Output<string>>>();
holds<Same<typeof rotation.trimAt, pulumi.Output<string | undefined>>>();
holds<Same<platform.OidcKeyRotationInputs["trimLater"], boolean | undefined>>();
new platform.OidcKeyRotation("bare");
const trim = new platform.OidcKeyTrim("trim", { triggers: [rotation.performedAt] });
const revocation = new platform.SamlCertificateRevocation("revocation", {});
const verification = new platform.SmsVerification("verification", { testNumber: later, triggers: [] });
export const performed: pulumi.Output<string>[] = [trim.performedAt, revocation.performedAt, verification.performedAt];
export declare const ofActions: [platform.ActionArgs, platform.ActionInputs, platform.ActionState, platform.OidcKeyRotationState];
export declare const actions: [platform.OidcKeyTrimArgs, platform.SamlCertificateRevocationArgs, platform.SmsVerificationArgs];
export const verificationInputs: platform.SmsVerificationInputs = { testNumber: "+1" };

const workspace = new platform.AdminWorkspace("workspace", { workspaceId: later, destroyOnDelete: true });
holds<Same<typeof workspace.locked, pulumi.Output<boolean>>>();
holds<Same<typeof workspace.vcsRepoIdentifier, pulumi.Output<string | undefined>>>();
platform.AdminWorkspace.get("read", "ws-1");
export declare const ofWorkspace: [platform.AdminWorkspaceArgs, platform.AdminWorkspaceInputs, platform.AdminWorkspaceState];

const version = { organizationName: "acme", moduleName: later, moduleProvider: "aws", moduleVersion: "1.0.0" };
const deprecationArgs: platform.ModuleVersionDeprecationArgs = { ...version, reason: later, adopt: false };
const deprecation = new platform.ModuleVersionDeprecation("deprecation", deprecationArgs);
holds<Same<typeof deprecation.publishedReason, pulumi.Output<string>>>();
platform.ModuleVersionDeprecation.get("read", "acme/network/aws/1.0.0");
export declare const ofDeprecation: [platform.ModuleVersionDeprecationInputs, platform.ModuleVersionDeprecationState];

const revoked = new platform.ModuleVersionRevocation("revocation", {
  ...version,
  message: later,
  link: "https://example.com",
  adopt: true,
});
holds<Same<typeof revoked.link, pulumi.Output<string | undefined>>>();
platform.ModuleVersionRevocation.get("read", "acme/network/aws/1.0.0");
export declare const ofRevocation: [
  platform.ModuleVersionRevocationArgs,
  platform.ModuleVersionRevocationInputs,
  platform.ModuleVersionRevocationState,
];
export const revokedNow: Promise<string[]> = platform.listRevokedModuleVersions({} as platform.ListRevokedModuleVersionsOptions);

const idp = new platform.SamlIdpCertificate("idp", { displayName: "Okta", certificate: later, adopt: "unchanged" });
holds<Same<typeof idp.fingerprint, pulumi.Output<string>>>();
platform.SamlIdpCertificate.get("read", "idpc-1");
export declare const ofIdp: [platform.SamlIdpCertificateArgs, platform.SamlIdpCertificateInputs, platform.SamlIdpCertificateState];

new platform.DataRetentionPolicy("retention", { deleteOlderThanDays: 365 });
platform.DataRetentionPolicy.get("read", "data-retention-policy");
export declare const ofRetention: [platform.DataRetentionPolicyArgs, platform.DataRetentionPolicyInputs, platform.DataRetentionPolicyState];

new platform.ScimSettings("scim", { enabled: true, paused: false, siteAdminGroupScimId: later });
platform.ScimSettings.get("read", "scim");
export const scimNow: Promise<platform.ScimSettingsAttributes> = platform.getScimSettings();
export declare const ofScim: [platform.ScimSettingsArgs, platform.ScimSettingsInputs, platform.ScimSettingsState];

const scimToken = new platform.ScimToken("scim", { description: "Okta", expiresAt: later, keepers: { year: later } });
holds<Same<typeof scimToken.token, pulumi.Output<string>>>();
export declare const ofScimToken: [platform.ScimTokenArgs, platform.ScimTokenInputs, platform.ScimTokenState];

const style: platform.BannerStyle = platform.BannerStyle.Warning;
const audience: platform.BannerAudience = platform.BannerAudience.AllUsers;
const bannerInputs: platform.BannerInputs = { title: "News", body: "Soon.", style, audience };
const banner = new platform.Banner("banner", { ...bannerInputs, timezone: later });
holds<Same<typeof banner.scheduledPublishAt, pulumi.Output<string | undefined>>>();
platform.Banner.get("read", "ab-1");
export declare const ofBanner: [platform.BannerArgs, platform.BannerState, platform.BannerAttributes];

export async function platformNow(): Promise<unknown[]> {
  const include: platform.WorkspaceInclude[] = ["organization", "organization.owners", "current_run"];
  const sort: platform.WorkspaceSort = "-current-run.created-at";
  const query: platform.WorkspaceQuery = { q: "a", currentRunStatus: ["errored"], sort, pageSize: 50, include };
  const listWorkspaces: platform.ListWorkspacesOptions = { ...query, connection: "production" };
  const list: platform.WorkspaceList = platform.listWorkspaces(listWorkspaces);
  const seen: platform.Workspace[] = [];
  for await (const each of list) seen.push(each);
  const counts: Record<string, number> = await list.statusCounts();
  const getOne: platform.GetWorkspaceOptions = { id: "ws-1", include: ["organization"] };
  const one: platform.Workspace = await platform.getWorkspace(getOne);
  const network: platform.Module = { organizationName: "acme", moduleName: "network", moduleProvider: "aws" };
  const module: platform.ListModuleVersionsOptions = network;
  const versions: platform.ModuleVersion[] = await platform.listModuleVersions(module);
  const getVersion: platform.GetModuleVersionOptions = { ...module, moduleVersion: "1.0.0", connection: "production" };
  const { deprecation, source } = await platform.getModuleVersion(getVersion);
  const texts: (string | undefined)[] = [one.currentRun?.status, one.path, deprecation?.reason, source];
  return [counts, texts, versions, seen];
}

export async function schedulerNow(signal: AbortSignal): Promise<unknown[]> {
  const consistency: scheduler.QueryOptions = { connection: "production", namespace: "*", region: "eu", stale: true };
  const team: scheduler.Selector = scheduler.filter("Meta", "team.name");
  const mine: scheduler.Filter = team.equals("web").and(scheduler.filter("Priority").notEquals(50)).or(team.isEmpty().not());
  const query: scheduler.ListOptions = { ...consistency, filter: mine, pageSize: 50, reverse: true, signal };
  const jobs: scheduler.List<scheduler.JobStub> = scheduler.listJobs(query);
  const page: scheduler.Page | undefined = jobs.page;
  const seen: [string, number, string[]][] = [];
  for await (const { Name, SubmitTime, Priority, Datacenters, JobSummary } of jobs) {
    const summary: scheduler.JobSummary = JobSummary;
    const running: number | undefined = summary.Summary[Name]?.Running;
    if (running) seen.push([SubmitTime, Priority, Datacenters]);
  }
  for await (const each of scheduler.listNodes({ filter: mine.toString() })) {
    const node: scheduler.NodeStub = each;
    if (node.Drain && node.Status === "ready" && node.Address) break;
  }
  for await (const { JobID, TaskGroups } of scheduler.listDeployments()) {
    const group: scheduler.DeploymentTaskGroup | undefined = TaskGroups[JobID];
    if (group && group.HealthyAllocs < group.DesiredTotal) break;
  }
  const server: scheduler.ServerOptions = { token: token.secretId, address: later, dialect: "hashicorp" };
  const owned: pulumi.Output<scheduler.JobStub[]> = scheduler.listJobs({ ...server, namespace: "*" }).output();
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
  const served = page && [page.index, page.lastContact, page.knownLeader];
  return [seen, owned, served, done?.Status, await scheduler.getAgentMembers(members), await scheduler.registerJob(registration)];
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
  const fault: Fault = { system: "secrets", method: "GET", path: /role/, nth: 2, times: 3, action: "respond", status: 503 };
  running.faults.add(fault);
  const platform: PlatformService = running.platform;
  const seed: Seed = { organizations: [{ name: "acme", owners: ["admin"] }], workspaces: [{ name: "web", organization: "acme" }] };
  platform.seed(seed);
  const mails: Mail[] = platform.mail.sent();
  const messages: TextMessage[] = platform.sms.sent();
  await running.close();
  return others.length + mails.length + messages.length > 0 ? running.env : {};
}

const dialect: Dialect = "hashicorp";
const server: Server = { address: "https://tfe.example.com", tokenFile: "token", dialect, allowAddressChange: true, previewReads: false };
const secretsDialect: SecretsDialect = "openbao";
const secretsServer: SecretsServer = { ...server, dialect: secretsDialect, namespace: "team", mount: "nomad", caCert: "ca.pem" };
const schedulerServer: SchedulerServer = { ...server, region: "eu", clientCert: "cert.pem", clientKey: "key.pem" };
const login: Login = { path: "auth/jwt/login", body: { role: "ci", jwt: { env: "ID_TOKEN" } } };
const loggingIn: SecretsServer = { address: "https://vault.example.com:8200", dialect: "openbao", login };
new Provider("in", { secrets: loggingIn });
const providerArgs: ProviderArgs = { secrets: secretsServer, platform: later.apply(() => server), scheduler: schedulerServer };
new secrets.SchedulerLease("elsewhere", { ttl: "1h" }, { provider: new Provider("other", providerArgs) });

// An "any" would pass all assertions above.
holds<Same<0 extends 1 & typeof role ? true : false, false>>();
holds<Same<0 extends 1 & typeof access.address ? true : false, false>>();
