import { Sandbox } from "../../sandbox/index";
import { Platform, platform } from "./platform";
import { sentBy } from "./sandbox";
import { Story } from "./story";
import { Target, targets } from "./target";

/** Runs a stack, in this process or with the command line. */
type NewProject<Driver> = (variables: Record<string, string>) => Driver;

/** A stack with the sandbox as the servers, and a new mount for its roles. */
export class Everything<Driver extends Story = Story> {
  readonly project: Driver;
  readonly platform: Platform;

  private constructor(
    readonly target: Target,
    readonly sandbox: Sandbox,
    readonly mount: string,
    newProject: NewProject<Driver>,
  ) {
    const { dialect, scheduler } = target;
    this.platform = platform(dialect, sandbox);
    this.project = newProject({ STEWARD_TOKEN: target.token, STEWARD_PLATFORM_TOKEN: sandbox.platform.token });
    this.project.with({ STEWARD_SCHEDULER: scheduler.address, STEWARD_SCHEDULER_TOKEN: scheduler.token, STEWARD_MOUNT: mount });
    this.project.config({
      "steward:default": {
        secrets: { address: target.address, tokenEnv: "STEWARD_TOKEN", dialect, mount },
        platform: { address: sandbox.platform.url, tokenEnv: "STEWARD_PLATFORM_TOKEN", dialect },
      },
    });
  }

  static async start<Driver extends Story>(dialect: Target["dialect"], newProject: NewProject<Driver>): Promise<Everything<Driver>> {
    const target = await (targets.find(({ name }) => name.includes(dialect)) as (typeof targets)[number]).start();
    const everything = new Everything(target, target.sandbox as Sandbox, await target.newMount(), newProject);
    await everything.platform.change("general", { apiRateLimitingEnabled: false });
    return everything;
  }

  async policies(role: string): Promise<unknown> {
    return (await this.target.outOfBand("GET", `${this.mount}/role/${role}`)).data?.policies;
  }

  /** The reason of a deprecated version of the module `network`. */
  async reason(version: string): Promise<unknown> {
    const { body } = await this.platform.outOfBand("GET", `/api/registry/v1/modules/acme/network/aws/${version}`);
    return (body as { deprecation?: { reason: string } }).deprecation?.reason;
  }

  async hasWorkspace(id: string): Promise<boolean> {
    return (await this.platform.outOfBand("GET", `/api/v2/admin/workspaces/${id}`)).status === 200;
  }

  /** The requests of an operation that are not reads, sorted, with the names of roles and versions. */
  async writes(operation: () => Promise<unknown>): Promise<string[]> {
    const { sent } = await sentBy(this.sandbox, operation);
    return sent
      .filter((request) => !request.startsWith("GET ") || request.includes("/creds/"))
      .map((request) => request.replace(/ .*(role|config|creds|aws|workspaces|admin)\//, " $1/"))
      .sort();
  }

  /** Rejects the next request of this kind. */
  refuse(method: string, path: RegExp, system: "secrets" | "platform" = "secrets"): void {
    const body = JSON.stringify({ errors: system === "secrets" ? ["permission denied"] : [{ status: "403", title: "forbidden" }] });
    this.sandbox.faults.add({ system, method, path, action: "respond", status: 403, body });
  }

  async stop(): Promise<void> {
    this.project.remove();
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
