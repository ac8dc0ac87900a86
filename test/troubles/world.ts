import type { Sandbox } from "../../sandbox";
import { Clock } from "../../sandbox/clock";
import { createPlatform, Platform } from "../../sandbox/platform";
import { hashicorp as realPlatform, standard as standardPlatform } from "../../sandbox/platform/dialect";
import { valuesOf } from "../../sandbox/platform/settings";
import { createScheduler, Scheduler } from "../../sandbox/scheduler";
import { hashicorp as realScheduler, standard as standardScheduler } from "../../sandbox/scheduler/dialect";
import { createSecrets, Secrets } from "../../sandbox/secrets";
import { hashicorp as realSecrets, standard as standardSecrets } from "../../sandbox/secrets/dialect";
import { Mount } from "../../sandbox/secrets/records";
import { createKey } from "../../sandbox/secrets/seal";
import { Context } from "../cases/case";
import { attributeName, settingsName } from "../support/platform";

export type Dialect = "standard" | "hashicorp";
export type ServerName = "home" | "other";

export const secondMount = "second";
/** The owner of objects that no program declares. */
const theirs = "theirs";

/** The addresses of the servers or, without sockets, their fictional ones. */
export type Origins = Record<ServerName | "platform" | "scheduler", string>;
const seeming: Origins = {
  home: "http://localhost:8201",
  other: "http://localhost:8202",
  platform: "http://localhost:8203",
  scheduler: "http://localhost:8204",
};

export type Serve = (request: Request) => Response | Promise<Response>;

/** The servers: two Vaults, a platform and a scheduler. */
export class World {
  origins: Origins = seeming;
  /** The objects that only a case can read, and their states. */
  watched: readonly (readonly [key: string, read: () => Promise<string | undefined>])[] = [];

  private constructor(
    readonly dialect: Dialect,
    readonly secrets: Record<ServerName, Secrets>,
    readonly platform: Platform,
    readonly scheduler: Scheduler,
    private readonly schedulerPeer: { url: string },
  ) {}

  static async create(dialect: Dialect): Promise<World> {
    const isReal = dialect === "hashicorp";
    const clock = new Clock();
    const scheduler = createScheduler(isReal ? realScheduler : standardScheduler, clock);
    const schedulerPeer = { url: seeming.scheduler, ...scheduler.tokens };
    const secrets = async (): Promise<Secrets> =>
      createSecrets(isReal ? realSecrets : standardSecrets, clock, schedulerPeer, await createKey(1, 1));
    return new World(
      dialect,
      { home: await secrets(), other: await secrets() },
      createPlatform(isReal ? realPlatform : standardPlatform, clock),
      scheduler,
      schedulerPeer,
    );
  }

  serving(): Map<keyof Origins, Serve> {
    const { home, other } = this.secrets;
    return new Map<keyof Origins, Serve>([
      ["home", home.fetch],
      ["other", other.fetch],
      ["platform", (request) => this.platform.app.fetch(request)],
    ]);
  }

  /** Sets the addresses at which the servers listen. */
  moveTo(origins: Origins): void {
    this.origins = origins;
    this.schedulerPeer.url = origins.scheduler;
  }

  get mount(): string {
    return this.dialect === "standard" ? "scheduler" : "nomad";
  }

  reset(): void {
    this.watched = [];
    for (const { records, reset } of Object.values(this.secrets)) {
      reset();
      records.mount(secondMount, "");
      for (const mount of records.mounts.values()) mount.roles.set(theirs, { policies: [theirs], global: true, type: "client" });
    }
    this.platform.reset();
    this.scheduler.reset();
    const settings = { "api-rate-limiting-enabled": false, "limit-user-organization-creation": true };
    this.platform.records.settings.set("general-settings", settings);
  }

  /** The stack's configuration. `twin` is another name for the server of `default`. */
  config(): Record<string, object> {
    const connection = (server: ServerName): object => ({
      secrets: { address: this.origins[server], token: this.secrets[server].records.token, dialect: this.dialect },
      platform: { address: this.origins.platform, token: this.platform.records.token, dialect: this.dialect },
    });
    return { "steward:default": connection("home"), "steward:twin": connection("home"), "steward:other": connection("other") };
  }

  /** The servers of a case, at one of the places. */
  contextAt(server: ServerName, mount: string = this.mount): Context {
    const { platform, scheduler, dialect } = this;
    const service = { url: this.origins.scheduler, token: scheduler.records.token };
    return {
      dialect,
      mount,
      sandbox: { scheduler: service, platform: platform.service(this.origins.platform) } as unknown as Sandbox,
      outOfBand: async (system, method, path, body) => {
        const { token } = system === "platform" ? platform.records : this.secrets[server].records;
        const type = system === "platform" ? "application/vnd.api+json" : "application/json";
        const headers = { authorization: `Bearer ${token}`, "x-secrets-token": token, "x-vault-token": token, "content-type": type };
        const serve = this.serving().get(system === "platform" ? "platform" : server) as Serve;
        const response = await serve(new Request(this.origins[server] + path, { method, headers, body: body && JSON.stringify(body) }));
        if (method !== "GET" && !response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        return response.ok && method === "GET" ? response.json() : response.status;
      },
    };
  }

  /** The objects of all resources on the servers by name, without values that cannot be read. */
  async held(): Promise<Map<string, string>> {
    const held = new Map<string, string>();
    const states = await Promise.all(this.watched.map(async ([key, read]) => [key, await read()] as const));
    for (const [key, state] of states) if (state !== undefined) held.set(key, state);
    for (const [server, { records }] of Object.entries(this.secrets))
      for (const mount of records.mounts.values()) {
        const at = `${server}/${mount.path}`;
        for (const [name, role] of mount.roles) held.set(`${at}role/${name}`, role.policies.join());
        if (mount.access?.address) held.set(`${at}access`, String(mount.access.maxTokenNameLength));
        if (mount.lease) held.set(`${at}lease`, String(mount.lease.ttl));
      }
    const { records, settings } = this.platform;
    for (const each of settings)
      for (const [name, value] of Object.entries(valuesOf(records, each))) {
        if (each.attributes[name]?.only !== "writes") held.set(`${settingsName(each.id)}/${attributeName(name)}`, String(value));
      }
    for (const { id } of records.workspaces.values()) held.set(`workspace/${id}`, "there");
    for (const module of records.modules)
      for (const [version, { deprecation }] of module.versions)
        if (deprecation) held.set(`deprecation/${module.name}/${version}`, deprecation.reason);
    return held;
  }

  mountOf(server: ServerName, mount: string): Mount {
    return this.secrets[server].records.mounts.get(`${mount}/`) as Mount;
  }

  /** The generated tokens that are valid. */
  liveTokens(): string[] {
    return Object.values(this.secrets).flatMap(({ records }) => [...records.leases.values()].map(({ accessor }) => accessor));
  }
}
