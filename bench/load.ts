import { spawnSync } from "node:child_process";
import { Sandbox, start } from "../sandbox/index";
import { say } from "../tools/command";
import { inTemporaryFolder } from "./measure";
import { Operation, operations, pulumiProject } from "./pulumi";
import { fixed, table, whole } from "./table";

const roles = 900;
const tokens = 60;
const workspaces = 100;
const modules = 46;
const versions = 20;

export interface Load {
  resources: number;
  report: string;
}

/** A program with two thousand resources of all kinds. */
const source = `const { platform, secrets } = require("pulumi-steward");
const access = new secrets.SchedulerAccess("access", { address: process.env.SCHEDULER_ADDR, token: process.env.SCHEDULER_TOKEN });
const after = { dependsOn: access };
new secrets.SchedulerLease("lease", { ttl: "1h" }, after);
new secrets.SchedulerRoles("roles", { roles: { one: { policies: ["readonly"] }, two: { policies: ["readonly"] } } }, after);
const roles = [];
for (let index = 0; index < ${roles}; index++)
  roles.push(new secrets.SchedulerRole("role-" + index, { name: "role-" + index, policies: ["readonly"] }, after));
for (let index = 0; index < ${tokens}; index++) new secrets.SchedulerToken("token-" + index, { role: roles[index].name }, after);
const currentShares = ["SHARE_1", "SHARE_2", "SHARE_3"].map((env) => ({ env }));
new secrets.Rekey("unseal", { secretShares: 5, secretThreshold: 3, currentShares, keepSharesInState: true, discardShares: true });
new platform.GeneralSettings("general", { limitUserOrganizationCreation: false });
new platform.CostEstimationSettings("cost", { cloudAAccessKeyId: "a", cloudASecretKey: "b" });
const saml = new platform.SamlSettings("saml", { debug: true });
new platform.SamlCertificateRevocation("revocation", {}, { dependsOn: saml });
new platform.SmtpSettings("smtp", { host: "mail.example.com", port: 25, sender: "platform@example.com", enabled: true });
const sms = new platform.SmsSettings("sms", { enabled: true, accountSid: "AC1", authToken: "t", fromNumber: "+15550100" });
new platform.SmsVerification("message", { testNumber: "+15550123" }, { dependsOn: sms });
new platform.CustomizationSettings("texts", { footer: "bench" });
const rotation = new platform.OidcKeyRotation("rotation");
new platform.OidcKeyTrim("trim", {}, { dependsOn: rotation });
for (let index = 0; index < ${workspaces}; index++) new platform.AdminWorkspace("workspace-" + index, { workspaceId: "ws-" + index });
for (let module = 0; module < ${modules}; module++)
  for (let version = 0; version < ${versions}; version++)
    new platform.ModuleVersionDeprecation(module + "-" + version, {
      organizationName: "acme",
      moduleName: "module-" + module,
      moduleProvider: "aws",
      moduleVersion: "1." + version + ".0",
      reason: "Use 2.0.0.",
    });
`;

/** Access, lease, set of roles, rekey with its parts, six settings, four actions, and the numerous resources. */
const resources = 3 + 4 + 6 + 4 + roles + tokens + workspaces + modules * versions;

/** Deploys two thousand resources of all kinds on a sandbox with the platform's default rate limit. */
export async function load(): Promise<Load> {
  const sandbox = await start();
  try {
    seed(sandbox);
    return await inTemporaryFolder(async (folder) => {
      const shares = Object.fromEntries(sandbox.secrets.shares.map((share, index) => [`SHARE_${index + 1}`, share]));
      const project = await pulumiProject(folder, source, { ...sandbox.env, ...shares });
      const measured: Record<string, Record<Operation, number>> = { seconds: zero(), requests: zero(), retries: zero(), memory: zero() };
      for (const operation of operations) {
        say(`${resources} resources of all kinds: ${operation}`);
        const before = sandbox.requests().length;
        const watch = watchMemory();
        try {
          measured.seconds![operation] = await project[operation]();
        } finally {
          measured.memory![operation] = watch.peak();
        }
        const sent = sandbox.requests().slice(before);
        measured.requests![operation] = sent.length;
        measured.retries![operation] = sent.filter(({ status }) => status === 429).length;
      }
      const row = (title: string, of: string, show: (value: number) => string): string[] => [
        title,
        ...operations.map((operation) => show(measured[of]![operation])),
      ];
      const report = table(
        ["", ...operations],
        [
          row("seconds", "seconds", fixed),
          row("requests", "requests", whole),
          row("of these answered 429 and retried", "retries", whole),
          row("peak memory of the provider's process, MB", "memory", whole),
        ],
      );
      return { resources, report };
    });
  } finally {
    await sandbox.close();
  }
}

const zero = (): Record<Operation, number> => ({ create: 0, preview: 0, refresh: 0, destroy: 0 });

function seed(sandbox: Sandbox): void {
  const names = Array.from({ length: versions }, (_, index) => `1.${index}.0`);
  sandbox.platform.seed({
    modules: Array.from({ length: modules }, (_, index) => ({
      namespace: "acme",
      name: `module-${index}`,
      provider: "aws",
      versions: names,
    })),
    workspaces: Array.from({ length: workspaces }, (_, index) => ({ id: `ws-${index}`, name: `workspace-${index}`, organization: "acme" })),
  });
}

/** Polls the memory of the provider's process, which is a child of the engine. No other Pulumi may run meanwhile. */
function watchMemory(): { peak(): number } {
  let peak = 0;
  const look = (): void => {
    const { stdout } = spawnSync("ps", ["-A", "-o", "rss=,args="], { encoding: "utf8" });
    for (const line of stdout.split("\n"))
      if (/cmd\/dynamic-provider\/?/.test(line)) peak = Math.max(peak, Number.parseInt(line.trim(), 10) / 1024);
  };
  const timer = setInterval(look, 500);
  return {
    peak() {
      clearInterval(timer);
      return peak;
    },
  };
}
