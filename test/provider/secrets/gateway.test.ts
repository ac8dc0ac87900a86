import { getBackup } from "../../../provider/secrets/rekey/protocol/api";
import { ofTarget } from "../../../provider/secrets/rekey/protocol/operation";
import { Fault, Sandbox } from "../../../sandbox/index";
import { freshSandbox } from "../../sandbox/sandbox";
import { call } from "../../support/call";
import { connectTo } from "../../support/connection";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import { engineResources as resources } from "../../support/engine-resources";
import { refusal } from "../../support/refusal";
import { bodies, letGo } from "../foreign-404";

const respond = ({ faults }: Sandbox, path: RegExp, response: Partial<Fault>): void =>
  faults.add({ system: "secrets", path, action: "respond", ...response });

/** The requests to which the gateway responds. `%` stands for the mount. */
const routes = ["", "/v1/%/", "/v1/%/(config/|role/web)"];

describe.each([
  { dialect: "standard" as const, mount: "scheduler" },
  { dialect: "hashicorp" as const, mount: "nomad" },
  { dialect: "openbao" as const, mount: "nomad" },
])("a gateway responds instead of the server ($dialect)", ({ dialect, mount }) => {
  const sandbox = freshSandbox({ dialect });

  const engine = (type: string): Engine => new Engine(`secrets:${type}`, configOf({ sandbox: sandbox(), dialect }));
  const answer404 = (method: string, route: string, body: string): void =>
    respond(sandbox(), new RegExp(route.replace("%", mount)), { method, status: 404, body, times: Number.POSITIVE_INFINITY });
  const held = async (path: string): Promise<unknown> => (await call(sandbox().secrets, "GET", `/v1/${mount}/${path}`)).json?.data;
  const cases = resources.flatMap((resource) => routes.flatMap((route) => bodies.map((body) => ({ ...resource, route, body }))));

  test.each(cases)("refresh and destroy keep $type: 404 $body below '$route'", async ({ type, inputs, route, body, path }) => {
    const resource = engine(type);
    await resource.up(inputs);
    const before = structuredClone(resource.state);
    for (const operation of [() => resource.refresh(), () => resource.destroy()]) {
      for (const method of ["GET", "DELETE", "POST"]) answer404(method, route, body);
      await expect(operation()).rejects.toMatchObject({ status: 404, message: expect.stringContaining(letGo) });
      expect(resource.state).toEqual(before);
      sandbox().faults.clear();
      expect(await held(path)).toBeDefined();
    }
    expect(await resource.refresh()).toEqual([]);
    await resource.destroy();
  });

  /** True if the list shows the role, so that the role is not read. */
  const isListed = ({ type, route }: { type: string; route: string }): boolean => route.includes("role") && type === "SchedulerRoles";
  const page = "<html>Not found</html>";
  /** The server's own 404 of a missing object has no errors. The API document does not show it, so there only a web page is foreign: see `not-shown`. */
  const foreignBodies = dialect === "standard" ? [page] : [...bodies, page, '{"errors":["no route"]}'];
  const reading = resources.flatMap((resource) => routes.flatMap((route) => foreignBodies.map((body) => ({ ...resource, route, body }))));
  test.each(reading)("create adopts nothing: $type, 404 $body below '$route'", async ({ type, inputs, route, body, path }) => {
    const theirs = { address: "http://theirs:4646", token: "t", ttl: 1, max_ttl: 2, policies: "theirs", type: "client" };
    await call(sandbox().secrets, "POST", `/v1/${mount}/${path}`, theirs);
    const before = await held(path);
    answer404("GET", route, body);
    const resource = engine(type);
    const refusal = isListed({ type, route }) ? { code: "ERR_ALREADY_EXISTS" } : { status: 404 };
    await expect(resource.up(inputs)).rejects.toMatchObject(refusal);
    expect(resource.state).toBeUndefined();
    sandbox().faults.clear();
    expect(await held(path)).toEqual(before);
  });

  test.each(bodies)("a set adds no role if the response to the list is 404 %j", async (body) => {
    const [roles, web] = [engine("SchedulerRoles"), { policies: ["ours"] }];
    await roles.up({ roles: { web } });
    answer404("GET", "list=true", body);
    await expect(roles.up({ roles: { web, other: web } })).rejects.toMatchObject({ status: 404 });
    expect(Object.keys(roles.outputs().roles as object)).toEqual(["web"]);
  });

  test("a creation that cannot prove absence needs adopt: true", async () => {
    answer404("GET", "config/access", "{}");
    const access = engine("SchedulerAccess");
    const [inputs, path] = [{ address: "http://a:1", token: "t" }, `/v1/${mount}/config/access`];
    const unproven = refusal("ERR_NOT_FOUND", { rule: "unproven-absence", method: "GET", path, status: 404 });
    // Without a known form, the write is read back.
    const unseen = { code: "ERR_UNEXPECTED_RESPONSE", method: "POST", path, details: expect.objectContaining({ outcomeUnknown: true }) };
    const other = engine("SchedulerAccess");
    await expect(other.up(inputs)).rejects.toThrow(dialect === "standard" ? expect.objectContaining(unseen) : unproven);
    if (dialect === "standard") sandbox().faults.clear();
    expect(await access.up({ ...inputs, adopt: true })).toBe("create");
  });

  const foreign = { rule: "foreign-response", mayBeApplied: true };
  const answers = [
    { from: "a gateway", body: '{"message":"maintenance"}', ...foreign },
    { from: "a gateway that numbers its requests", body: '{"message":"maintenance","request_id":"1"}', ...foreign },
    { from: "a gateway that sends no object", body: '"ok"', ...foreign },
    { from: "a login page", body: "<html>Sign in</html>", rule: "web-page", mayBeApplied: true },
    // The document shows no other field of a response with data.
    ...(dialect === "standard" ? [] : [{ from: "a gateway that sends data", body: '{"data":{"message":"maintenance"}}', ...foreign }]),
    {
      from: "a control group",
      body: '{"request_id":"","lease_id":"","data":null,"wrap_info":{"token":"t","ttl":60}}',
      rule: "control-group",
      mayBeApplied: false,
    },
  ];
  const effectless = resources.flatMap((resource) => answers.map((each) => ({ ...resource, ...each })));

  test.each(effectless)("a 2xx of $from is no success of $type", async ({ type, inputs, path, body, rule, mayBeApplied }) => {
    const answer200 = (method: string): void =>
      respond(sandbox(), /config|role/, { method, status: 200, body, times: Number.POSITIVE_INFINITY });
    const error = { status: 200, details: { rule } };
    const resource = engine(type);
    answer200("POST");
    await expect(resource.up(inputs)).rejects.toMatchObject(error);
    expect(resource.state !== undefined).toBe(mayBeApplied);
    sandbox().faults.clear();
    await resource.up(inputs);
    const before = await held(path);
    for (const method of ["POST", "DELETE"]) answer200(method);
    await expect(resource.destroy()).rejects.toMatchObject(error);
    expect(resource.state).toBeDefined();
    sandbox().faults.clear();
    expect(before).toBeDefined();
    expect(await held(path)).toEqual(before);
    await resource.destroy();
  });

  const backup = (): ReturnType<typeof getBackup> => {
    const { url: address, token } = sandbox().secrets;
    return getBackup(ofTarget(connectTo("secrets", { address, token, dialect }), {}));
  };

  test("a gateway's 404 does not prove that no backup exists", async () => {
    expect(await backup()).toBeUndefined();
    for (const status of [400, 404])
      for (const body of dialect === "standard" ? [page] : bodies) {
        respond(sandbox(), /backup/, { status, body });
        await expect(backup()).rejects.toMatchObject({ status });
      }
  });

  // The other dialects prove an absence by the server's own 404.
  if (dialect !== "standard") return;

  test.each(resources.slice(0, 3))("$type leaves the state only if its mount responds in another way", async ({ type, path, inputs }) => {
    const resource = engine(type);
    await resource.up(inputs);
    const state = structuredClone(resource.state);
    for (const method of ["DELETE", "POST"]) await call(sandbox().secrets, method, "/v1/sys/mounts/scheduler", { type: "scheduler" });
    for (const operation of [() => resource.refresh(), () => resource.destroy()]) {
      for (const method of ["DELETE", "POST"]) respond(sandbox(), new RegExp(path), { method, status: 404 });
      await expect(operation()).rejects.toMatchObject({
        status: 404,
        path: `/v1/scheduler/${path}`,
        message: expect.stringContaining(letGo),
      });
      expect(resource.state).toEqual(state);
      sandbox().faults.clear();
    }
    const sibling = path === "config/lease" ? "config/access" : "config/lease";
    await call(sandbox().secrets, "POST", `/v1/scheduler/${sibling}`, { ttl: 1, address: "http://a:1" });
    expect(await resource.refresh()).toBe("gone");
  });

  test("a list that fails does not prove that a role is gone", async () => {
    await call(sandbox().secrets, "POST", "/v1/scheduler/config/access", { address: "http://a:1" });
    const role = engine("SchedulerRole");
    await role.up({ name: "web", policies: ["ours"] });
    answer404("GET", "role/web", "{}");
    for (const [status, body] of [
      [403, "{}"],
      [404, page],
    ] as const) {
      respond(sandbox(), /list=true/, { method: "GET", status, body });
      await expect(role.refresh()).rejects.toMatchObject({ status });
    }
    expect(role.state).toBeDefined();
  });

  test("an empty list does not hide roles from a set", async () => {
    await call(sandbox().secrets, "POST", "/v1/scheduler/config/access", { address: "http://a:1" });
    const [roles, other, inputs] = [engine("SchedulerRoles"), engine("SchedulerRoles"), { roles: { web: {} } }];
    await roles.up(inputs);
    answer404("GET", "list=true", "{}");
    await expect(roles.refresh()).rejects.toThrow(refusal("ERR_UNEXPECTED_RESPONSE", { path: "/v1/scheduler/role" }));
    await expect(other.up(inputs)).rejects.toMatchObject({ code: "ERR_ALREADY_EXISTS" });
    expect([Boolean(roles.state), other.state]).toEqual([true, undefined]);
  });

  test.each([{}, { adopt: true }])("a create whose read back fails stays in the state: %j", async (adopt) => {
    const lease = engine("SchedulerLease");
    respond(sandbox(), /config.lease/, { method: "GET", status: 404, body: "{}" });
    respond(sandbox(), /config.lease/, { method: "GET", status: 403, body: "{}", nth: 2 });
    await expect(lease.up({ ttl: 1, maxTtl: 2, ...adopt })).rejects.toMatchObject({ status: 403, details: { outcomeUnknown: true } });
    expect(lease.state).toBeDefined();
  });

  test.each([
    { status: 400, body: '{"message":"maintenance"}' },
    { status: 200, body: '{"message":"maintenance"}' },
    { status: 200, body: '{"status":"ok"}' },
  ])("$status $body does not prove that no backup exists", async (response) => {
    respond(sandbox(), /backup/, response);
    await expect(backup()).rejects.toThrow();
  });

  test("a mount without roles is an empty set, once it responds in another way", async () => {
    const roles = engine("SchedulerRoles");
    await roles.up({ roles: { web: {} } });
    await call(sandbox().secrets, "DELETE", "/v1/scheduler/role/web");
    await expect(roles.refresh()).rejects.toMatchObject({ status: 404, path: "/v1/scheduler/role" });
    await call(sandbox().secrets, "POST", "/v1/scheduler/config/access", { address: "http://a:1" });
    expect(await roles.refresh()).toEqual(["roles"]);
    expect(roles.outputs().roles).toEqual({});
  });
});
