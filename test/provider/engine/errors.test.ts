import { inspect } from "node:util";
import { definitions } from "../../../provider/registry/resources";
import { call } from "../../support/call";
import { configOf } from "../../support/context";
import { engineResources } from "../../support/engine-resources";
import { expectRefused, refusal } from "../../support/refusal";
import { startSandbox } from "../../support/sandbox";
import { engine, sandbox, to } from "../lifecycle/two-sandboxes";

test("an internal error names its source and shows no secret", async () => {
  const definition = definitions.find(({ token }) => token === "secrets:SchedulerAccess") as { create: unknown };
  const create = jest.spyOn(definition as { create(): Promise<never> }, "create");
  create.mockRejectedValue(new TypeError("cannot read canary-token of undefined"));
  const source = / access .*TypeError: cannot read \[secret\] of undefined \(provider\/[\w/.-]+:\d+\)/;
  await expectRefused(
    engine("SchedulerAccess").up({ address: "http://scheduler", token: "canary-token" }),
    refusal("ERR_INTERNAL"),
    source,
  );
  create.mockRestore();
});

test("printing an error does not print the state that the engine stores", async () => {
  sandbox.faults.add({ system: "secrets", method: "POST", path: "/v1/nomad/config/access", action: "respond", status: 500 });
  const created = engine("SchedulerAccess").up({ address: "http://scheduler", token: "canary-token" });
  const error = await created.catch((reason) => reason);
  expect(error.properties).toMatchObject({ token: "canary-token" });
  expect(inspect(error) + JSON.stringify(error)).not.toContain("canary");
});

// test/provider/secrets/gateway.test.ts has each 404, and test/troubles/faults every other fault.
describe("a 2xx that shows no role does not remove it from the state", () => {
  test.each([
    { status: 200, body: '{"data":{}}' },
    { status: 200, body: '{"data":null}' },
    { status: 204, body: undefined },
  ])(
    "$status $body keeps the resource in the state, and the next refresh finds no drift",
    async ({ status, body }) => {
      const resource = engine("SchedulerRole");
      await resource.up({ name: "web", policies: ["a"] });
      sandbox.faults.add({ system: "secrets", method: "GET", path: "/v1/nomad/role/web", action: "respond", status, body });
      await expect(resource.refresh()).rejects.toMatchObject({
        code: "ERR_UNEXPECTED_RESPONSE",
        stack: "",
        details: { operation: expect.stringContaining('read Nomad role "web"') },
      });
      expect(resource.state).toBeDefined();
      sandbox.faults.clear();
      expect(await resource.refresh()).toEqual([]);
    },
    20_000,
  );
});

test.each(engineResources)("$type whose engine is unmounted leaves the state only by pulumi state delete", async ({ type, inputs }) => {
  for (const dialect of ["standard", "hashicorp"] as const) {
    const service = await startSandbox({ dialect });
    const resource = engine(type, configOf({ sandbox: service, dialect }));
    await resource.up(inputs);
    await call(service.secrets, "DELETE", `/v1/sys/mounts/${dialect === "standard" ? "scheduler" : "nomad"}`);
    await expect(resource.destroy()).rejects.toThrow("pulumi state delete");
  }
});

describe("the hint of an error", () => {
  test("a preview needs no token", async () => {
    const resource = engine("SchedulerRole");
    await resource.up({ name: "web", policies: ["a"] });
    const unset = { "steward:default": to(sandbox, { token: undefined, tokenEnv: "STEWARD_UNSET" }) };
    resource.configure(unset);
    expect((await resource.preview({ name: "web", policies: ["b"] })).operation).toBe("update");
    expect((await engine("SchedulerRole", unset).preview({ name: "other", policies: ["a"] })).operation).toBe("create");
    await expect(resource.up({ name: "web", policies: ["b"] })).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule: "variable-unset" }));
  });

  test("resources of one connection do not repeat its error", async () => {
    const broken = { "steward:default": to(sandbox, { dialect: undefined }) };
    const role = (name: string): Promise<unknown> => engine("SchedulerRole", broken).preview({ name, policies: ["a"] });
    await expect(role("a")).rejects.toThrow("secrets.dialect: is missing");
    await expect(role("b")).rejects.toThrow("it has the same error as another resource of this run");
  });

  test("a 404 of a mount without an engine names it", async () => {
    await expect(engine("SchedulerRole").up({ name: "web", policies: ["a"], mount: "team/none" })).rejects.toMatchObject({
      ...{ code: "ERR_NOT_FOUND", method: "GET", path: "/v1/team/none/role/web", status: 404 },
      details: { hint: expect.stringContaining("Mount the Nomad secrets engine there") },
    });
  });
});
