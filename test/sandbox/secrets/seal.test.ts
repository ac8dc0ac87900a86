import { combine } from "shamir-secret-sharing";
import { type Sandbox, start } from "../../../sandbox/index";
import { call, raw, rawList } from "../../support/call";
import { until } from "../../support/until";
import { damaged } from "./rekey-service";

let sandbox: Sandbox;
afterEach(() => sandbox?.close());

test.each([
  ["standard", "the service is sealed"],
  ["hashicorp", "Vault is sealed"],
] as const)(
  "a sealed server responds with 503 on every route, with and without a token, and keeps its data (%s)",
  async (dialect, message) => {
    sandbox = await start({ dialect });
    const { secrets } = sandbox;
    const mount = dialect === "standard" ? "scheduler" : "nomad";
    await call(secrets, "POST", `/v1/${mount}/role/web`, { policies: "a" });
    await secrets.seal();
    for (const path of ["/v1/sys/mounts", "/v1/scheduler/role/web", "/v1/sys/internal/specs/openapi", "/v1/nowhere"])
      for (const token of [secrets.token, ""])
        expect(await call(secrets, "GET", path, undefined, token)).toMatchObject({ status: 503, json: { errors: [message] } });
    expect(await raw(secrets, rawList("/v1/scheduler/role", secrets.token))).toMatch(/^HTTP\/1.1 503 /);
    expect(await secrets.unseal(secrets.shares.slice(0, 2))).toBe(false);
    expect((await call(secrets, "GET", "/v1/sys/mounts")).status).toBe(503);
    expect(await secrets.unseal(secrets.shares.slice(2))).toBe(true);
    expect((await call(secrets, "GET", `/v1/${mount}/role/web`)).status).toBe(200);
  },
);

test("any shares that reach the threshold open the server, and `opens` changes nothing", async () => {
  sandbox = await start();
  const { secrets } = sandbox;
  const { shares } = secrets;
  expect([shares.length, secrets.threshold]).toEqual([5, 3]);
  for (const share of shares) expect(Buffer.from(share, "base64")).toHaveLength(33);
  expect(await secrets.opens(shares.slice(0, 3))).toBe(true);
  expect(await secrets.opens([shares[4]!, shares[1]!, shares[3]!, shares[0]!])).toBe(true);
  expect(await secrets.opens(shares.slice(0, 2))).toBe(false);
  expect(await secrets.opens([shares[0]!, shares[0]!, shares[0]!])).toBe(false);
  expect(await secrets.opens([shares[0]!, shares[1]!, damaged(shares[2]!)])).toBe(false);
  for (const wrong of [[], [""], ["", "a", "b"], ["x", "y", "z"]]) expect(await secrets.opens(wrong)).toBe(false);
  shares.pop();
  expect(secrets.shares).toHaveLength(5);
  expect((await call(secrets, "GET", "/v1/sys/mounts")).status).toBe(200);
});

test("other numbers of shares work, and a single share is the root key", async () => {
  sandbox = await start({ unsealShares: 2, unsealThreshold: 2 });
  const parts = sandbox.secrets.shares.map((share) => new Uint8Array(Buffer.from(share, "base64")));
  expect(await combine(parts)).toHaveLength(32);
  await sandbox.close();
  sandbox = await start({ unsealShares: 1, seal: "stored" });
  const { secrets } = sandbox;
  expect([secrets.shares.length, secrets.threshold]).toEqual([1, 1]);
  expect(Buffer.from(secrets.shares[0]!, "base64")).toHaveLength(32);
  expect(await secrets.opens(secrets.shares)).toBe(true);
  expect(await secrets.opens([Buffer.alloc(32).toString("base64")])).toBe(false);
});

test("a failover breaks open connections and keeps written data", async () => {
  sandbox = await start();
  const { secrets } = sandbox;
  await call(secrets, "POST", "/v1/scheduler/role/web", { policies: "a" });
  sandbox.faults.add({ system: "secrets", path: "/v1/sys/mounts", action: "delay", delayMs: 1e8 });
  const waiting = call(secrets, "GET", "/v1/sys/mounts").catch(() => "lost");
  await until("the second request", () => sandbox.requests().length >= 2);
  await secrets.failover();
  expect(await waiting).toBe("lost");
  expect((await call(secrets, "GET", "/v1/scheduler/role/web")).status).toBe(200);
});

test.each(["hashicorp", "openbao"] as const)("the health needs no token, and its status shows the seal (%s)", async (dialect) => {
  sandbox = await start({ dialect });
  const { secrets } = sandbox;
  const health = (query = "", token = ""): ReturnType<typeof call> => call(secrets, "GET", `/v1/sys/health${query}`, undefined, token);
  const isVault = dialect === "hashicorp";
  const shown = { initialized: true, sealed: false, standby: false, replication_dr_mode: "disabled", server_time_utc: expect.any(Number) };
  for (const token of ["", "wrong", secrets.token]) expect(await health("", token)).toMatchObject({ status: 200, json: shown });
  expect("enterprise" in (await health()).json).toBe(isVault);
  expect(await health("?activecode=250&sealedcode=299")).toMatchObject({ status: 250, json: shown });
  expect(await health("?activecode=abc")).toMatchObject({ status: 400, json: { errors: [] } });
  expect((await call(secrets, "HEAD", "/v1/sys/health")).status).toBe(200);
  expect(await call(secrets, "PUT", "/v1/sys/health", {})).toMatchObject({ status: 405, json: { errors: [] } });
  await secrets.seal();
  expect(await health()).toMatchObject({ status: 503, json: { initialized: true, sealed: true, standby: true } });
  expect((await health()).json).not.toHaveProperty("cluster_id");
  expect((await health("?sealedcode=299")).status).toBe(299);
});

test("the standard dialect has no health", async () => {
  sandbox = await start();
  expect((await call(sandbox.secrets, "GET", "/v1/sys/health")).status).toBe(404);
});
