import { randomBytes } from "node:crypto";
import { Operation } from "../../../provider/contract/operation";
import { call as send } from "../../../provider/secrets/client";
import { revokeLogins } from "../../../provider/secrets/login";
import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { connectTo } from "../../support/connection";
import { Engine } from "../../support/engine";
import { allowLogins, idToken } from "../../support/identity";
import { printed } from "../../support/printed";
import { expectRefused, failure, invalidInputs, refusal } from "../../support/refusal";
import { serveAt } from "../http/exchange";

const { REAL_VAULT_ADDRESS, REAL_VAULT_TOKEN = "", REAL_OPENBAO_ADDRESS, REAL_OPENBAO_TOKEN = "" } = process.env;
interface Server {
  root: { url: string; token: string };
  dialect: "hashicorp" | "openbao";
  sandbox?: Sandbox;
}
const real = (dialect: Server["dialect"], url: string | undefined, token: string) =>
  url ? [{ name: `real ${dialect}`, begin: async (): Promise<Server> => ({ dialect, root: { url, token } }) }] : [];
const onSandbox = async (): Promise<Server> => {
  const sandbox = await start({ dialect: "hashicorp" });
  return { dialect: "hashicorp", root: sandbox.secrets, sandbox };
};
const servers = REAL_VAULT_ADDRESS
  ? [...real("hashicorp", REAL_VAULT_ADDRESS, REAL_VAULT_TOKEN), ...real("openbao", REAL_OPENBAO_ADDRESS, REAL_OPENBAO_TOKEN)]
  : [{ name: "sandbox", begin: onSandbox }];

const path = "auth/jwt/login";
const byReference = { env: "TEST_ID_TOKEN" };
const self = { method: "GET", path: "/v1/auth/token/lookup-self", retry: "idempotent" } as const;
const selfOf = async (operation: Operation): Promise<{ id: string; policies: string[] }> =>
  ((await send(operation, self)) as { data: { id: string; policies: string[] } }).data;
/** The end of a process. */
afterEach(revokeLogins);

describe.each(servers)("a login, $name", ({ begin }) => {
  let server: Server;
  let role: string;
  beforeAll(async () => {
    server = await begin();
    const policy = 'path "nomad/role/*" { capabilities = ["create", "read", "update", "delete"] }';
    role = await allowLogins(server.root, policy);
  });
  beforeEach(() => {
    process.env.TEST_ID_TOKEN = idToken();
  });
  afterAll(() => server.sandbox?.close());

  const settings = (body: object = { role, jwt: byReference }, at = path): object => ({
    address: server.root.url,
    dialect: server.dialect,
    login: { path: at, body },
  });
  const connect = (...more: Parameters<typeof settings>): Operation => connectTo("secrets", settings(...more));
  const isValid = async (token: string): Promise<boolean> => (await call({ ...server.root, token }, "GET", self.path)).status === 200;
  const logins = (): number | undefined => server.sandbox?.requests().filter((each) => each.path === `/v1/${path}`).length;

  test("two requests at once share one login, whose token ends with the process", async () => {
    const before = logins() ?? 0;
    // Functions connect anew.
    const [first, second] = await Promise.all([selfOf(connect()), selfOf(connect())]);
    expect(first.policies.sort()).toEqual([role, "default"].sort());
    expect(second.id).toBe(first.id);
    expect((await selfOf(connect())).id).toBe(first.id);
    if (server.sandbox) expect(logins()).toBe(before + 1);
    await revokeLogins();
    expect(await isValid(first.id)).toBe(false);
    expect((await selfOf(connect())).id).not.toBe(first.id);
  });

  test("an expired ID token is rejected once, in one sentence, without its value", async () => {
    process.env.TEST_ID_TOKEN = idToken(-600);
    const before = logins() ?? 0;
    const operation = connect();
    const rejected = refusal("ERR_REJECTED", { rule: "login", method: "POST", path: `/v1/${path}`, status: 400 });
    for (const _ of [1, 2]) {
      await expectRefused(selfOf(operation), rejected, "the login failed: ", /exp/, "An ID token may have expired");
      const { message } = await failure(selfOf(operation));
      expect(message).not.toContain(process.env.TEST_ID_TOKEN.slice(0, 12));
    }
    if (server.sandbox) expect(logins()).toBe(before + 1);
    await revokeLogins();
  });

  test("a role that does not exist is named, and an unset variable sends nothing", async () => {
    await expectRefused(selfOf(connect({ role: "no", jwt: byReference })), refusal("ERR_REJECTED", { rule: "login" }), '"no"');
    const before = logins();
    const missing = selfOf(connect({ role, jwt: { env: "NO_SUCH_TOKEN" } }));
    await expectRefused(missing, invalidInputs("login.body.jwt: reference"), "the variable NO_SUCH_TOKEN is not set");
    expect(logins()).toBe(before);
  });

  test("a later 403 tells where the token comes from, and does not log in again", async () => {
    const forbidden = refusal("ERR_FORBIDDEN", { status: 403, path: "/v1/sys/policies/acl/default" });
    const denied = (): Promise<unknown> => send(connect(), { ...self, path: "/v1/sys/policies/acl/default" });
    await expectRefused(denied(), forbidden, `It comes from the login at ${path}`);
    const before = logins();
    const { id } = await selfOf(connect());
    await call({ ...server.root, token: id }, "POST", "/v1/auth/token/revoke-self");
    for (const _ of [1, 2]) await expectRefused(denied(), forbidden, "and may have expired");
    expect(logins()).toBe(before);
  });

  test("other methods log in, too", async () => {
    if (server.sandbox) return;
    const name = randomBytes(6).toString("hex");
    const root = (method: string, to: string, body?: object) => call(server.root, method, `/v1/${to}`, body);
    for (const type of ["approle", "userpass"]) await root("POST", `sys/auth/${type}`, { type });
    await root("POST", `auth/userpass/users/${name}`, { password: "canary-password", token_ttl: "10m" });
    expect((await selfOf(connect({ password: "canary-password" }, `/auth/userpass/login/${name}/`))).policies).toEqual(["default"]);
    const wrong = connect({ password: "canary-wrong" }, `auth/userpass/login/${name}`);
    await expectRefused(selfOf(wrong), refusal("ERR_REJECTED", { rule: "login" }));
    await root("POST", `auth/approle/role/${name}`, { token_policies: [role] });
    const roleId = (await root("GET", `auth/approle/role/${name}/role-id`)).json.data.role_id;
    process.env.TEST_SECRET_ID = (await root("POST", `auth/approle/role/${name}/secret-id`)).json.data.secret_id;
    const approle = connect({ role_id: roleId, secret_id: { env: "TEST_SECRET_ID" } }, "auth/approle/login");
    expect((await selfOf(approle)).policies).toContain(role);
  });

  test("a resource lives with it, and keeps it when it changes", async () => {
    if (server.dialect === "openbao") return;
    const config = (body?: object): Record<string, object> => ({ "steward:default": { secrets: settings(body) } });
    const name = randomBytes(6).toString("hex");
    const resource = new Engine("secrets:SchedulerRole", config());
    expect(await resource.up({ name, policies: ["a"] })).toBe("create");
    const { id } = await selfOf(connect());
    const other = idToken(200);
    resource.configure(config({ role, jwt: other }));
    expect(await resource.up({ name, policies: ["a"] })).toBe("same");
    expect(await resource.refresh()).toEqual([]);
    expect(await resource.up({ name, policies: ["b"] })).toBe("update");
    for (const secret of [id, other, process.env.TEST_ID_TOKEN as string])
      expect(resource.stored() + JSON.stringify([resource.state, printed, process.env.VAULT_TOKEN])).not.toContain(secret);
    await resource.destroy();
  });
});

test("a token whose lease would end with the login stays until its TTL", async () => {
  const sandbox = await start({ dialect: "hashicorp" });
  const { secrets, scheduler } = sandbox;
  const role = await allowLogins(secrets, 'path "nomad/creds/*" { capabilities = ["read"] }');
  await call(secrets, "POST", "/v1/nomad/config/access", { address: scheduler.url, token: scheduler.token });
  await call(secrets, "POST", "/v1/nomad/role/operator", { type: "management" });
  const login = { path, body: { role, jwt: idToken() } };
  const token = new Engine("secrets:SchedulerToken", {
    "steward:default": { secrets: { address: secrets.url, dialect: "hashicorp", login } },
  });
  await token.up({ role: "operator" });
  await revokeLogins();
  const { secretId } = token.outputs() as { secretId: string };
  expect((await call({ url: scheduler.url, token: secretId }, "GET", "/v1/jobs")).status).toBe(200);
  await sandbox.close();
});

test.each([
  ["standard", "x-secrets-token", "x-secrets-namespace"],
  ["hashicorp", "x-vault-token", "x-vault-namespace"],
])("the dialect %s logs in in the namespace, and a response without a token is an error", async (dialect, tokenHeader, namespaceHeader) => {
  const asked: unknown[] = [];
  const address = await serveAt((request, response) => {
    const { method, url, headers } = request;
    asked.push([method, url, headers[tokenHeader], headers[namespaceHeader]]);
    const auth = { client_token: url?.includes("bad") ? "" : "canary-token" };
    response.end(JSON.stringify(url?.includes("login") ? { auth } : { lease_id: "", data: {} }));
  });
  const at = (own: string): Operation => connectTo("secrets", { address, dialect, namespace: "team/a", login: { path: own } });
  await send(at("auth/good/login"), self);
  expect(asked).toEqual([
    ["POST", "/v1/auth/good/login", undefined, "team/a"],
    ["GET", self.path, "canary-token", "team/a"],
  ]);
  await revokeLogins();
  expect(asked.at(-1)).toEqual(["POST", "/v1/auth/token/revoke-self", "canary-token", "team/a"]);
  await expectRefused(send(at("auth/bad/login"), self), refusal("ERR_UNEXPECTED_RESPONSE", { rule: "login", path: "/v1/auth/bad/login" }));
});

test.each([
  ["an empty list of errors", JSON.stringify({ errors: [] })],
  ["a web page", "<html></html>"],
])("a login that is not found, with %s, proves nothing about an object", async (_, body) => {
  let isThere = true;
  const address = await serveAt(({ method, url }, response) => {
    if (!isThere) return response.writeHead(404).end(body);
    if (url?.includes("login")) return response.end(JSON.stringify({ auth: { client_token: "canary-token" } }));
    return method === "GET" ? response.writeHead(404).end(JSON.stringify({ errors: [] })) : response.writeHead(204).end();
  });
  const role = new Engine("secrets:SchedulerRole", { "steward:default": { secrets: { address, dialect: "hashicorp", login: { path } } } });
  await role.up({ name: "web", policies: ["a"] });
  await revokeLogins();
  isThere = false;
  for (const operation of [() => role.refresh(), () => role.destroy()])
    await expectRefused(operation(), refusal("ERR_REJECTED", { rule: "login" }), "the login failed with 404: ");
  expect(role.state).toBeDefined();
});

test("an error of a login shows its role and none of its other values", async () => {
  const address = await serveAt((_, response) => response.writeHead(400).end(JSON.stringify({ errors: ["ci: wrong canary-jwt"] })));
  const login = { path, body: { role: "ci", jwt: "canary-jwt" } };
  await expectRefused(
    send(connectTo("secrets", { address, login }), self),
    refusal("ERR_REJECTED", { rule: "login" }),
    /ci: wrong \[secret\]/,
  );
});

test.each([
  [{ token: "t", login: { path } }, "secrets: token-or-login"],
  [{ tokenEnv: "T", login: { path } }, "secrets: token-or-login"],
  [{ login: { path: "sys/seal" } }, "secrets.login.path: login-path"],
  [{ login: { path: "auth/../sys" } }, "secrets.login.path: login-path"],
  [{ login: {} }, "secrets.login.path: missing"],
  [{ login: { path, body: { jwt: 7 } } }, "secrets.login.body.jwt: custom"],
  [{ login: { path, body: { jwt: { env: "A", file: "b" } } } }, "secrets.login.body.jwt: custom"],
])("the settings %j are invalid", (more, problem) => {
  const invalid = (): unknown => connectTo("secrets", { address: "https://vault.example.com", ...more });
  expect(invalid).toThrow(invalidInputs(problem));
});

test("the server of a connection does not depend on its login", () => {
  const idOf = (more: object): string => connectTo("secrets", { address: "https://vault.example.com", ...more }).server.id;
  expect(idOf({ login: { path, body: { jwt: "one" } } })).toBe(idOf({ token: "t" }));
});
