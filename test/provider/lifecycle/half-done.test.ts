import { Fault } from "../../../sandbox/index";
import { call } from "../../support/call";
import { expectRefused, refusal } from "../../support/refusal";
import { engine, hold, sandbox, sent } from "./two-sandboxes";

// The table in test/troubles has the rest. Here are the errors, partly written sets, and values that the server does not show.

describe("partial updates", () => {
  /** A set of roles that have one policy. */
  const setOf = (policy: string, ...names: string[]): { roles: object } => ({
    roles: Object.fromEntries(names.map((name) => [name, { policies: [policy] }])),
  });
  /** Adds a fault to the next write with this path below the mount. */
  const fault = (path: string, more: Partial<Fault>): void =>
    sandbox.faults.add({ system: "secrets", method: "POST", path: `/v1/nomad/${path}`, action: "respond", ...more });

  test("a partially created set of roles stores the written roles and names the failed ones, which the next up writes", async () => {
    const set = setOf("p", "a", "b", "c", "d");
    fault("role/b", { status: 400, body: '{"errors":["not today"]}' });
    fault("role/c", { status: 500, body: '{"errors":["not sure"]}' });
    const resource = engine("SchedulerRoles");
    const reason = /"nomad": .* 2 of 4 .* \([bc], [bc]\)\. .*\("[bc]"\): not (today|sure) \(POST /;
    await expectRefused(resource.up(set), refusal("ERR_INCOMPLETE"), reason);
    // "c" may have been created.
    expect(Object.keys(resource.state?.outputs.roles as object).sort()).toEqual(["a", "c", "d"]);
    const before = sent().length;
    expect(await resource.up(set)).toBe("update");
    // The list shows that "b" is not another client's. "c" may exist already.
    expect(sent().slice(before).sort()).toEqual(["GET /v1/nomad/role?list=true", "POST /v1/nomad/role/b", "POST /v1/nomad/role/c"]);
    expect(await resource.up(set)).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a role whose write got no response is written until a write succeeds, also after one that is rejected", async () => {
    const set = (policy: string): Record<string, unknown> => ({ roles: { a: { policies: ["p"] }, b: { policies: [policy] } } });
    const resource = engine("SchedulerRoles");
    for (const [status, policy] of [
      [500, "p"],
      [403, "q"],
    ] as const) {
      fault("role/a", { status });
      await expect(resource.up(set(policy))).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    }
    expect(await resource.up(set("q"))).toBe("update");
    expect(await hold(sandbox, "nomad/role/a")).toBe(200);
  });

  test("refresh drops a role whose removal got no response, so a later role of that name is left alone", async () => {
    const resource = engine("SchedulerRoles");
    await resource.up(setOf("p", "web", "b"));
    fault("role/b", { method: "DELETE", action: "drop-after", times: 100 });
    await expect(resource.up(setOf("p", "web"))).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    sandbox.faults.clear();
    expect(await hold(sandbox, "nomad/role/b")).toBe(404);
    await resource.refresh();
    await call(sandbox.secrets, "POST", "/v1/nomad/role/b", { policies: "theirs" });
    await resource.up(setOf("q", "web"));
    await resource.destroy();
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "nomad/role/b")]).toEqual([404, 200]);
  }, 20_000);

  test.each(["constructor", "toString"])(
    "refresh of an exclusive set that was partially updated finds an undeclared role named %s",
    async (name) => {
      const resource = engine("SchedulerRoles");
      await resource.up({ ...setOf("a", "web"), exclusive: true });
      fault("role/web", { status: 500 });
      await expect(resource.up({ ...setOf("b", "web", "site"), exclusive: true })).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
      await call(sandbox.secrets, "POST", `/v1/nomad/role/${name}`, { policies: "theirs" });
      await resource.refresh();
      expect(resource.hidden().undeclared).toEqual([name]);
    },
  );

  test("a token whose change has an unknown outcome is written again after a refresh and a return to the old value", async () => {
    const access = { address: "http://127.0.0.1:4646", token: "canary-one" };
    const resource = engine("SchedulerAccess");
    await resource.up(access);
    fault("config/access", { status: 500, body: "it was canary-one and is canary-two" });
    await expect(resource.up({ ...access, token: "canary-two" })).rejects.toMatchObject({
      details: { reason: "it was [secret] and is [secret]" },
    });
    await resource.refresh();
    expect(await resource.up(access)).toBe("update");
    expect(await resource.up(access)).toBe("same");
  });

  test("a token whose creation has an unknown outcome is written again after a refresh", async () => {
    const access = { address: "http://127.0.0.1:4646", token: "ours", adopt: true };
    await call(sandbox.secrets, "POST", "/v1/nomad/config/access", { ...access, token: "theirs" });
    fault("config/access", { status: 500 });
    const resource = engine("SchedulerAccess");
    await expect(resource.up(access)).rejects.toMatchObject({ code: "ERR_SERVER" });
    await resource.refresh();
    expect(await resource.up(access)).toBe("update");
    expect(await resource.up(access)).toBe("same");
  });

  test("a lease whose creation got no response keeps the original value of the other attribute", async () => {
    await call(sandbox.secrets, "POST", "/v1/nomad/config/lease", { ttl: 60, max_ttl: 7200 });
    fault("config/lease", { status: 500 });
    const resource = engine("SchedulerLease");
    await expect(resource.up({ ttl: "1h", adopt: true })).rejects.toMatchObject({ code: "ERR_SERVER" });
    await resource.up({ ttl: "1h" });
    expect(resource.outputs()).toMatchObject({ ttl: 3600, maxTtl: 7200 });
  });
});
