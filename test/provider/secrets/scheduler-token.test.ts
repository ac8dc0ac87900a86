import { createServer } from "node:https";
import { sandboxOfTest } from "../../sandbox/sandbox";
import { certificate, privateKey } from "../../support/certificates";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, refusal } from "../../support/refusal";
import { atNewMount, onEachTarget, Target } from "../../support/target";
import { until } from "../../support/until";
import { listen, serveAt } from "../http/exchange";

onEachTarget("SchedulerToken", (current) => {
  const engine = (more?: object): Engine => new Engine("secrets:SchedulerToken", current().config(more));
  const hasLeases = (): boolean => current().dialect === "hashicorp";

  /** Mounts an engine that reaches the scheduler, with roles whose tokens have all rights. */
  async function prepare(): Promise<string> {
    const { outOfBand, scheduler, mount } = await atNewMount(current());
    await outOfBand("POST", `${mount}/config/access`, { address: scheduler.address, token: scheduler.token });
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 600, max_ttl: 7200 });
    for (const role of ["deploy", "operate"]) await outOfBand("POST", `${mount}/role/${role}`, { type: "management" });
    return mount;
  }

  /** True if the scheduler accepts the token. */
  async function works(secretId: unknown): Promise<boolean> {
    const header = hasLeases() ? "X-Nomad-Token" : "X-Scheduler-Token";
    const { status } = await fetch(`${current().scheduler.address}/v1/nodes`, { headers: { [header]: String(secretId) } });
    expect([200, 403]).toContain(status);
    return status === 200;
  }

  /** A test of leases. The standard dialect has neither leases nor their requests. */
  const withLeases = (what: string, story: () => Promise<unknown>): void =>
    test(what, async () => {
      if (hasLeases()) return story();
      expect((await current().outOfBand("PUT", "sys/leases/lookup", { lease_id: "x" })).status).toBe(404);
    });
  /** A token that was generated at a new mount. */
  async function generated(): Promise<{ token: Engine; mount: string }> {
    const mount = await prepare();
    const token = engine();
    await token.up({ role: "deploy", mount });
    return { token, mount };
  }
  const leaseOf = (token: Engine): string => String(token.outputs().leaseId);
  const revokeOutside = ({ outOfBand }: Target, token: Engine): ReturnType<Target["outOfBand"]> =>
    outOfBand("PUT", "sys/leases/revoke", { lease_id: leaseOf(token), sync: true });

  test("another up and a refresh keep the token and its outputs", async () => {
    const mount = await prepare();
    const token = engine();
    const before = Date.now();
    expect(await token.up({ role: "deploy", mount })).toBe("create");
    const first = token.outputs();
    expect(first).toMatchObject({ role: "deploy", mount, accessorId: expect.any(String), secretId: expect.any(String) });
    expect(token.state?.id).toBe(first.accessorId);
    expect(await works(first.secretId)).toBe(true);
    if (hasLeases()) {
      expect(first).toMatchObject({ leaseId: expect.stringMatching(`^${mount}/creds/deploy/`), leaseDuration: 600 });
      const lives = Date.parse(String(first.expiresAt)) - before;
      expect(lives).toBeGreaterThanOrEqual(600_000);
      expect(lives).toBeLessThan(700_000);
    } else expect(Object.keys(first).sort()).toEqual(["accessorId", "keepers", "mount", "role", "secretId"]);

    expect(await token.up({ role: "deploy", mount: `/${mount}/` })).toBe("same");
    expect(await token.refresh()).toEqual([]);
    expect(token.outputs()).toEqual(first);
    await token.destroy();
    expect(await works(first.secretId)).toBe(!hasLeases());
    // A token without a lease cannot be revoked.
    expect(printed).toEqual(hasLeases() ? [] : [expect.stringContaining(` token ${first.accessorId}: `)]);
  });

  test("changed keepers replace the token", async () => {
    const mount = await prepare();
    const token = engine();
    await token.up({ role: "deploy", mount, keepers: { month: "2026-01", for: "web" } });
    const { secretId } = token.outputs();
    expect(await token.up({ role: "deploy", mount, keepers: { for: "web", month: "2026-01" } })).toBe("same");
    expect(await token.up({ role: "deploy", mount, keepers: { month: "2026-02", for: "web" } })).toBe("replace");
    expect(token.outputs().secretId).not.toBe(secretId);
    expect(await works(secretId)).toBe(!hasLeases());
    // A removed keeper is a change, and so is an added one.
    expect(await token.up({ role: "deploy", mount })).toBe("replace");
    // No keepers equal empty keepers.
    expect(await token.up({ role: "deploy", mount, keepers: {} })).toBe("same");
    expect(await token.up({ role: "deploy", mount })).toBe("same");
    expect(await token.up({ role: "deploy", mount, keepers: { month: "2026-02" } })).toBe("replace");
    await token.destroy();
  });

  withLeases("refresh detects a revoked lease, and the next up generates another token", async () => {
    const { token, mount } = await generated();
    const { secretId } = token.outputs();
    expect((await revokeOutside(current(), token)).status).toBe(204);
    expect(await works(secretId)).toBe(false);
    expect(await token.refresh()).toBe("gone");
    expect(await token.up({ role: "deploy", mount })).toBe("create");
    expect(await works(token.outputs().secretId)).toBe(true);
    // An expired token cannot be revoked, and need not be.
    await revokeOutside(current(), token);
    await token.destroy();
  });

  withLeases("an expired lease counts as ended although the server could not reach the scheduler", async () => {
    const { outOfBand } = current();
    const mount = await prepare();
    await outOfBand("POST", `${mount}/config/lease`, { ttl: 1 });
    const token = engine();
    await token.up({ role: "deploy", mount });
    const leaseId = leaseOf(token);
    await outOfBand("DELETE", `${mount}/config/access`);
    await until("the lease ends", async () => (await token.refresh()) === "gone");
    expect((await outOfBand("PUT", "sys/leases/lookup", { lease_id: leaseId })).status).toBe(200);
  });

  withLeases("a token that was deleted in the scheduler does not block a replacement, and a warning names its lease", async () => {
    const { sandbox, scheduler } = current();
    const { token, mount } = await generated();
    const { accessorId, leaseId } = token.outputs();
    const headers = { "X-Nomad-Token": scheduler.token };
    if (sandbox) sandbox.scheduler.tokens.revoke(String(accessorId));
    else await fetch(`${scheduler.address}/v1/acl/token/${accessorId}`, { method: "DELETE", headers });
    expect(await token.up({ role: "operate", mount })).toBe("replace");
    expect(printed).toEqual([expect.stringMatching(`^warning: .*${accessorId}.* \\(PUT /v1/sys/leases/revoke-force/${leaseId}\\)$`)]);
    await token.destroy();
  });

  withLeases("destroy fails if the server cannot reach the scheduler, and the error names both solutions", async () => {
    const { outOfBand, scheduler } = current();
    const { token, mount } = await generated();
    const { accessorId, leaseId, secretId } = token.outputs();
    await outOfBand("DELETE", `${mount}/config/access`);
    const refused = refusal("ERR_REJECTED", { method: "PUT", path: "/v1/sys/leases/revoke", status: 400 });
    await expectRefused(token.destroy(), refused, `token ${accessorId} `, `PUT /v1/sys/leases/revoke-force/${leaseId}`);
    await outOfBand("POST", `${mount}/config/access`, { address: scheduler.address, token: scheduler.token });
    await token.destroy();
    expect(await works(secretId)).toBe(false);
  });

  test("another address keeps the token with allowAddressChange, and otherwise replaces it before the old one is revoked", async () => {
    const { address, config } = current();
    const { token, mount } = await generated();
    const first = token.outputs();
    const elsewhere = (more?: object): object =>
      config({ address: address.replace("127.0.0.1", "localhost"), ...more })["steward:default"] ?? {};
    token.configure({ ...config(), "steward:other": elsewhere() });
    const planned = await token.preview({ role: "deploy", mount, connection: "other" });
    expect(planned).toMatchObject({ replaces: ["connection"], deleteBeforeReplace: false });
    token.configure({ "steward:default": elsewhere({ allowAddressChange: true }) });
    expect(await token.up({ role: "deploy", mount })).toBe("update");
    expect(token.outputs()).toEqual(first);
    token.configure(config({ allowAddressChange: true }));
    await token.destroy();
  });

  withLeases("a renewed lease changes expiresAt without drift", async () => {
    const { token } = await generated();
    const { expiresAt } = token.outputs();
    expect((await current().outOfBand("PUT", "sys/leases/renew", { lease_id: leaseOf(token), increment: 3600 })).status).toBe(200);
    expect(await token.refresh()).toEqual([]);
    // Vault grants what the engine allows, not what was requested.
    expect(Date.parse(String(token.outputs().expiresAt))).toBeGreaterThanOrEqual(Date.parse(String(expiresAt)));
    expect(token.outputs().expiresAt).not.toBe(expiresAt);
    await token.destroy();
  });

  test("a warning reports that the token ends with its shorter login, and refresh detects the end", async () => {
    const { address, dialect } = current();
    const mount = await prepare();
    const header = dialect === "hashicorp" ? "X-Vault-Token" : "X-Secrets-Token";
    const ask = (token: string, path: string, body = {}): Promise<Response> =>
      fetch(`${address}/v1/${path}`, { method: "POST", headers: { [header]: token }, body: JSON.stringify(body) });
    const login = async (ttl: string): Promise<string> =>
      (await (await ask(current().token, "auth/token/create", { ttl })).json()).auth.client_token;

    const lasting = engine({ token: await login("2h") });
    await lasting.up({ role: "deploy", mount });
    expect(printed).toEqual([]);

    const brief = await login("5m");
    const token = engine({ token: brief });
    await token.up({ role: "deploy", mount });
    if (!hasLeases()) return expect(printed).toEqual([]);
    expect(printed).toEqual([expect.stringMatching(/^warning: .*"deploy": .* 600 s\b.* (300|2[89]\d) s\b/)]);
    // The earlier end of the two.
    expect(Date.parse(String(token.outputs().expiresAt)) - Date.now()).toBeLessThanOrEqual(300_000);
    expect((await ask(brief, "auth/token/revoke-self")).status).toBe(204);
    token.configure(current().config());
    // The service ends it with a delay.
    await until("the lease ends", async () => (await token.refresh()) === "gone");
    lasting.configure(current().config());
    await lasting.destroy();
  });

  test("a missing role and a missing mount are readable errors", async () => {
    const mount = await prepare();
    const request = { method: "GET", path: `/v1/${mount}/creds/nobody` };
    const missing = refusal(hasLeases() ? "ERR_REJECTED" : "ERR_NOT_FOUND", { rule: "role-missing", ...request });
    await expect(engine().up({ role: "nobody", mount })).rejects.toThrow(missing);
    await expectRefused(
      engine().up({ role: "deploy", mount: "no/engine" }),
      refusal("ERR_NOT_FOUND", { rule: "role-missing" }),
      "Check the mount.",
    );
  });

  test("a scheduler that the server cannot reach is a readable error", async () => {
    const mount = await prepare();
    await current().outOfBand("POST", `${mount}/config/access`, { address: "http://127.0.0.1:1", token: "x" });
    const refused = refusal("ERR_SERVER", { status: 500, path: `/v1/${mount}/creds/deploy` });
    await expectRefused(engine().up({ role: "deploy", mount }), refused, "SchedulerAccess");
  });

  test("all invalid inputs are reported at once", async () => {
    const problems = await engine().problems({ role: "a/b", keepers: { month: 1 }, mount: "a//b", more: 1 });
    expect(problems.sort()).toEqual(["keepers.month: invalid-type", "mount: mount", "role: role-name", "unrecognized-keys"]);
    expect(await engine().problems({})).toEqual(["role: missing"]);
  });
});

test("an invalid response says that a token may have been generated", async () => {
  const address = await serveAt((_, response) => response.end('{"data":{}}'));
  const token = new Engine("secrets:SchedulerToken", { "steward:default": { secrets: { address, dialect: "standard" } } });
  const request = { method: "GET", path: "/v1/scheduler/creds/deploy" };
  const perhaps = refusal("ERR_UNEXPECTED_RESPONSE", { rule: "token-perhaps-generated", ...request });
  await expect(token.up({ role: "deploy" })).rejects.toThrow(perhaps);
});

/** A token with a lease of so many seconds, from a server with these responses to other requests. */
async function leased(seconds: number, respond: (url: string) => [status: number, body: object]): Promise<Engine> {
  const generated = { lease_id: "l", lease_duration: seconds, data: { accessor_id: "accessor-1", secret_id: "secret-1" } };
  const address = await serveAt(({ url = "" }, response) => {
    const [status, body] = url.includes("/creds/") ? [200, generated] : respond(url);
    response.writeHead(status).end(JSON.stringify({ lease_id: "", ...body }));
  });
  const token = new Engine("secrets:SchedulerToken", { "steward:default": { secrets: { address, dialect: "hashicorp" } } });
  await token.up({ role: "deploy" });
  return token;
}

test.each([
  ["of the lease", 0, "2026-01-01T01:00:00.000Z"],
  ["of the shorter token that requested it", 600, "2026-01-01T00:10:00.000Z"],
])("refresh takes the end %s from the server's clock", async (_, ttl, end) => {
  const lease = { issue_time: "2026-01-01T00:00:00Z", expire_time: "2026-01-01T01:00:00Z", last_renewal: null, ttl: 60 };
  const token = await leased(3600, (url) => [200, { data: url.includes("/leases/") ? lease : { ttl } }]);
  expect(token.outputs().expiresAt).not.toBe(end);
  expect(await token.refresh()).toEqual([]);
  expect(token.outputs().expiresAt).toBe(end);
  expect(await token.up({ role: "deploy" })).toBe("same");
});

test.each([60, 0])("only the server's own reason removes a token with a lease of %s seconds from the state", async (seconds) => {
  let found: [status: number, body: object] = [404, {}];
  const token = await leased(seconds, () => found);
  expect(Boolean(token.outputs().expiresAt)).toBe(seconds > 0);
  found = [200, { data: { expire_time: "2030-01-02T03:04:05Z", last_renewal: null, ttl: 60 } }];
  expect(await token.refresh()).toEqual([]);
  expect(token.outputs().expiresAt).toBe("2030-01-02T03:04:05.000Z");
  found = [400, { errors: ["no node of the cluster answers: lease not found in its cache"] }];
  await expect(token.refresh()).rejects.toThrow(refusal("ERR_REJECTED", { method: "PUT", path: "/v1/sys/leases/lookup", status: 400 }));
  found = [400, { errors: ["invalid lease"] }];
  expect(await token.refresh()).toBe("gone");
});

test("an untrusted server gets no request, so no token can have been generated", async () => {
  const server = createServer({ key: privateKey, cert: certificate });
  const requested = jest.fn();
  server.on("request", requested);
  const address = `https://127.0.0.1:${await listen(server)}`;
  const token = new Engine("secrets:SchedulerToken", { "steward:default": { secrets: { address, dialect: "standard" } } });
  const refused = await token.up({ role: "deploy" }).catch((error) => error);
  expect(refused).toEqual(refusal("ERR_UNEXPECTED_RESPONSE"));
  expect(refused.details.rule).not.toBe("token-perhaps-generated");
  expect(refused.message).toMatch(/\bcaCert\b/);
  expect(requested).not.toHaveBeenCalled();
});

const start = sandboxOfTest();

test.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("a scheduler that creates tokens only for existing policies names missing ones (%s)", async (dialect, mount) => {
  const sandbox = await start({ dialect, tokensNeedKnownPolicies: true });
  const { scheduler } = sandbox;
  const engine = (type: string): Engine => new Engine(`secrets:${type}`, configOf({ sandbox, dialect }));
  process.env.STEWARD_TEST_SECRET = `${scheduler.token}\r\n\n`;
  await engine("SchedulerAccess").up({ address: scheduler.url, token: { env: "STEWARD_TEST_SECRET" } });
  delete process.env.STEWARD_TEST_SECRET;
  await engine("SchedulerRole").up({ name: "web", policies: ["readonly", "deploy", "logs"] });
  const token = engine("SchedulerToken");
  const refused = token.up({ role: "web" });
  await expect(refused).rejects.toThrow(refusal("ERR_SERVER", { method: "GET", path: `/v1/${mount}/creds/web`, status: 500 }));
  // The scheduler's own reason.
  await expect(refused).rejects.toThrow("policies not found: deploy, logs");
  expect(token.state).toBeUndefined();
  scheduler.seed({ policies: [{ name: "deploy" }, { name: "logs" }] });
  expect(await token.up({ role: "web" })).toBe("create");
});
