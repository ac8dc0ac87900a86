import { Clock } from "./clock";
import { Faults } from "./faults";
import { Log } from "./log";
import type { Page } from "./page";
import { listenPage } from "./page";
import { createPlatform } from "./platform";
import * as platformDialects from "./platform/dialect";
import { applySeed } from "./platform/seed";
import { createScheduler } from "./scheduler";
import * as schedulerDialects from "./scheduler/dialect";
import type { SchedulerService } from "./scheduler/service";
import { createSecrets } from "./secrets";
import { hashicorp, standard } from "./secrets/dialect";
import { createKey, opens } from "./secrets/seal";
import type { Server } from "./server";
import { listen } from "./server";

export type {
  SchedulerMember,
  SchedulerPlace,
  SchedulerPolicy,
  SchedulerRecord,
  SchedulerRecords,
  SchedulerSeed,
  SchedulerService,
  SchedulerTokenRequest,
} from "./scheduler/service";

/** One of the three services: where it listens, and a token that may do everything there. */
export interface Service {
  /** Scheme, address and port, without a slash at the end. */
  url: string;
  /** Stays the same after a reset. */
  token: string;
}

/** Something that goes wrong on purpose, for the requests that match it. */
export interface Fault {
  /** The service whose requests are counted. */
  system: "secrets" | "platform" | "scheduler";
  /** The verb, in any case. Any verb when omitted. */
  method?: string;
  /** A text is the whole path, with its query or without; an expression searches the path with its query. */
  path: RegExp | string;
  /**
   * Which matching request: 1 is the next.
   * @default 1
   */
  nth?: number;
  /**
   * How many matching requests from there on.
   * @default 1
   */
  times?: number;
  /**
   * What happens.
   * - `refuse`: the connection is destroyed at once; nothing is applied.
   * - `drop-before`: the request is read, nothing is applied, the connection is destroyed.
   * - `drop-after`: the request is applied, and its answer is lost.
   * - `delay`: the request waits `delayMs`, then goes on as usual.
   * - `respond`: `status` (500), `body` and `headers` are the answer; nothing is applied.
   * - `truncate`: the request is applied; its answer stops in the middle of the body.
   * - `redirect`: the answer is `status` (307) with `headers.location`; nothing is applied.
   * - `huge`: the answer is a body of 50 MB that begins like JSON; nothing is applied.
   */
  action: "refuse" | "drop-before" | "drop-after" | "delay" | "respond" | "truncate" | "redirect" | "huge";
  /** The status of `respond` (500), `redirect` (307) and `huge` (200). */
  status?: number;
  /** The body of `respond`. */
  body?: string;
  /** Headers of `respond`, `redirect` and `huge`; a redirect needs `location`. */
  headers?: Record<string, string>;
  /** How long `delay` waits, in real milliseconds: the sandbox's clock does not shorten it. */
  delayMs?: number;
}

/** How the sandbox starts. */
export interface Options {
  /**
   * Whose names and answers: the specifications' ("standard"), or those of the real products ("hashicorp").
   * @default "standard"
   */
  dialect?: "standard" | "hashicorp";
  /**
   * First of four ports, in the order secrets, platform, scheduler, page. 0 takes free ones.
   * @default 0
   */
  port?: number;
  /**
   * How many shares unseal the secrets service. With 1, the share is the key itself.
   * @default 5
   */
  unsealShares?: number;
  /**
   * How many of them are needed.
   * @default 3, or all of fewer shares
   */
  unsealThreshold?: number;
  /**
   * "stored": the key is kept by the seal, as with a key management service, and the shares only authorize a rekey.
   * @default "shamir"
   */
  seal?: "shamir" | "stored";
}

/**
 * The service's own unseal shares, and ways to be an unkind operator. Shares are given in base64 or hex.
 *
 * Its scheduler engine makes tokens that work in the sandbox's scheduler, where the access configuration has that one's address and a management token.
 * They end, by the sandbox's clock, with their lease or with the token that asked for them, and with the mount.
 */
export interface SecretsService extends Service {
  /** The live shares, in base64. Those of a rekey, too, whether it encrypted them or not. */
  shares: string[];
  /** How many of them open it. */
  threshold: number;
  /** Are these the live shares? Disturbs nothing. */
  opens(shares: string[]): Promise<boolean>;
  /** From now on every route answers 503, but for those that end it; an attempt at a rekey is lost. */
  seal(): Promise<void>;
  /** Ends the seal. false: these shares do not open it, and nothing changes. */
  unseal(shares: string[]): Promise<boolean>;
  /** The active node changes: an attempt in memory is lost, and so is every open connection. */
  failover(): Promise<void>;
}

/** A test mail that arrived. Never a password. */
export interface Mail {
  to: string;
  /** Empty where the settings name none. */
  sender: string;
  host: string;
  at: Date;
}

/** A test message that arrived. */
export interface TextMessage {
  to: string;
  from: string;
  at: Date;
}

/** What the platform should hold. An organization that a workspace or a module names is created where it does not exist. */
export interface Seed {
  organizations?: {
    name: string;
    /** Names of users. The token is of the user "admin", the member's token of "member". @default ["admin"] */
    owners?: string[];
  }[];
  workspaces?: {
    /** @default that of the workspace of this name, or a new one */
    id?: string;
    name: string;
    organization: string;
    /** @default false */
    locked?: boolean;
    /** Such as "acme/network". Without one, the workspace is connected to no repository. */
    vcsRepoIdentifier?: string;
    /** The current run. */
    run?: { id?: string; status: string; createdAt?: Date };
  }[];
  modules?: {
    /** The organization that owns it. */
    namespace: string;
    name: string;
    provider: string;
    description?: string;
    /** A version that is no longer named is gone; one that stays keeps its deprecation. */
    versions: string[];
  }[];
}

/**
 * The platform, with what happens behind its API.
 *
 * It starts with the organizations `acme`, owned by the administrator, and `globex`, owned by the member;
 * the workspaces `ws-acmeNetworkProd` (network-prod: applied, from the repository acme/network), `ws-acmeNetworkTest` (network-test: never run),
 * `ws-acmeDataProd` (data-prod: locked, planning) and `ws-globexWebsite` (website: errored, from globex/website); and the modules `acme/network/aws`
 * (1.0.0, 1.0.0+build.5, 1.1.0, 2.0.0-rc.1, 2.0.0) and `globex/website/google` (0.1.0).
 */
export interface PlatformService extends Service {
  /** A token of a user who is not an administrator. Stays the same after a reset. */
  memberToken: string;
  /** Where test mails end. */
  mail: {
    sent(): Mail[];
    /** From now on every test mail ends so. `stored`: are the settings kept all the same? (false) */
    fail(status: 401 | 500 | 504, options?: { stored?: boolean }): void;
    /** Delivers again. */
    work(): void;
  };
  /** Where test messages end. */
  sms: {
    sent(): TextMessage[];
    /** From now on every test message is refused. */
    fail(): void;
    /** Delivers again. */
    work(): void;
  };
  /** The OIDC signing keys, oldest first. */
  signingKeys(): { kid: string; createdAt: Date }[];
  /** Adds, or replaces what has the same identity: an organization's name, a workspace's id, a module's namespace, name and provider. */
  seed(content: Seed): void;
  /** What the service appends to the reason of every version deprecated from now on; "" at the start. */
  appendToReasons(text: string): void;
}

/** The three services, running in this process on 127.0.0.1. */
export interface Sandbox {
  secrets: SecretsService;
  platform: PlatformService;
  scheduler: SchedulerService;
  /** The address of a page for the browser that shows, as it changes, what the three hold and what was asked of them: read-only, and without secrets. */
  page: string;
  /** The variables a child process needs to reach all three. */
  env: Record<string, string>;
  /** Every request so far, in the order of arrival. `path` has its query; `status` is 0 where no answer was sent; `at` is the clock's. */
  requests(): { system: string; method: string; path: string; status: number; at: number }[];
  faults: {
    /** Begins to count matching requests now. */
    add(fault: Fault): void;
    clear(): void;
  };
  /** The time that everything in the sandbox goes by: token lifetimes, the log, the Date of an answer. */
  clock: { now(): Date; advance(ms: number): void };
  /** Back to the state after `start`: records, log, faults and clock. Addresses, tokens and shares stay. */
  reset(): Promise<void>;
  /** Closes every socket; nothing is left running. */
  close(): Promise<void>;
}

const known = ["dialect", "port", "unsealShares", "unsealThreshold", "seal"];

/**
 * Starts the three services on loopback ports.
 *
 * ```ts
 * const sandbox = await start({ dialect: "hashicorp" });
 * const child = spawn("pulumi", ["up"], { env: { ...process.env, ...sandbox.env } });
 * // …
 * await sandbox.close();
 * ```
 */
export async function start(options: Options = {}): Promise<Sandbox> {
  const { dialect: name = "standard", port = 0, unsealShares = 5 } = options;
  const { unsealThreshold = Math.min(3, unsealShares), seal = "shamir" } = options;
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown) throw new TypeError(`Unknown option "${unknown}". Known: ${known.join(", ")}.`);
  if (name !== "standard" && name !== "hashicorp") throw new TypeError('dialect is "standard" or "hashicorp".');
  if (seal !== "shamir" && seal !== "stored") throw new TypeError('seal is "shamir" or "stored".');
  if (!Number.isInteger(port) || port < 0 || port > 65_532) throw new RangeError("port is a whole number from 0 to 65532.");
  if (!Number.isInteger(unsealShares) || unsealShares < 1 || unsealShares > 255) throw new RangeError("unsealShares is from 1 to 255.");
  const least = unsealShares === 1 ? 1 : 2;
  if (!Number.isInteger(unsealThreshold) || unsealThreshold < least || unsealThreshold > unsealShares)
    throw new RangeError(`unsealThreshold is from ${least} to unsealShares (${unsealShares}).`);

  const real = name === "hashicorp";
  const clock = new Clock();
  const log = new Log(clock);
  const faults = new Faults();
  const platform = createPlatform(real ? platformDialects.hashicorp : platformDialects.standard, clock);
  const scheduler = createScheduler(real ? schedulerDialects.hashicorp : schedulerDialects.standard, clock);
  const neighbour = { url: "", ...scheduler.tokens };
  const key = await createKey(unsealShares, unsealThreshold);
  const secrets = createSecrets(real ? hashicorp : standard, clock, neighbour, key, seal);
  const systems = [
    { name: "secrets" as const, fetch: secrets.fetch },
    { name: "platform" as const, fetch: platform.app.fetch },
    {
      name: "scheduler" as const,
      fetch: (request: Request) => {
        // A token that the secrets service made is over on time, even where nobody asks that service any more.
        secrets.expire();
        return scheduler.fetch(request);
      },
    },
  ];
  const servers: Server[] = [];
  let page: Page | undefined;
  const close = async (): Promise<void> => {
    // Whoever waits for a change is not left waiting.
    scheduler.records.end();
    await Promise.all([...servers, page].map((server) => server?.close()));
  };
  try {
    for (const [index, system] of systems.entries())
      servers.push(await listen(system, port === 0 ? 0 : port + index, { log, faults, clock }));
    const [secretsUrl, platformUrl, schedulerUrl] = servers.map(({ url }) => url) as [string, string, string];
    page = await listenPage(
      {
        log,
        clock,
        secrets: { records: secrets.records, url: secretsUrl },
        platform: { ...platform, url: platformUrl },
        scheduler: { records: scheduler.records, url: schedulerUrl },
      },
      port === 0 ? 0 : port + servers.length,
    );
  } catch (error) {
    await close();
    throw error;
  }
  const [secretsServer, platformServer, schedulerServer] = servers as [Server, Server, Server];
  neighbour.url = schedulerServer.url;
  const { records } = secrets;
  const names = real
    ? ["VAULT_ADDR", "VAULT_TOKEN", "TFE_ADDRESS", "TFE_TOKEN", "NOMAD_ADDR", "NOMAD_TOKEN"]
    : ["SECRETS_ADDR", "SECRETS_TOKEN", "PLATFORM_ADDR", "PLATFORM_TOKEN", "SCHEDULER_ADDR", "SCHEDULER_TOKEN"];
  const values = [
    secretsServer.url,
    secrets.token,
    platformServer.url,
    platform.records.token,
    schedulerServer.url,
    scheduler.records.token,
  ];

  return {
    secrets: {
      url: secretsServer.url,
      token: secrets.token,
      get shares(): string[] {
        return [...records.key.shares];
      },
      get threshold(): number {
        return records.key.threshold;
      },
      opens: (shares) => opens(records.key, shares),
      async seal() {
        await records.alone(() => {
          records.sealed = true;
          records.forget();
        });
      },
      async unseal(shares) {
        return records.alone(async () => {
          if (!(await opens(records.key, shares))) return false;
          records.sealed = false;
          records.unsealing = undefined;
          return true;
        });
      },
      async failover() {
        await records.alone(() => records.forget());
        secretsServer.drop();
      },
    },
    platform: {
      url: platformServer.url,
      token: platform.records.token,
      memberToken: platform.records.memberToken,
      mail: {
        sent: () => platform.records.mail.sent(),
        fail: (status, how) => platform.records.mail.fail(status, how),
        work: () => platform.records.mail.work(),
      },
      sms: {
        sent: () => platform.records.sms.sent(),
        fail: () => platform.records.sms.fail(),
        work: () => platform.records.sms.work(),
      },
      signingKeys: () => platform.records.keys.list().map(({ kid, createdAt }) => ({ kid, createdAt: new Date(createdAt) })),
      seed: (content) => applySeed(platform.records, content, clock.now()),
      appendToReasons(text) {
        platform.records.suffix = text;
      },
    },
    scheduler: scheduler.service(schedulerServer.url),
    page: page.url,
    env: Object.fromEntries(names.map((variable, index) => [variable, values[index]!])),
    requests: () => log.entries(),
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    clock: { now: () => clock.now(), advance: (ms) => clock.advance(ms) },
    async reset() {
      // Not in the middle of a rekey's request, which would write what it made into the records of afterwards.
      await records.alone(() => {
        // The clock first: what the records hold is dated by it.
        for (const part of [clock, records, platform.records, scheduler.records, log]) part.reset();
        faults.clear();
      });
    },
    close,
  };
}
