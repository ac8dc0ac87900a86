import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";
import { refused } from "./rekey-service";

// test/provider/secrets/specification.test.ts reads the OpenAPI document, also from a real Vault.

const denied = refused(403, "1 error occurred:\n\t* permission denied\n\n");
const capability = (path: string, ...capabilities: string[]): string => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;

describe.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("tokens, policies and the OpenAPI document, %s", (dialect, engine) => {
  const sandbox = freshSandbox({ dialect });
  const real = dialect === "hashicorp";
  const to = (method: string, path: string, body?: unknown, token?: string) => call(sandbox().secrets, method, `/v1/${path}`, body, token);

  /** Creates a token with only this policy. */
  async function tokenWith(policy: string): Promise<string> {
    expect((await to("PUT", "sys/policies/acl/p", { policy })).status).toBe(204);
    return (await to("POST", "auth/token/create", { policies: ["p"] })).json.auth.client_token;
  }

  test("a missing or wrong token is rejected before any other check", async () => {
    for (const path of [`${engine}/role/web`, "nowhere/x", "sys/mounts", "sys/nothing"]) {
      expect(await to("GET", path, undefined, "")).toMatchObject(refused(403, "permission denied"));
      const unknown = refused(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n");
      expect(await to("GET", path, undefined, "wrong")).toMatchObject(unknown);
    }
  });

  test("the token is accepted in the headers of the dialect", async () => {
    const ask = async (headers: Record<string, string>) => (await fetch(`${sandbox().secrets.url}/v1/sys/mounts`, { headers })).status;
    const { token } = sandbox().secrets;
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
    expect(await to("GET", "nowhere/x", undefined, token)).toMatchObject(denied);
  });

  test("creating and updating a role require different capabilities", async () => {
    await to("POST", `${engine}/role/old`, { policies: "a" });
    const role = `${engine}/role`;
    const creator = await tokenWith(capability(`${role}/*`, "create") + capability(role, "list"));
    const write = async (name: string, token: string) => (await to("POST", `${engine}/role/${name}`, { policies: "a" }, token)).status;
    expect([await write("old", creator), await write("new", creator)]).toEqual([403, 204]);
    expect((await to("GET", `${engine}/role?list=true`, undefined, creator)).json.data.keys).toEqual(["new", "old"]);
    const updater = await tokenWith(capability(`${role}/*`, "update"));
    expect([await write("old", updater), await write("newer", updater)]).toEqual([204, 403]);
  });

  test("a path that the OpenAPI document marks as sudo requires that capability as well", async () => {
    const path = "auth/token/accessors";
    const { paths } = (await to("GET", "sys/internal/specs/openapi")).json;
    const flag = real ? "x-vault-sudo" : "x-secrets-sudo";
    expect(Object.keys(paths).filter((each) => paths[each][flag])).toEqual([`/${path}${real ? "/" : ""}`]);
    for (const at of [path, `${path}/`, "auth/token/*"])
      for (const capabilities of [["list"], ["sudo"], ["read", "sudo"], ["list", "sudo"]]) {
        const token = await tokenWith(capability(at, ...capabilities));
        expect(await to("LIST", path, undefined, token)).toMatchObject(
          capabilities.length === 2 && capabilities[0] === "list" ? { status: 200 } : denied,
        );
      }
    const accessor = (await to("POST", "auth/token/create", {})).json.auth.accessor;
    expect((await to("GET", `${path}?list=true`)).json.data.keys).toContain(accessor);
    expect((await to("GET", path)).status).toBe(405);
    expect((await to("LIST", path, undefined, "")).status).toBe(403);
  });

  test("policies are read back, rejected if invalid, and deleted twice", async () => {
    const policy = capability("a/*", "read");
    await to("PUT", "sys/policies/acl/p", { policy });
    expect((await to("GET", "sys/policies/acl/P")).json.data).toEqual({ name: "p", policy });
    expect((await to("PUT", "sys/policies/acl/Mixed", { policy })).json.warnings).toEqual(["policy name was converted to mixed"]);
    const invalid = ['path "a" {', "nonsense", capability("a", "fly"), capability("+/a", "read"), 'path "a" { foo = 1 }'];
    for (const wrong of invalid)
      expect(await to("PUT", "sys/policies/acl/q", { policy: wrong })).toMatchObject(refused(400, /^failed to parse policy/));
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
    const maker = await tokenWith(capability("auth/token/create", "update"));
    expect((await to("POST", "auth/token/create", {}, maker)).json.auth.policies).toEqual(["default", "p"]);
    expect((await to("POST", "auth/token/create", { policies: ["root"] }, maker)).status).toBe(400);
    for (const ttl of ["soon", "-5s"]) expect((await to("POST", "auth/token/create", { ttl })).status).toBe(400);
    sandbox().clock.advance(33 * 86_400_000);
    expect((await to("POST", "auth/token/create", {}, maker)).status).toBe(403);
    expect((await to("POST", "auth/token/create", {}, child.json.auth.client_token)).status).toBe(200);
  });

  test("in the OpenAPI document a token sees all paths of a mount in Vault, and the allowed ones in the standard dialect", async () => {
    const seenBy = async (token?: string): Promise<string[]> =>
      Object.keys((await to("GET", "sys/internal/specs/openapi", undefined, token)).json.paths).filter(
        (path) => !/^\/(sys|auth)\//.test(path),
      );
    const ends = ["config/access", "config/lease", "creds/{name}", real ? "role/" : "role", "role/{name}"];
    const all = ends.map((path) => `/${engine}/${path}`);
    expect(await seenBy()).toEqual(all);
    expect(await seenBy(await tokenWith(capability(`${engine}/role/*`, "read")))).toEqual(real ? all : all.slice(-1));
    expect(await seenBy(await tokenWith(capability("other/*", "read")))).toEqual([]);
    expect((await to("GET", "sys/internal/specs/openapi", undefined, "wrong")).status).toBe(403);
  });

  test("the OpenAPI document uses the names of its dialect", async () => {
    const { json } = await to("GET", "sys/internal/specs/openapi");
    const text = expect.any(String);
    const info = { title: text, description: text, version: text, license: { name: text, url: text } };
    expect(json).toMatchObject({ openapi: "3.0.2", info });
    const role = json.paths[`/${engine}/role/{name}`];
    expect(role[real ? "x-vault-createSupported" : "x-secrets-create-supported"]).toBe(true);
    expect(json.paths["/sys/internal/specs/openapi"][real ? "x-vault-unauthenticated" : "x-secrets-unauthenticated"]).toBe(true);
    expect(Object.keys(role).filter((key) => /^(get|post|delete)$/.test(key))).toEqual(["get", "post", "delete"]);
    expect(role.get).toMatchObject({ tags: ["secrets"], responses: { "200": { description: "OK" } } });
    expect(typeof role.description).toBe(real ? "undefined" : "string");
    expect(Object.keys(json.paths[`/${engine}/config/access`]).includes("delete")).toBe(real);
  });
});
