import { type Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";

describe.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("tokens, policies and the OpenAPI document, %s", (dialect, engine) => {
  let sandbox: Sandbox;
  const real = dialect === "hashicorp";
  const to = (method: string, path: string, body?: unknown, token?: string) => call(sandbox.secrets, method, `/v1/${path}`, body, token);

  /** Creates a token with only this policy. */
  async function tokenWith(policy: string): Promise<string> {
    expect((await to("PUT", "sys/policies/acl/p", { policy })).status).toBe(204);
    return (await to("POST", "auth/token/create", { policies: ["p"] })).json.auth.client_token;
  }
  async function paths(token?: string): Promise<string[]> {
    return Object.keys((await to("GET", "sys/internal/specs/openapi", undefined, token)).json.paths);
  }

  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  beforeEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  test("a missing or wrong token is rejected before any other check", async () => {
    for (const path of [`${engine}/role/web`, "nowhere/x", "sys/mounts", "sys/nothing"]) {
      expect(await to("GET", path, undefined, "")).toMatchObject({ status: 403, json: { errors: ["permission denied"] } });
      expect((await to("GET", path, undefined, "wrong")).json.errors).toEqual([
        "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n",
      ]);
    }
  });

  test("the token is accepted in the headers of the dialect", async () => {
    const ask = async (headers: Record<string, string>) => (await fetch(`${sandbox.secrets.url}/v1/sys/mounts`, { headers })).status;
    const { token } = sandbox.secrets;
    expect(await ask({ "x-secrets-token": token })).toBe(real ? 403 : 200);
    expect(await ask({ "x-vault-token": token })).toBe(real ? 200 : 403);
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(real ? 200 : 403);
    expect(await ask({ authorization: `Basic ${token}` })).toBe(403);
  });

  test("a policy allows exact paths and prefixes, the longest match applies, and deny overrides the rest", async () => {
    const token = await tokenWith(`
      path "${engine}/role/*" { capabilities = ["read", "list"] } # all of them
      path "${engine}/role/secret*" { capabilities = ["deny"] }
      path "${engine}/config/lease" { capabilities = ["read", "create",] } // no update
    `);
    for (const name of ["web", "secret1"]) await to("POST", `${engine}/role/${name}`, { policies: "a" });
    const status = async (method: string, path: string, body?: unknown) => (await to(method, `${engine}/${path}`, body, token)).status;
    expect(await status("GET", "role/web")).toBe(200);
    expect(await status("GET", "role?list=true")).toBe(200);
    expect(await status("GET", "role/secret1")).toBe(403);
    expect(await status("POST", "role/web", { policies: "b" })).toBe(403);
    expect(await status("DELETE", "role/absent")).toBe(403);
    expect(await status("GET", "config/access")).toBe(403);
    // A write of the lease configuration always requires "update", even the first.
    expect(await status("POST", "config/lease", {})).toBe(403);
    expect((await to("GET", "nowhere/x", undefined, token)).json.errors).toEqual(["1 error occurred:\n\t* permission denied\n\n"]);
  });

  test("creating and updating a role require different capabilities", async () => {
    await to("POST", `${engine}/role/old`, { policies: "a" });
    const creator = await tokenWith(
      `path "${engine}/role/*" { capabilities = ["create"] } path "${engine}/role" { capabilities = ["list"] }`,
    );
    const write = async (name: string, token: string) => (await to("POST", `${engine}/role/${name}`, { policies: "a" }, token)).status;
    expect([await write("old", creator), await write("new", creator)]).toEqual([403, 204]);
    expect((await to("GET", `${engine}/role?list=true`, undefined, creator)).json.data.keys).toEqual(["new", "old"]);
    const updater = await tokenWith(`path "${engine}/role/*" { capabilities = ["update"] }`);
    expect([await write("old", updater), await write("newer", updater)]).toEqual([204, 403]);
  });

  test("a path that the OpenAPI document marks as sudo requires that capability as well", async () => {
    const path = "auth/token/accessors";
    const { paths } = (await to("GET", "sys/internal/specs/openapi")).json;
    const flag = real ? "x-vault-sudo" : "x-secrets-sudo";
    expect(Object.keys(paths).filter((each) => paths[each][flag])).toEqual([`/${path}${real ? "/" : ""}`]);
    for (const at of [path, `${path}/`, "auth/token/*"])
      for (const capabilities of [["list"], ["sudo"], ["read", "sudo"], ["list", "sudo"]]) {
        const token = await tokenWith(`path "${at}" { capabilities = ${JSON.stringify(capabilities)} }`);
        const isAllowed = capabilities.includes("list") && capabilities.includes("sudo");
        const refused = { status: 403, json: { errors: ["1 error occurred:\n\t* permission denied\n\n"] } };
        expect(await to("LIST", path, undefined, token)).toMatchObject(isAllowed ? { status: 200 } : refused);
      }
    const accessor = (await to("POST", "auth/token/create", {})).json.auth.accessor;
    expect((await to("GET", `${path}?list=true`)).json.data.keys).toContain(accessor);
    expect((await to("GET", path)).status).toBe(405);
    expect((await to("LIST", path, undefined, "")).status).toBe(403);
  });

  test("policies are read back, rejected if invalid, and deleted twice", async () => {
    const policy = 'path "a/*" { capabilities = ["read"] }';
    await to("PUT", "sys/policies/acl/p", { policy });
    expect((await to("GET", "sys/policies/acl/P")).json.data).toEqual({ name: "p", policy });
    expect((await to("PUT", "sys/policies/acl/Mixed", { policy })).json.warnings).toEqual(["policy name was converted to mixed"]);
    for (const wrong of [
      'path "a" {',
      "nonsense",
      'path "a" { capabilities = ["fly"] }',
      'path "+/a" { capabilities = ["read"] }',
      'path "a" { foo = 1 }',
    ])
      expect(await to("PUT", "sys/policies/acl/q", { policy: wrong })).toMatchObject({
        status: 400,
        json: { errors: [expect.stringMatching(/^failed to parse policy/)] },
      });
    expect((await to("PUT", "sys/policies/acl/q", {})).status).toBe(400);
    expect((await to("PUT", "sys/policies/acl/root", { policy })).status).toBe(400);
    for (const _ of [1, 2]) expect((await to("DELETE", "sys/policies/acl/p")).status).toBe(204);
    expect((await to("GET", "sys/policies/acl/p")).status).toBe(404);
    for (const name of ["root", "default"]) expect((await to("DELETE", `sys/policies/acl/${name}`)).status).toBe(400);
  });

  test("a child token inherits, expires by the clock, and has no more rights than its parent", async () => {
    const child = await to("POST", "auth/token/create", {});
    expect(child.json.auth).toMatchObject({ policies: ["root"], lease_duration: 0, renewable: false });
    const limited = await to("POST", "auth/token/create", { policies: ["nobody"], no_default_policy: true, ttl: "1h" });
    expect(limited.json).toMatchObject({
      auth: { policies: ["nobody"], lease_duration: 3600 },
      warnings: ['Policy "nobody" does not exist'],
    });
    const maker = await tokenWith('path "auth/token/create" { capabilities = ["update"] }');
    expect((await to("POST", "auth/token/create", {}, maker)).json.auth.policies).toEqual(["default", "p"]);
    expect((await to("POST", "auth/token/create", { policies: ["root"] }, maker)).status).toBe(400);
    for (const ttl of ["soon", "-5s"]) expect((await to("POST", "auth/token/create", { ttl })).status).toBe(400);
    sandbox.clock.advance(33 * 86_400_000);
    expect((await to("POST", "auth/token/create", {}, maker)).status).toBe(403);
    expect((await to("POST", "auth/token/create", {}, child.json.auth.client_token)).status).toBe(200);
  });

  test("the OpenAPI document lists the paths that the token can see, and none without a token", async () => {
    await to("POST", "sys/mounts/team/scheduler", { type: engine });
    const all = await paths();
    const end = real ? "/" : "";
    for (const mount of [engine, "team/scheduler"])
      expect(all).toEqual(
        expect.arrayContaining(["config/access", "config/lease", `role${end}`, "role/{name}"].map((path) => `/${mount}/${path}`)),
      );
    expect(all).toEqual([...all].sort());
    expect(await paths("")).toEqual([]);
    expect((await to("GET", "sys/internal/specs/openapi", undefined, "wrong")).status).toBe(403);

    const seen = (await paths(await tokenWith(`path "${engine}/role/*" { capabilities = ["read"] }`))).filter(
      (path) => !/^\/(sys|auth)\//.test(path),
    );
    // Vault shows all paths of a mount or none. The specification's service shows the allowed paths.
    expect(seen).toEqual(
      real
        ? ["config/access", "config/lease", "creds/{name}", "role/", "role/{name}"].map((path) => `/${engine}/${path}`)
        : [`/${engine}/role/{name}`],
    );
    expect(
      (await paths(await tokenWith('path "other/*" { capabilities = ["read"] }'))).filter((path) => !/^\/(sys|auth)\//.test(path)),
    ).toEqual([]);
  });

  test("the OpenAPI document uses the names of its dialect", async () => {
    const { json } = await to("GET", "sys/internal/specs/openapi");
    expect(json).toMatchObject({
      openapi: "3.0.2",
      info: {
        title: expect.any(String),
        description: expect.any(String),
        version: expect.any(String),
        license: { name: expect.any(String), url: expect.any(String) },
      },
    });
    const role = json.paths[`/${engine}/role/{name}`];
    expect(role[real ? "x-vault-createSupported" : "x-secrets-create-supported"]).toBe(true);
    expect(json.paths["/sys/internal/specs/openapi"][real ? "x-vault-unauthenticated" : "x-secrets-unauthenticated"]).toBe(true);
    expect(Object.keys(role).filter((key) => /^(get|post|delete)$/.test(key))).toEqual(["get", "post", "delete"]);
    expect(role.get).toMatchObject({ tags: ["secrets"], responses: { "200": { description: "OK" } } });
    expect(typeof role.description).toBe(real ? "undefined" : "string");
    expect(Object.keys(json.paths[`/${engine}/config/access`]).includes("delete")).toBe(real);
  });
});
