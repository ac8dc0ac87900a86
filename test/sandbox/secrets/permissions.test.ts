import { onEachDialect } from "../sandbox";
import { refused } from "./rekey-service";

// test/provider/secrets/specification.test.ts reads the OpenAPI document, and leases.test.ts tests tokens, also on a real Vault.

const denied = refused(403, "1 error occurred:\n\t* permission denied\n\n");
const capability = (path: string, ...capabilities: string[]): string => `path "${path}" { capabilities = ${JSON.stringify(capabilities)} }`;

onEachDialect("policies", ({ real, engine, sandbox, to: { secrets } }) => {
  const to = (method: string, path: string, body?: unknown, token?: string) => secrets(method, `/v1/${path}`, body, token);

  /** Creates a token with only this policy. */
  async function tokenWith(policy: string): Promise<string> {
    expect((await to("PUT", "sys/policies/acl/p", { policy })).status).toBe(204);
    return (await to("POST", "auth/token/create", { policies: ["p"] })).json.auth.client_token;
  }

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
    const updater = await tokenWith(capability(`${role}/*`, "update") + capability(`${engine}/creds/*`, "update", "create", "list"));
    // A generated token is read.
    for (const path of ["role/old", "creds/old"]) expect(await to("GET", `${engine}/${path}`, undefined, updater)).toMatchObject(denied);
    expect([await write("old", updater), await write("newer", updater)]).toEqual([204, 403]);
  });

  test("the list of accessors requires sudo, too", async () => {
    const path = "auth/token/accessors";
    const status = async (...capabilities: string[]) =>
      (await to("GET", `${path}?list=true`, undefined, await tokenWith(capability(path, ...capabilities)))).status;
    expect([await status("list"), await status("list", "sudo")]).toEqual([403, 200]);
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
});
