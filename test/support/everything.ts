import { Sandbox } from "../../sandbox/index";
import { Gateway, Passing, startGateway } from "./gateway";
import { Platform, platform } from "./platform";
import { Run } from "./project";
import { Story } from "./story";
import { Target, targets } from "./target";

/** The options of the declared resources. */
export interface Declaration {
  /** The suffix of each resource's name in the program. */
  name: string;
  /** @default true */
  adopt?: boolean;
  /** Declares the resources as children of a component. */
  inComponent?: boolean;
  /** The policies of an unrelated role, which is written after all others. Undefined: the role is not declared. */
  sibling?: string;
  /** @default "Old." */
  reason?: string;
  /** The rest of the program, in which `all` are the resources. */
  more?: string;
}

const workspace = "/api/v2/admin/workspaces/ws-acmeNetworkTest";
const version = "/api/registry/v1/modules/acme/network/aws/1.0.0";

const engine = "(scheduler|Nomad)";

/** The objects of each resource on the servers, as patterns of the names in messages. */
const held = (mount: string): Record<string, string> => ({
  access: `${engine} access configuration "${mount}"`,
  lease: `${engine} lease configuration "${mount}"`,
  role: `${engine} role "web"`,
  roles: `${engine} roles at mount "${mount}"`,
  general: 'general settings "general"',
  workspace: 'workspace "ws-acmeNetworkTest"',
  deprecation: 'module version deprecation "acme/network/aws/1.0.0"',
});

/** Expects a message for each object that the old resource keeps for the new one, and for values that can no longer be restored. */
export function expectKept({ output }: Run, mount: string): void {
  const warnings = output
    .split("\n")
    .filter((line) => /^\s*warning: /.test(line))
    .join("\n");
  for (const name of Object.values(held(mount))) expect(warnings).toMatch(new RegExp(`warning: ${name}: `));
  expect(warnings).toMatch(/general settings "general": .*apiRateLimit/);
}

/** Runs a stack, in this process or with the command line. */
type NewProject<Driver> = (variables: Record<string, string>) => Driver;

/** One resource of each type with an object on a server, in one stack, with the sandbox as the servers. */
export class Everything<Driver extends Story = Story> {
  readonly project: Driver;
  readonly platform: Platform;
  /** Every generated token. */
  readonly tokens: string[] = [];
  /** The fault of a request to Vault. */
  interrupt: Gateway["interrupt"];

  private constructor(
    readonly target: Target,
    readonly sandbox: Sandbox,
    readonly gateway: Gateway,
    readonly mount: string,
    newProject: NewProject<Driver>,
  ) {
    const { dialect } = target;
    this.platform = platform(dialect, sandbox);
    this.project = newProject({ STEWARD_TOKEN: target.token, STEWARD_PLATFORM_TOKEN: sandbox.platform.token });
    const { scheduler } = target;
    this.project.with({ STEWARD_SCHEDULER: scheduler.address, STEWARD_SCHEDULER_TOKEN: scheduler.token, STEWARD_MOUNT: mount });
    this.project.config({
      "steward:default": {
        secrets: { address: gateway.url, tokenEnv: "STEWARD_TOKEN", dialect, mount },
        platform: { address: sandbox.platform.url, tokenEnv: "STEWARD_PLATFORM_TOKEN", dialect },
      },
    });
    gateway.interrupt = (passing) =>
      this.interrupt?.(passing) ??
      (passing.path.includes("/creds/") ? { when: "after", answer: (body) => this.generated(body) } : undefined);
  }

  static async start<Driver extends Story>(dialect: Target["dialect"], newProject: NewProject<Driver>): Promise<Everything<Driver>> {
    const target = await (targets.find(({ name }) => name.includes(dialect)) as (typeof targets)[number]).start();
    const everything = new Everything(
      target,
      target.sandbox as Sandbox,
      await startGateway(target.address),
      await target.newMount(),
      newProject,
    );
    await everything.platform.change("general", { apiRateLimitingEnabled: false });
    return everything;
  }

  private generated(body: string): string {
    this.tokens.push(JSON.parse(body).data.secret_id);
    return body;
  }

  /** The program that declares the resources. */
  declare({ name, adopt = true, inComponent = false, sibling, reason = "Old.", more = "" }: Declaration): Driver {
    const takeOver = adopt ? "adopt: true" : "";
    this.project.program(`
      class Home extends pulumi.ComponentResource { constructor(name) { super("test:Home", name); } }
      const opts = ${inComponent ? `{ parent: new Home("home") }` : "{}"};
      const { STEWARD_SCHEDULER: address, STEWARD_SCHEDULER_TOKEN: token } = process.env;
      const access = new secrets.SchedulerAccess("access${name}", { address, token, ${takeOver} }, opts);
      const role = new secrets.SchedulerRole("web${name}", { name: "web", policies: ["readonly"], ${takeOver} }, opts);
      const all = [
        access,
        role,
        new secrets.SchedulerLease("lease${name}", { ttl: "1h", maxTtl: "24h", ${takeOver} }, opts),
        new secrets.SchedulerRoles("set${name}", { roles: { a: { policies: ["one", "two"] }, b: { policies: ["two"] } }, ${takeOver} }, opts),
        new secrets.SchedulerToken("token${name}", { role: role.name }, { ...opts, dependsOn: access }),
        new platform.GeneralSettings("general${name}", { apiRateLimit: 100 }, opts),
        new platform.AdminWorkspace("workspace${name}", { workspaceId: "ws-acmeNetworkTest", destroyOnDelete: true }, opts),
        new platform.ModuleVersionDeprecation("deprecation${name}", { organizationName: "acme", moduleName: "network", moduleProvider: "aws",
          moduleVersion: "1.0.0", reason: ${JSON.stringify(reason)}, ${takeOver} }, opts),
      ];
      ${sibling ? `new secrets.SchedulerRole("sibling", { name: "sibling", policies: ["${sibling}"] }, { dependsOn: all });` : ""}
      ${more}`);
    return this.project;
  }

  /** The objects on the servers. */
  async held(): Promise<Record<string, unknown>> {
    const { outOfBand, dialect } = this.target;
    const names = (await outOfBand("GET", `${this.mount}/role?list=true`)).data?.keys as string[] | undefined;
    const roles = await Promise.all((names ?? []).map(async (name) => [name, await this.policies(name)]));
    const lease = (await outOfBand("GET", `${this.mount}/config/lease`)).data;
    const access = (await outOfBand("GET", `${this.mount}/config/access`)).data;
    const { body } = await this.platform.outOfBand("GET", version);
    return {
      access: access?.address || undefined,
      lease: lease && [lease.ttl, lease.max_ttl],
      roles: Object.fromEntries(roles),
      apiRateLimit: (await this.platform.held("general")).apiRateLimit,
      workspace: (await this.platform.outOfBand("GET", workspace)).status,
      deprecation: (body as { deprecation?: { reason: string } | null }).deprecation?.reason,
      // Without leases, tokens cannot be revoked.
      tokens: dialect === "hashicorp" ? await this.liveTokens() : undefined,
    };
  }

  /** The expected objects on the servers. */
  declared({ sibling, reason = "Old." }: Partial<Declaration> = {}): Record<string, unknown> {
    return {
      access: this.target.scheduler.address,
      lease: [3600, 86400],
      roles: { a: ["one", "two"], b: ["two"], ...(sibling ? { sibling: [sibling] } : {}), web: ["readonly"] },
      apiRateLimit: 100,
      workspace: 200,
      deprecation: reason,
      tokens: this.target.dialect === "hashicorp" ? 1 : undefined,
    };
  }

  /** The objects on the servers after destroy. The workspace is deleted permanently. */
  gone({ apiRateLimit }: { apiRateLimit: number }): Record<string, unknown> {
    const tokens = this.target.dialect === "hashicorp" ? 0 : undefined;
    return { access: undefined, lease: undefined, roles: {}, apiRateLimit, workspace: 404, deprecation: undefined, tokens };
  }

  async policies(role: string): Promise<unknown> {
    return (await this.target.outOfBand("GET", `${this.mount}/role/${role}`)).data?.policies;
  }

  /** The requests of an operation that are not reads, sorted, with the names of roles and versions. */
  async writes(operation: () => Promise<unknown>): Promise<string[]> {
    const before = this.sandbox.requests().length;
    await operation();
    return this.sandbox
      .requests()
      .slice(before)
      .filter(({ method, path }) => method !== "GET" || path.includes("/creds/"))
      .map(({ method, path }) => `${method} ${path.replace(/^.*(role|config|creds|aws|workspaces|admin)\//, "$1/")}`)
      .sort();
  }

  private async liveTokens(): Promise<number> {
    const { address } = this.target.scheduler;
    const statuses = this.tokens.map(
      async (token) => (await fetch(`${address}/v1/jobs`, { headers: { "x-nomad-token": token, "x-scheduler-token": token } })).status,
    );
    return (await Promise.all(statuses)).filter((status) => status === 200).length;
  }

  /** Rejects the next request of this kind. */
  refuse(method: string, path: RegExp, system: "secrets" | "platform" = "secrets"): void {
    const body = JSON.stringify({ errors: system === "secrets" ? ["permission denied"] : [{ status: "403", title: "forbidden" }] });
    this.sandbox.faults.add({ system, method, path, action: "respond", status: 403, body });
  }

  /** Runs an `up` that receives one Ctrl-C during a request. */
  async interruptedUp(at: (passing: Passing) => boolean): Promise<Run> {
    const { run, interrupt } = await this.project.interruptible("up", "--yes", "--skip-preview");
    let isSent = false;
    this.interrupt = (passing) => {
      if (isSent || !at(passing)) return undefined;
      isSent = true;
      return { when: "after", act: interrupt, answer: (body) => body };
    };
    const ended = await run;
    if (!isSent) throw new Error(`no such request was sent:\n${ended.output}`);
    return ended;
  }

  async stop(): Promise<void> {
    this.project.remove();
    await this.gateway.close();
    await this.target.stop();
  }
}

/** Starts one for each test of a suite, or one for all tests, and stops it. */
export function everythingPer<Driver extends Story>(span: "test" | "suite", newProject: NewProject<Driver>): () => Everything<Driver> {
  let everything: Everything<Driver>;
  const [before, after] = span === "suite" ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    everything = await Everything.start("hashicorp", newProject);
  });
  after(() => everything.stop());
  return () => everything;
}
