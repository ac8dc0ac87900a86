import { Clock } from "./clock";
import { Fault, Faults } from "./faults";
import { Log } from "./log";
import { checkOptions, Options } from "./options";
import { listenPage } from "./page";
import { createPlatform } from "./platform";
import * as platformDialects from "./platform/dialect";
import { PlatformService } from "./platform/service";
import { createScheduler } from "./scheduler";
import * as schedulerDialects from "./scheduler/dialect";
import { SchedulerService } from "./scheduler/service";
import { createSecrets } from "./secrets";
import * as secretsDialects from "./secrets/dialect";
import { createKey } from "./secrets/seal";
import { SecretsService } from "./secrets/service";
import { Listener, listen, Server } from "./server";

export type { Fault } from "./faults";
export type { Options } from "./options";
export type { Mail, PlatformService, Seed, TextMessage } from "./platform/service";
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
export type { SecretsService } from "./secrets/service";
export type { Service } from "./service";

/** The three services, which run in this process on 127.0.0.1. */
export interface Sandbox {
  secrets: SecretsService;
  platform: PlatformService;
  scheduler: SchedulerService;
  /** The URL of a read-only page that shows the data and the requests of all three live, without any secrets. */
  page: string;
  /** The environment variables for a child process that uses all three. */
  env: Record<string, string>;
  /**
   * All requests so far, in order of arrival. `path` includes the query, `status` is 0 without a response, and `at` is the time of the
   * clock.
   */
  requests(): { system: string; method: string; path: string; status: number; at: number }[];
  faults: {
    /** Adds a fault, which counts matching requests from now on. */
    add(fault: Fault): void;
    clear(): void;
  };
  /** The clock that the services use for token lifetimes, the log and the Date header. */
  clock: {
    now(): Date;
    /** Moves the clock forward by a number of milliseconds, and throws a RangeError unless that number is at least 0. */
    advance(ms: number): void;
  };
  /** Restores the records, log, faults and clock to their state after `start`, but keeps addresses, tokens and shares. */
  reset(): Promise<void>;
  /** Closes all sockets and stops the services. */
  close(): Promise<void>;
}

const real = { platform: platformDialects.hashicorp, scheduler: schedulerDialects.hashicorp };

/** The dialects of the services, and the prefixes of their environment variables. */
const productsOf = {
  standard: {
    secrets: secretsDialects.standard,
    platform: platformDialects.standard,
    scheduler: schedulerDialects.standard,
    prefixes: ["SECRETS", "PLATFORM", "SCHEDULER"],
  },
  hashicorp: { ...real, secrets: secretsDialects.hashicorp, prefixes: ["VAULT", "TFE", "NOMAD"] },
  openbao: { ...real, secrets: secretsDialects.openbao, prefixes: ["BAO", "TFE", "NOMAD"] },
};

/**
 * Starts the three services on loopback ports.
 *
 * ```ts
 * import { start } from "pulumi-steward-sandbox";
 *
 * const sandbox = await start({ dialect: "hashicorp" });
 * const child = spawn("pulumi", ["up"], { env: { ...process.env, ...sandbox.env } });
 * // …
 * await sandbox.close();
 * ```
 */
export async function start(options: Options = {}): Promise<Sandbox> {
  const { dialect, port, unsealShares, unsealThreshold, seal, ...rules } = checkOptions(options);
  const products = productsOf[dialect];
  const clock = new Clock();
  const log = new Log(clock);
  const faults = new Faults();
  const platform = createPlatform({ ...products.platform, needsTestAddress: rules.smtpNeedsTestAddress }, clock);
  const scheduler = createScheduler({ ...products.scheduler, needsKnownPolicies: rules.tokensNeedKnownPolicies }, clock);
  const schedulerPeer = { url: "", ...scheduler.tokens };
  const key = await createKey(unsealShares, unsealThreshold);
  const secretsDialect = rules.rekeyNeedsToken ? secretsDialects.withRekeyToken(products.secrets) : products.secrets;
  const secrets = createSecrets(secretsDialect, clock, schedulerPeer, key, seal);
  const systems = [
    { name: "secrets" as const, fetch: secrets.fetch },
    { name: "platform" as const, fetch: platform.app.fetch },
    {
      name: "scheduler" as const,
      fetch: (request: Request) => {
        // Expired tokens must be revoked even if no request reaches the service.
        secrets.expire();
        return scheduler.fetch(request);
      },
    },
  ];
  const servers: Server[] = [];
  let page: Listener | undefined;
  const close = async (): Promise<void> => {
    // Respond to held requests first.
    scheduler.records.end();
    await Promise.all([...servers, page].map((server) => server?.close()));
  };
  try {
    const nextPort = (): number => (port === 0 ? 0 : port + servers.length);
    for (const system of systems) servers.push(await listen(system, nextPort(), { log, faults, clock }));
    const urls = servers.map(({ url }) => url) as [string, string, string];
    page = await listenPage({ log, clock, secrets, platform, scheduler, urls }, nextPort());
  } catch (error) {
    await close();
    throw error;
  }
  const [secretsServer, platformServer, schedulerServer] = servers as [Server, Server, Server];
  schedulerPeer.url = schedulerServer.url;
  const services = {
    secrets: secrets.service(secretsServer.url, () => secretsServer.drop()),
    platform: platform.service(platformServer.url),
    scheduler: scheduler.service(schedulerServer.url),
  };
  // Terraform Enterprise has ADDRESS where the others have ADDR.
  const variables = Object.values(services).flatMap(({ url, token }, index) => [
    [`${products.prefixes[index]}_${products.prefixes[index] === "TFE" ? "ADDRESS" : "ADDR"}`, url],
    [`${products.prefixes[index]}_TOKEN`, token],
  ]);

  return {
    ...services,
    page: page.url,
    env: Object.fromEntries(variables),
    requests: () => log.entries(),
    faults: { add: (fault) => faults.add(fault), clear: () => faults.clear() },
    clock: { now: () => clock.now(), advance: (ms) => clock.advance(ms) },
    async reset() {
      // A rekey request in progress would otherwise write its result into the new records.
      await secrets.records.exclusive(() => {
        // The clock comes first, since the records use its time.
        for (const part of [clock, secrets, platform, scheduler, log]) part.reset();
        faults.clear();
      });
    },
    close,
  };
}
