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
import { createSecrets } from "./secrets";
import { hashicorp, standard } from "./secrets/dialect";
import { createKey, opens } from "./secrets/seal";
import type { Server } from "./server";
import { listen } from "./server";
import type { Options, Sandbox } from "./service";

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
export type { Fault, Mail, Options, PlatformService, Sandbox, SecretsService, Seed, Service, TextMessage } from "./service";

const known = ["dialect", "port", "unsealShares", "unsealThreshold", "seal", "smtpNeedsTestAddress", "tokensNeedKnownPolicies"];

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
  const { unsealThreshold = Math.min(3, unsealShares), seal = "shamir", smtpNeedsTestAddress: needsTestAddress = false } = options;
  const { tokensNeedKnownPolicies: needsKnownPolicies = false } = options;
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown) throw new TypeError(`Unknown option "${unknown}". Known: ${known.join(", ")}.`);
  if (name !== "standard" && name !== "hashicorp") throw new TypeError('dialect is "standard" or "hashicorp".');
  if (typeof needsTestAddress !== "boolean") throw new TypeError("smtpNeedsTestAddress is true or false.");
  if (typeof needsKnownPolicies !== "boolean") throw new TypeError("tokensNeedKnownPolicies is true or false.");
  if (seal !== "shamir" && seal !== "stored") throw new TypeError('seal is "shamir" or "stored".');
  if (!Number.isInteger(port) || port < 0 || port > 65_532) throw new RangeError("port is a whole number from 0 to 65532.");
  if (!Number.isInteger(unsealShares) || unsealShares < 1 || unsealShares > 255) throw new RangeError("unsealShares is from 1 to 255.");
  const least = unsealShares === 1 || name === "standard" ? 1 : 2;
  if (!Number.isInteger(unsealThreshold) || unsealThreshold < least || unsealThreshold > unsealShares)
    throw new RangeError(`unsealThreshold is from ${least} to unsealShares (${unsealShares}).`);

  const real = name === "hashicorp";
  const clock = new Clock();
  const log = new Log(clock);
  const faults = new Faults();
  const platformDialect = real ? platformDialects.hashicorp : platformDialects.standard;
  const platform = createPlatform({ ...platformDialect, needsTestAddress }, clock);
  const schedulerDialect = real ? schedulerDialects.hashicorp : schedulerDialects.standard;
  const scheduler = createScheduler({ ...schedulerDialect, needsKnownPolicies }, clock);
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
        await records.exclusive(() => {
          records.sealed = true;
          records.forget();
        });
      },
      async unseal(shares) {
        return records.exclusive(async () => {
          if (!(await opens(records.key, shares))) return false;
          records.sealed = false;
          records.unsealing = undefined;
          return true;
        });
      },
      async failover() {
        await records.exclusive(() => records.forget());
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
      await records.exclusive(() => {
        // The clock first: what the records hold is dated by it.
        for (const part of [clock, records, platform.records, scheduler.records, log]) part.reset();
        faults.clear();
      });
    },
    close,
  };
}
