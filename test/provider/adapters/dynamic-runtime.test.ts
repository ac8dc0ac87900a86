import { definitions } from "../../../provider/definitions";
import { Sandbox, start } from "../../../sandbox/index";
import { certificate, privateKey, sha1Certificate } from "../../certificates";
import { Engine } from "../../engine";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

let sandbox: Sandbox;
let other: Sandbox;
beforeAll(async () => {
  [sandbox, other] = await Promise.all([start({ dialect: "hashicorp" }), start({ dialect: "hashicorp" })]);
});
afterAll(() => Promise.all([sandbox.close(), other.close()]));
beforeEach(() => Promise.all([sandbox.reset(), other.reset()]));

const to = ({ secrets }: Sandbox, more: object = {}): object => ({
  secrets: { address: secrets.url, token: secrets.token, dialect: "hashicorp", ...more },
});
const engine = (type: string, config: Record<string, object> = { "steward:default": to(sandbox) }): Engine =>
  new Engine(`secrets:${type}`, config);
const sent = (which = sandbox): string[] => which.requests().map(({ method, path }) => `${method} ${path}`);
const hold = async (which: Sandbox, path: string): Promise<number> =>
  (await fetch(`${which.secrets.url}/v1/${path}`, { headers: { "X-Vault-Token": which.secrets.token } })).status;

describe("check", () => {
  test.each([
    [
      "SchedulerRole",
      { name: "", policies: ["ok", "a,b", "c d", ""], type: "admin", global: "yes", color: 1 },
      [
        "policies[1]: must be the name of one policy, without commas or blanks",
        "policies[2]: must be the name of one policy, without commas or blanks",
        "policies[3]: must be the name of one policy, without commas or blanks",
        "global: must be true or false",
        'type: must be "client" or "management"',
        'Unrecognized key: "color"',
        "name: must be letters, digits, _, - and ., and begin and end with a letter, a digit or _",
      ],
    ],
    ["SchedulerRole", { policies: "read" }, ["name: is missing; must be the role's name", "policies: must be a list of policy names"]],
    [
      "SchedulerRole",
      { name: "a", type: "management", policies: ["x"] },
      ["policies: a management role has no policies: its tokens may do everything"],
    ],
    [
      "SchedulerRole",
      { name: "a", policies: ["x"], mount: "a//b", connection: 1 },
      ["mount: must be a path such as team/scheduler, without empty parts", "connection: must be the name of a connection"],
    ],
    [
      "SchedulerLease",
      { ttl: "soon", maxTtl: -1 },
      [
        'ttl: must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number',
        'maxTtl: must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number',
      ],
    ],
    ["SchedulerLease", {}, ["at least one of ttl and maxTtl is needed"]],
    [
      "SchedulerAccess",
      { address: "host:4646", token: "", maxTokenNameLength: -1, clientCert: certificate, caCert: "/etc/ca.pem" },
      [
        "address: must be a URL such as https://host:4646",
        "token: must not be empty: the first write without a token would bootstrap the scheduler's access control",
        "maxTokenNameLength: must not be negative",
        "caCert: must be a certificate in PEM form, not a path",
        "clientKey: is needed with clientCert",
      ],
    ],
    [
      "SchedulerAccess",
      {},
      ["address: is missing; must be the scheduler's address", "token: is missing; must be the scheduler's management token"],
    ],
    ["SchedulerAccess", { address: "http://h:1", token: "t", clientKey: privateKey }, ["clientCert: is needed with clientKey"]],
    [
      "SchedulerRoles",
      { roles: { web: { policies: ["ok", "a b"], kind: 1 }, "x/y": { policies: ["ok"] } } },
      ["roles.web.policies[1]: must be the name of one policy, without commas or blanks", 'roles.web: Unrecognized key: "kind"'],
    ],
    [
      "SchedulerRoles",
      { roles: { "x/y": { policies: ["ok"] }, none: {} } },
      [
        "roles.none.policies: a client role needs at least one policy",
        "roles.x/y: must be letters, digits, _, - and ., and begin and end with a letter, a digit or _",
      ],
    ],
    ["SchedulerRoles", { roles: ["web"] }, ["roles: must be an object of roles by name"]],
  ])("%s %#: says all problems at once, before anything is sent", async (type, inputs, reasons) => {
    expect(await engine(type).problems(inputs)).toEqual(reasons);
    expect(sent()).toEqual([]);
  });

  test("prints no value, of secrets least of all", async () => {
    const canary = "canary-value";
    const inputs = {
      address: canary,
      token: { [canary]: 1 },
      clientKey: canary,
      maxTokenNameLength: canary,
      caCert: canary,
      adopt: canary,
    };
    const problems = await engine("SchedulerAccess").problems(inputs);
    expect(problems.length).toBeGreaterThanOrEqual(6);
    expect(problems.join()).not.toContain(canary);
  });

  test("lets pass what a preview does not know yet", async () => {
    expect(await engine("SchedulerRole").problems({ name: unknown, policies: [unknown, "ok"], type: unknown, global: unknown })).toEqual(
      [],
    );
    expect(await engine("SchedulerRole").problems({ name: "web", policies: unknown, type: "management", mount: unknown })).toEqual([]);
    expect(await engine("SchedulerRole").problems({ name: "web", policies: [unknown, "a b"] })).toHaveLength(1);
    expect(await engine("SchedulerLease").problems({ ttl: unknown })).toEqual([]);
    expect(
      await engine("SchedulerAccess").problems({ address: unknown, token: unknown, clientCert: certificate, clientKey: unknown }),
    ).toEqual([]);
    expect(await engine("SchedulerRoles").problems({ roles: unknown, exclusive: unknown })).toEqual([]);
    expect(await engine("SchedulerRoles").problems({ roles: { web: unknown, site: { policies: unknown } }, connection: unknown })).toEqual(
      [],
    );
    const { operation, inputs } = await engine("SchedulerLease").preview({ ttl: unknown, maxTtl: "1h" });
    expect([operation, inputs]).toEqual(["create", expect.objectContaining({ ttl: unknown, maxTtl: 3600, mount: "nomad" })]);
  });

  test("warns of what the service will refuse later", async () => {
    const print = jest.spyOn(console, "log").mockImplementation(() => {});
    const inputs = { address: "http://h:1", token: "t", caCert: sha1Certificate, clientKey: privateKey };
    expect(await engine("SchedulerAccess").problems({ ...inputs, clientCert: "-----BEGIN CERTIFICATE-----\nx\n" })).toEqual([]);
    expect(await engine("SchedulerLease").problems({ ttl: "2h", maxTtl: "1h" })).toEqual([]);
    expect(await engine("SchedulerAccess").problems({ ...inputs, caCert: certificate, clientCert: certificate })).toEqual([]);
    expect(print.mock.calls.flat()).toEqual([
      'warning: scheduler access configuration "nomad": caCert: is signed with SHA-1, which the service refuses from its release 1.12 on',
      'warning: scheduler access configuration "nomad": clientCert: cannot be parsed as an x509 certificate, so that the service will not reach the scheduler with it',
      'warning: scheduler lease configuration "nomad": ttl: is longer than maxTtl, which will cut it',
    ]);
    print.mockRestore();
  });

  test("refuses a connection that the configuration does not hold", async () => {
    expect((await engine("SchedulerLease").problems({ ttl: "1h", connection: "other" }))[0]).toContain(
      'configured under the connection "other"',
    );
  });
});

describe("the server that a resource was written to", () => {
  const role = { name: "web", policies: ["a"] };

  test("is recorded; another address under the same name stops every operation with one sentence", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    expect(resource.state?.outputs.server).toBe(sandbox.secrets.url);
    resource.configure({ "steward:default": to(other) });
    const moved = `it was written to ${sandbox.secrets.url}, and the connection "default" now names ${other.secrets.url}. Correct the connection's address; or, where it is the same installation under a new one, set acceptMoved: true beside the address in steward:default`;
    await expect(resource.preview(role)).rejects.toThrow(`Cannot update scheduler role "web": ${moved}`);
    await expect(resource.refresh()).rejects.toThrow(`Cannot read scheduler role "web": ${moved}`);
    await expect(resource.destroy()).rejects.toThrow(`Cannot delete scheduler role "web": ${moved}`);
    expect(resource.state).toBeDefined();
    expect(sent(other)).toEqual([]);
  });

  test("is recorded anew when acceptMoved says that it is the same installation", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:default": to(other, { acceptMoved: true }) });
    expect(await resource.up(role)).toBe("update");
    resource.configure({ "steward:default": to(other) });
    expect(await resource.up(role)).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a connection merely renamed sends nothing and replaces nothing", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:renamed": to(sandbox) });
    const before = sent().length;
    expect(await resource.up({ ...role, connection: "renamed" })).toBe("update");
    expect(sent()).toHaveLength(before);
    expect(await resource.refresh()).toEqual([]);
    await resource.destroy();
    expect(await hold(sandbox, "nomad/role/web")).toBe(404);
  });

  test("a connection renamed together with another change is recorded", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:renamed": to(sandbox) });
    const changed = { ...role, policies: ["other"], connection: "renamed" };
    expect(await resource.up(changed)).toBe("update");
    expect(await resource.up(changed)).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a connection to another server replaces", async () => {
    const resource = engine("SchedulerRole", { "steward:default": to(sandbox), "steward:other": to(other) });
    await resource.up(role);
    expect(await resource.up({ ...role, connection: "other" })).toBe("replace");
    expect([await hold(sandbox, "nomad/role/web"), await hold(other, "nomad/role/web")]).toEqual([404, 200]);
  });

  test("a changed mount of the connection replaces", async () => {
    const mounts = `${sandbox.secrets.url}/v1/sys/mounts/team/nomad`;
    await fetch(mounts, { method: "POST", headers: { "X-Vault-Token": sandbox.secrets.token }, body: '{"type":"nomad"}' });
    const resource = engine("SchedulerRole");
    await resource.up(role);
    resource.configure({ "steward:default": to(sandbox, { mount: "team/nomad" }) });
    expect(await resource.preview(role)).toMatchObject({ operation: "replace", replaces: ["mount"] });
    await resource.up(role);
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "team/nomad/role/web")]).toEqual([404, 200]);
  });
});

test("a fault of the package says where it is, and shows no secret", async () => {
  const definition = definitions.find(({ token }) => token === "secrets:SchedulerAccess") as { create: unknown };
  const create = jest.spyOn(definition as { create(): Promise<never> }, "create");
  create.mockRejectedValue(new TypeError("cannot read canary-token of undefined"));
  await expect(engine("SchedulerAccess").up({ address: "http://scheduler", token: "canary-token" })).rejects.toThrow(
    /^Cannot create scheduler access.*: pulumi-steward itself failed \(TypeError: cannot read \[secret\] of undefined, in provider\/[\w/.-]+:\d+\)\. This is a fault of the package: please report it\.$/,
  );
  create.mockRestore();
});

describe("half-done work", () => {
  const role = { name: "web", policies: ["a"] };
  const write = { system: "secrets" as const, method: "POST", path: "/v1/nomad/role/web" };

  test("a write applied, its reply lost: sent again, and that is all", async () => {
    sandbox.faults.add({ ...write, action: "drop-after" });
    const resource = engine("SchedulerRole");
    expect(await resource.up(role)).toBe("create");
    expect(sent()).toEqual(["GET /v1/nomad/role/web", "POST /v1/nomad/role/web", "POST /v1/nomad/role/web"]);
  });

  test.each(["drop-before", "drop-after"] as const)(
    "a creation whose every reply is lost (%s): kept as unfinished, and the next up converges",
    async (action) => {
      sandbox.faults.add({ ...write, action, times: 100 });
      const resource = engine("SchedulerRole");
      await expect(resource.up(role)).rejects.toMatchObject({ code: "ERR_REPLY_LOST" });
      expect(resource.state).toMatchObject({ id: "nomad/role/web", initErrors: true, outputs: { unfinished: true } });
      sandbox.faults.clear();
      expect(await resource.up(role)).toBe("update");
      expect(await hold(sandbox, "nomad/role/web")).toBe(200);
      expect(await resource.up(role)).toBe("same");
      expect(await resource.refresh()).toEqual([]);
      expect(resource.state?.outputs.unfinished).toBeUndefined();
    },
    20_000,
  );

  test("a creation that never reached the server leaves nothing in the state", async () => {
    const resource = engine("SchedulerRole");
    sandbox.faults.add({ ...write, action: "respond", status: 403, body: '{"errors":["permission denied"]}' });
    await expect(resource.up(role)).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
    expect(resource.state).toBeUndefined();
    expect(await resource.up(role)).toBe("create");
  });

  test("an update whose outcome is unknown is written again, even when the program went back", async () => {
    const resource = engine("SchedulerRole");
    await resource.up(role);
    sandbox.faults.add({ ...write, action: "respond", status: 500, body: "oops" });
    await expect(resource.up({ ...role, policies: ["b"] })).rejects.toThrow(
      'Cannot update scheduler role "web": oops (POST /v1/nomad/role/web, 500).',
    );
    expect(resource.state).toMatchObject({ initErrors: true, outputs: { policies: ["a"] } });
    expect(await resource.up(role)).toBe("update");
    expect(await resource.up(role)).toBe("same");
  });

  test("an unfinished creation under a connection renamed meanwhile is still written", async () => {
    const resource = engine("SchedulerRole");
    sandbox.faults.add({ ...write, action: "respond", status: 500 });
    await expect(resource.up(role)).rejects.toMatchObject({ code: "ERR_SERVER" });
    resource.configure({ "steward:renamed": to(sandbox) });
    await resource.up({ ...role, connection: "renamed" });
    expect(await hold(sandbox, "nomad/role/web")).toBe(200);
  });

  test("a set of roles keeps what succeeded, names what failed, and goes on from there", async () => {
    const roles = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, { policies: ["p"] }]));
    sandbox.faults.add({ ...write, path: "/v1/nomad/role/b", action: "respond", status: 400, body: '{"errors":["not today"]}' });
    sandbox.faults.add({ ...write, path: "/v1/nomad/role/c", action: "respond", status: 500, body: '{"errors":["not sure"]}' });
    const resource = engine("SchedulerRoles");
    await expect(resource.up({ roles })).rejects.toMatchObject({
      code: "ERR_INCOMPLETE",
      message: expect.stringMatching(
        /^Cannot create scheduler roles "nomad": 2 of 4 roles failed: [bc], [bc]\. The first, "[bc]": not (today|sure) \(POST .*The others are done; the next `pulumi up` goes on from there\.$/,
      ),
    });
    expect(Object.keys(resource.state?.outputs.roles as object).sort()).toEqual(["a", "d"]);
    const before = sent().length;
    expect(await resource.up({ roles })).toBe("update");
    // The list tells that "b" is not somebody else's; "c" may be ours already.
    expect(sent().slice(before).sort()).toEqual(["GET /v1/nomad/role?list=true", "POST /v1/nomad/role/b", "POST /v1/nomad/role/c"]);
    expect(await resource.up({ roles })).toBe("same");
    expect(await resource.refresh()).toEqual([]);
  });

  test.each([403, 404])("a set of roles of which some were refused with %d keeps the others as well", async (status) => {
    sandbox.faults.add({ ...write, path: "/v1/nomad/role/b", action: "respond", status, body: '{"errors":["not for you"]}' });
    const roles = { a: { policies: ["p"] }, b: { policies: ["p"] } };
    const resource = engine("SchedulerRoles");
    await expect(resource.up({ roles })).rejects.toMatchObject({
      code: "ERR_INCOMPLETE",
      message: expect.stringContaining("1 of 2 roles failed: b."),
    });
    expect(Object.keys(resource.state?.outputs.roles as object)).toEqual(["a"]);
    expect(await resource.up({ roles })).toBe("update");
    expect(await resource.refresh()).toEqual([]);
  });

  test("a role whose write was never answered is deleted with the others", async () => {
    sandbox.faults.add({ ...write, action: "drop-after", times: 100 });
    const resource = engine("SchedulerRoles");
    await expect(resource.up({ roles: { web: { policies: ["p"] }, site: { policies: ["p"] } } })).rejects.toMatchObject({
      code: "ERR_INCOMPLETE",
    });
    expect(await hold(sandbox, "nomad/role/web")).toBe(200);
    sandbox.faults.clear();
    await resource.destroy();
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "nomad/role/site")]).toEqual([404, 404]);
  }, 20_000);

  test("an unanswered removal is settled by a refresh: what somebody makes there later is theirs", async () => {
    const roles = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, { policies: ["p"] }]));
    const resource = engine("SchedulerRoles");
    await resource.up({ roles: roles("web", "b") });
    sandbox.faults.add({ ...write, method: "DELETE", path: "/v1/nomad/role/b", action: "drop-after", times: 100 });
    await expect(resource.up({ roles: roles("web") })).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    sandbox.faults.clear();
    expect(await hold(sandbox, "nomad/role/b")).toBe(404);
    await resource.refresh();
    await fetch(`${sandbox.secrets.url}/v1/nomad/role/b`, {
      method: "POST",
      headers: { "X-Vault-Token": sandbox.secrets.token },
      body: '{"policies":"theirs"}',
    });
    await resource.up({ roles: { web: { policies: ["q"] } } });
    await resource.destroy();
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "nomad/role/b")]).toEqual([404, 200]);
  }, 20_000);

  test("an unanswered creation in an exclusive set is ours after a refresh, and goes with the set", async () => {
    sandbox.faults.add({ ...write, action: "drop-after", times: 100 });
    const inputs = { roles: { web: { policies: ["p"] }, site: { policies: ["p"] } }, exclusive: true };
    const resource = engine("SchedulerRoles");
    await expect(resource.up(inputs)).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    sandbox.faults.clear();
    await resource.refresh();
    await resource.destroy();
    expect([await hold(sandbox, "nomad/role/web"), await hold(sandbox, "nomad/role/site")]).toEqual([404, 404]);
  }, 20_000);

  test("a set of which a role could not be deleted stays in the state", async () => {
    const resource = engine("SchedulerRoles");
    await resource.up({ roles: { web: { policies: ["p"] }, site: { policies: ["p"] } } });
    sandbox.faults.add({ ...write, method: "DELETE", action: "respond", status: 400 });
    await expect(resource.destroy()).rejects.toMatchObject({ code: "ERR_REFUSED" });
    expect(resource.state).toBeDefined();
    await resource.destroy();
    expect(await hold(sandbox, "nomad/role/web")).toBe(404);
  });

  test("a write applied with its reply lost, then a sealed server: the outcome stays in doubt", async () => {
    sandbox.faults.add({ ...write, action: "drop-after" });
    sandbox.faults.add({ ...write, nth: 2, action: "respond", status: 503, times: 100 });
    const resource = engine("SchedulerRole");
    await expect(resource.up(role)).rejects.toMatchObject({ code: "ERR_UNAVAILABLE" });
    expect(resource.state).toMatchObject({ initErrors: true, outputs: { unfinished: true } });
    sandbox.faults.clear();
    expect(await resource.up(role)).toBe("update");
  }, 20_000);

  test("a sealed server that applied nothing leaves nothing in the state", async () => {
    sandbox.faults.add({ ...write, action: "respond", status: 503, times: 100 });
    const resource = engine("SchedulerRole");
    await expect(resource.up(role)).rejects.toMatchObject({ code: "ERR_UNAVAILABLE" });
    expect(resource.state).toBeUndefined();
  }, 20_000);

  test("a token whose change is in doubt is written again even after a refresh and a step back", async () => {
    const access = { address: "http://127.0.0.1:4646", token: "canary-one" };
    const resource = engine("SchedulerAccess");
    await resource.up(access);
    sandbox.faults.add({
      ...write,
      path: "/v1/nomad/config/access",
      action: "respond",
      status: 500,
      body: "it was canary-one and is canary-two",
    });
    await expect(resource.up({ ...access, token: "canary-two" })).rejects.toThrow("it was [secret] and is [secret]");
    await resource.refresh();
    expect(await resource.up(access)).toBe("update");
    expect(await resource.up(access)).toBe("same");
  });

  test("a lease whose creation was lost does not forget what was there", async () => {
    const call = (body: object): Promise<Response> =>
      fetch(`${sandbox.secrets.url}/v1/nomad/config/lease`, {
        method: "POST",
        headers: { "X-Vault-Token": sandbox.secrets.token },
        body: JSON.stringify(body),
      });
    await call({ ttl: 60, max_ttl: 7200 });
    sandbox.faults.add({ ...write, path: "/v1/nomad/config/lease", action: "respond", status: 500 });
    const resource = engine("SchedulerLease");
    await expect(resource.up({ ttl: "1h" })).rejects.toMatchObject({ code: "ERR_SERVER" });
    await resource.up({ ttl: "1h" });
    expect(resource.outputs()).toMatchObject({ ttl: 3600, maxTtl: 7200 });
  });

  test("a set of roles of which none could be written leaves nothing in the state", async () => {
    sandbox.faults.add({ ...write, path: /role\//, action: "respond", status: 403, times: 10 });
    const resource = engine("SchedulerRoles");
    await expect(resource.up({ roles: { a: { policies: ["p"] }, b: { policies: ["p"] } } })).rejects.toMatchObject({
      code: "ERR_FORBIDDEN",
    });
    expect(resource.state).toBeUndefined();
  });
});

describe('only "not found" means gone', () => {
  test.each([
    [{ action: "respond" as const, status: 500 }, "ERR_SERVER"],
    [{ action: "respond" as const, status: 403, body: '{"errors":["permission denied"]}' }, "ERR_FORBIDDEN"],
    [
      { action: "respond" as const, status: 404, body: '{"errors":["no handler for route \\"nomad/role/web\\". route entry not found."]}' },
      "ERR_NOT_FOUND",
    ],
    [{ action: "respond" as const, status: 200, body: "<html></html>" }, "ERR_UNEXPECTED_RESPONSE"],
    [{ action: "respond" as const, status: 404, body: "<html>no such page</html>" }, "ERR_NOT_FOUND"],
    [{ action: "respond" as const, status: 404, body: "no such route" }, "ERR_NOT_FOUND"],
    [{ action: "respond" as const, status: 404, body: '{"message":"no route matched"}' }, "ERR_NOT_FOUND"],
    [{ action: "respond" as const, status: 200, body: '{"data":{}}' }, "ERR_UNEXPECTED_RESPONSE"],
    [{ action: "respond" as const, status: 200, body: '{"data":null}' }, "ERR_UNEXPECTED_RESPONSE"],
    [{ action: "respond" as const, status: 204 }, "ERR_UNEXPECTED_RESPONSE"],
    [{ action: "redirect" as const, headers: { location: "http://127.0.0.1:1/v1/nomad/role/web" } }, "ERR_REDIRECTED"],
    [{ action: "huge" as const }, "ERR_UNEXPECTED_RESPONSE"],
    [{ action: "refuse" as const, times: 100 }, "ERR_REPLY_LOST"],
    [{ action: "truncate" as const, times: 100 }, "ERR_REPLY_LOST"],
  ])(
    "%j keeps the resource in the state, and the next refresh finds no drift",
    async (fault, code) => {
      const resource = engine("SchedulerRole");
      await resource.up({ name: "web", policies: ["a"] });
      sandbox.faults.add({ system: "secrets", method: "GET", path: "/v1/nomad/role/web", ...fault });
      await expect(resource.refresh()).rejects.toMatchObject({
        code,
        stack: "",
        message: expect.stringMatching(/^Cannot read scheduler role "web": /),
      });
      expect(resource.state).toBeDefined();
      sandbox.faults.clear();
      expect(await resource.refresh()).toEqual([]);
    },
    20_000,
  );
});

test.each([
  [{ action: "respond" as const, status: 403, body: '{"errors":["permission denied"]}' }, "ERR_FORBIDDEN"],
  [{ action: "respond" as const, status: 200, body: "<html></html>" }, "ERR_UNEXPECTED_RESPONSE"],
  [{ action: "redirect" as const, headers: { location: "http://127.0.0.1:1/v1/nomad/role/web" } }, "ERR_REDIRECTED"],
  [{ action: "huge" as const }, "ERR_UNEXPECTED_RESPONSE"],
  [{ action: "refuse" as const, times: 100 }, "ERR_REPLY_LOST"],
])(
  "%j before a creation: one sentence, nothing in the state, and the next up converges",
  async (fault, code) => {
    const resource = engine("SchedulerRole");
    sandbox.faults.add({ system: "secrets", method: "GET", path: "/v1/nomad/role/web", ...fault });
    await expect(resource.up({ name: "web", policies: ["a"] })).rejects.toMatchObject({
      code,
      stack: "",
      message: expect.stringMatching(/^Cannot create scheduler role "web": [^\n]+ \(GET \/v1\/nomad\/role\/web[^\n]*\.$/),
    });
    expect(resource.state).toBeUndefined();
    sandbox.faults.clear();
    expect(await resource.up({ name: "web", policies: ["a"] })).toBe("create");
    expect(await resource.refresh()).toEqual([]);
  },
  20_000,
);

test.each(["<html></html>", "no such route", ""])(
  "a 404 of something before the service (%j) does not pass for a deletion",
  async (body) => {
    const resource = engine("SchedulerRole");
    await resource.up({ name: "web", policies: ["a"] });
    sandbox.faults.add({ system: "secrets", method: "DELETE", path: "/v1/nomad/role/web", action: "respond", status: 404, body });
    await expect(resource.destroy()).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    await resource.destroy();
    expect(await hold(sandbox, "nomad/role/web")).toBe(404);
  },
);

test.each(["SchedulerAccess", "SchedulerLease", "SchedulerRole", "SchedulerRoles"])("%s can be destroyed after its mount", async (type) => {
  for (const dialect of ["standard", "hashicorp"] as const) {
    const service = await start({ dialect });
    const settings = { secrets: { address: service.secrets.url, token: service.secrets.token, dialect } };
    const resource = engine(type, { "steward:default": settings });
    const policies = ["a"];
    await resource.up(
      {
        SchedulerAccess: { address: "http://h:1", token: "t" },
        SchedulerLease: { ttl: 1 },
        SchedulerRole: { name: "web", policies },
        SchedulerRoles: { roles: { web: { policies } } },
      }[type] ?? {},
    );
    const mount = dialect === "standard" ? "scheduler" : "nomad";
    const header = dialect === "standard" ? "X-Secrets-Token" : "X-Vault-Token";
    await fetch(`${service.secrets.url}/v1/sys/mounts/${mount}`, { method: "DELETE", headers: { [header]: service.secrets.token } });
    await resource.destroy();
    await service.close();
  }
});

test("a preview that does not know the connection yet replaces nothing that it cannot compare", async () => {
  const resource = engine("SchedulerLease");
  await resource.up({ ttl: "1h" });
  expect(await resource.preview({ ttl: "1h", connection: unknown })).toMatchObject({ operation: "update", replaces: [] });
});

test("two names of one server: the old resource goes before the new one comes", async () => {
  const local = to(sandbox, { address: sandbox.secrets.url.replace("127.0.0.1", "localhost") });
  const resource = engine("SchedulerRole", { "steward:default": to(sandbox), "steward:local": local });
  await resource.up({ name: "web", policies: ["a"], adopt: true });
  expect(await resource.up({ name: "web", policies: ["a"], adopt: true, connection: "local" })).toBe("replace");
  expect(await hold(sandbox, "nomad/role/web")).toBe(200);
});

describe("what an error explains", () => {
  const read = {
    system: "secrets" as const,
    method: "GET",
    path: "/v1/nomad/role/web",
    action: "respond" as const,
    body: '{"errors":["permission denied"]}',
  };

  test.each([401, 403])("%d at refresh and destroy: the configuration is that of the last up", async (status) => {
    const resource = engine("SchedulerRole");
    await resource.up({ name: "web", policies: ["a"] });
    const stale =
      /`pulumi refresh` and `pulumi destroy` use the configuration of the last `pulumi up`: if it was changed since, run `pulumi up` or add --run-program; what tokenEnv or tokenFile names is read anew each time\.$/;
    sandbox.faults.add({ ...read, status });
    await expect(resource.refresh()).rejects.toThrow(stale);
    sandbox.faults.add({ ...read, method: "DELETE", status });
    await expect(resource.destroy()).rejects.toThrow(stale);
    sandbox.faults.add({ ...read, method: "POST", status });
    await expect(resource.up({ name: "web", policies: ["b"] })).rejects.not.toThrow(stale);
  });

  test("a refusal without a token says that none was sent", async () => {
    const anonymous = { "steward:default": { secrets: { address: sandbox.secrets.url, dialect: "hashicorp" } } };
    await expect(engine("SchedulerRole", anonymous).up({ name: "web", policies: ["a"] })).rejects.toThrow(
      'permission denied (GET /v1/nomad/role/web, 403). No token was sent: give the connection "default" one for secrets, as tokenEnv, tokenFile or token',
    );
    const unset = { "steward:default": to(sandbox, { token: undefined, tokenEnv: "STEWARD_UNSET" }) };
    await expect(engine("SchedulerRole", unset).up({ name: "web", policies: ["a"] })).rejects.toThrow("The variable STEWARD_UNSET");
  });

  describe("a creation refused with 403 or 404 asks once what this token may see", () => {
    const as = async (policy: string): Promise<object> => {
      const call = (method: string, path: string, body: object): Promise<Response> =>
        fetch(`${sandbox.secrets.url}/v1/${path}`, {
          method,
          headers: { "X-Vault-Token": sandbox.secrets.token },
          body: JSON.stringify(body),
        });
      await call("PUT", "sys/policies/acl/limited", { policy });
      const answer = (await (await call("POST", "auth/token/create", { policies: ["limited"] })).json()) as {
        auth: { client_token: string };
      };
      return to(sandbox, { token: answer.auth.client_token });
    };
    const listing = "GET /v1/sys/internal/specs/openapi";
    const role = { name: "web", policies: ["a"] };

    test("the token may see the path, and not write there", async () => {
      const limited = await as('path "nomad/*" { capabilities = ["read"] }');
      await expect(engine("SchedulerRole", { "steward:default": limited }).up(role)).rejects.toThrow(
        /^Cannot create scheduler role "web": permission denied \(POST \/v1\/nomad\/role\/web, 403\)\. This token sees \/nomad\/role\/web but may not do this with it: its policy needs the capabilities create, read and update there\.$/,
      );
      expect(sent().filter((request) => request === listing)).toHaveLength(1);
    });

    test("the token sees nothing of the engine", async () => {
      const limited = await as('path "other/*" { capabilities = ["read"] }');
      const [one, two] = [
        engine("SchedulerRole", { "steward:default": limited }),
        engine("SchedulerLease", { "steward:default": limited }),
      ];
      const nothing =
        "This token sees nothing below /nomad/: no scheduler engine is mounted there (mount it, or set the right `mount`), or the token's policy does not cover it.";
      // Together, as in one process.
      await Promise.all([expect(one.up(role)).rejects.toThrow(nothing), expect(two.up({ ttl: "1h" })).rejects.toThrow(nothing)]);
      expect(sent().filter((request) => request === listing)).toHaveLength(1);
    });

    test("no engine is mounted there", async () => {
      await expect(engine("SchedulerRole").up({ ...role, mount: "team/none" })).rejects.toThrow(
        /no handler for route .* \(GET \/v1\/team\/none\/role\/web, 404\)\. This token sees nothing below \/team\/none\/: no scheduler engine is mounted there/,
      );
    });

    test("where the listing fails, the refusal stands alone", async () => {
      const limited = await as('path "third/*" { capabilities = ["read"] }');
      sandbox.faults.add({ system: "secrets", path: /openapi/, action: "respond", status: 500 });
      await expect(engine("SchedulerRole", { "steward:default": limited }).up(role)).rejects.toThrow(
        /Check the token of secrets in the connection "default"/,
      );
    });
  });
});
