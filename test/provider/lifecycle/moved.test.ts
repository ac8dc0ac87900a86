import { call } from "../../support/call";
import { limits } from "../../support/limits";
import { failure } from "../../support/refusal";
import { engine, hold, other, sandbox, sent, to } from "./two-sandboxes";

limits.maxRetries = 0;

describe("the server that a resource was written to", () => {
  const role = { name: "web", policies: ["a"] };
  /** The hint about the configuration of the last `up`. */
  const recorded = "--run-program";
  test("is recorded, and another address under the same connection fails every operation", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    expect(resource.state?.outputs.__server).toBe(sandbox.secrets.url);
    resource.configure({ "steward:default": to(other) });
    for (const [operation, isRecorded] of [
      [() => resource.preview(role), false],
      [() => resource.refresh(), true],
      [() => resource.destroy(), true],
    ] as const) {
      const { code, message } = await failure(operation());
      expect([code, message.includes(recorded)]).toEqual(["ERR_SERVER_MISMATCH", isRecorded]);
      for (const part of [sandbox.secrets.url, other.secrets.url, '"default"', "allowAddressChange: true"]) expect(message).toContain(part);
    }
    expect(resource.state).toBeDefined();
    expect(sent(other)).toEqual([]);
  });

  test.each([
    ["an address where nothing listens", "ERR_UNREACHABLE", { address: "http://127.0.0.1:1" }, recorded],
    ["a missing connection", "ERR_NO_CONNECTION", undefined, recorded],
    [
      "a rejected token",
      "ERR_FORBIDDEN",
      { address: undefined, token: "wrong" },
      `${recorded}. Each run reads tokenEnv or tokenFile anew.`,
    ],
  ])("%s at refresh and destroy names the configuration of the last up", async (_, code, settings, hint) => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    const address = settings?.address ?? sandbox.secrets.url;
    (resource.state as { outputs: Record<string, unknown> }).outputs.__server = address;
    resource.configure(settings ? { "steward:default": to(sandbox, { ...settings, address }) } : {});
    for (const operation of ["refresh", "destroy"] as const)
      expect(await failure(resource[operation]())).toMatchObject({ code, message: expect.stringContaining(hint) });
    expect(resource.state).toBeDefined();
    // An `up` uses the current configuration.
    expect((await failure(resource.up({ ...role, policies: ["b"] }))).message).not.toContain(recorded);
    expect(await failure(resource.get("nomad/role/web"))).toMatchObject({ code, message: expect.not.stringContaining(recorded) });
  });

  test("a changed mount of the connection replaces the resource", async () => {
    await call(sandbox.secrets, "POST", "/v1/sys/mounts/team/nomad", { type: "nomad" });
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:default": to(sandbox, { mount: "team/nomad" }) });
    expect(await resource.preview(role)).toMatchObject({ operation: "replace", replaces: ["mount"] });
    await resource.up(role);
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "team/nomad/role/web")]).toEqual([404, 200]);
  });
});

test("a connection with another address of the same server deletes the old resource before it creates the new one", async () => {
  const local = to(sandbox, { address: sandbox.secrets.url.replace("127.0.0.1", "localhost") });
  const resource = engine("SchedulerRole", { "steward:default": to(sandbox), "steward:local": local });
  await resource.up({ name: "web", policies: ["a"], adopt: true });
  expect(await resource.up({ name: "web", policies: ["a"], adopt: true, connection: "local" })).toBe("replace");
  expect(await hold(sandbox, "nomad/role/web")).toBe(200);
});
