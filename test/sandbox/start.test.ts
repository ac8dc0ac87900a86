import { createServer } from "node:http";
import { start } from "../../sandbox/index";
import { listen } from "../provider/http/exchange";
import { call } from "../support/call";
import { until } from "../support/until";
import { sandboxOfTest } from "./sandbox";

const open = sandboxOfTest();

test.each([
  ["standard", ["SECRETS_ADDR", "SECRETS_TOKEN", "PLATFORM_ADDR", "PLATFORM_TOKEN", "SCHEDULER_ADDR", "SCHEDULER_TOKEN"]],
  ["hashicorp", ["VAULT_ADDR", "VAULT_TOKEN", "TFE_ADDRESS", "TFE_TOKEN", "NOMAD_ADDR", "NOMAD_TOKEN"]],
] as const)("three services listen on free loopback ports, and env has their variables (%s)", async (dialect, names) => {
  const { secrets, platform, scheduler, env } = await open({ dialect });
  for (const { url } of [secrets, platform, scheduler]) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(Object.keys(env)).toEqual(names);
  expect(Object.values(env)).toEqual([secrets, platform, scheduler].flatMap(({ url, token }) => [url, token]));
});

test("a port reserves four consecutive ones", async () => {
  // The ports next to a free one may be in use. Then four others are tried.
  for (;;) {
    const server = createServer();
    const port = Math.min(await listen(server), 65_532);
    await new Promise((closed) => server.close(closed));
    const sandbox = await open({ port }).catch(({ code }) => code);
    if (sandbox === "EADDRINUSE") continue;
    const { secrets, platform, scheduler, page } = sandbox;
    const ports = [secrets.url, platform.url, scheduler.url, page].map((url) => Number(new URL(url).port));
    return expect(ports).toEqual([port, port + 1, port + 2, port + 3]);
  }
});

/** The number of servers in this process, which other suites used before. */
const servers = (): number => process.getActiveResourcesInfo().filter((each) => each === "TCPServerWrap").length;

test("a port in use fails the start, which leaves no other port open", async () => {
  const before = servers();
  const taken = createServer();
  const first = Math.min((await listen(taken)) - 1, 65_532);
  await expect(start({ port: first })).rejects.toMatchObject({ code: "EADDRINUSE" });
  taken.close();
  // Node releases a closed server with a delay.
  await until("the servers close", () => servers() <= before);
}, 60_000);

test.each([
  [{ dialect: "vault" }, /dialect/],
  [{ port: -1 }, /port/],
  [{ unsealShares: 0 }, /unsealShares/],
  [{ unsealShares: 0, dialect: "hashicorp", seal: "stored" }, /unsealShares/],
  [{ unsealShares: 0, dialect: "openbao" }, /unsealShares/],
  [{ unsealShares: 0, unsealThreshold: 1, dialect: "openbao", seal: "stored" }, /unsealThreshold/],
  [{ smtpNeedsTestAddress: "yes" }, /smtpNeedsTestAddress/],
  [{ tokensNeedKnownPolicies: 1 }, /tokensNeedKnownPolicies/],
  [{ rekeyNeedsToken: null }, /rekeyNeedsToken/],
  [{ unsealShares: 3, unsealThreshold: 4 }, /unsealThreshold/],
  [{ dialect: "hashicorp", unsealShares: 3, unsealThreshold: 1 }, /unsealThreshold/],
  [{ seal: "wax" }, /seal/],
  [{ shares: 5 }, /Unknown option "shares"/],
])("rejects the options %j", async (options, message) => {
  await expect(start(options as object)).rejects.toThrow(message);
});

// test/sandbox/secrets/expiry.test.ts has the age of tokens.
test("every request is logged with its query, status and clock time, which is the Date of its response, too", async () => {
  const sandbox = await open();
  sandbox.clock.advance(3_600_000);
  for (const ms of [Number.NaN, -1, Number.POSITIVE_INFINITY]) expect(() => sandbox.clock.advance(ms)).toThrow(RangeError);
  const { headers } = await call(sandbox.secrets, "GET", "/v1/scheduler/role?list=true");
  await call(sandbox.scheduler, "GET", "/v1/jobs");
  const log = sandbox.requests();
  expect(log.map(({ system, method, path, status }) => `${system} ${method} ${path} ${status}`)).toEqual([
    "secrets GET /v1/scheduler/role?list=true 404",
    "scheduler GET /v1/jobs 200",
  ]);
  for (const at of [log[0]!.at, Date.parse(headers.get("date") ?? "")]) expect(at - Date.now()).toBeGreaterThan(3_590_000);
  log.pop();
  expect(sandbox.requests()).toHaveLength(2);
});

test("reset restores the seed and keeps addresses, tokens and shares", async () => {
  const sandbox = await open();
  const { secrets } = sandbox;
  const { shares, env } = { shares: secrets.shares, env: { ...sandbox.env } };
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: "a" });
  await call(secrets, "POST", "/v1/sys/mounts/team/scheduler", { type: "scheduler" });
  sandbox.faults.add({ system: "secrets", path: /role/, action: "refuse", times: 9 });
  sandbox.clock.advance(1e9);
  await secrets.seal();
  await sandbox.reset();
  expect(sandbox.requests()).toEqual([]);
  expect(Math.abs(sandbox.clock.now().getTime() - Date.now())).toBeLessThan(60_000);
  expect((await call(secrets, "GET", "/v1/scheduler/role/web")).status).toBe(404);
  expect((await call(secrets, "GET", "/v1/sys/mounts/team/scheduler")).status).toBe(400);
  expect(secrets.shares).toEqual(shares);
  expect(sandbox.env).toEqual(env);
});

test("close ends open connections and waiting requests, can be called twice, and frees the ports", async () => {
  const before = servers();
  const sandbox = await open();
  const { secrets } = sandbox;
  await call(secrets, "GET", "/v1/sys/mounts");
  sandbox.faults.add({ system: "secrets", path: "/v1/sys/mounts", action: "delay", delayMs: 1e8 });
  const waiting = call(secrets, "GET", "/v1/sys/mounts").catch(() => "lost");
  await until("the second request", () => sandbox.requests().length >= 2);
  await sandbox.close();
  expect(await waiting).toBe("lost");
  await sandbox.close();
  await expect(fetch(secrets.url)).rejects.toThrow();
  expect(servers()).toBeLessThanOrEqual(before);
});
