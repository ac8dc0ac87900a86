import { raw, rawList } from "../../support/call";
import { onEachDialect } from "../sandbox";
import { refused } from "./rekey-service";

// test/provider/secrets reads, writes and lists roles and configurations, also on a real Vault.

const unsupportedPath = refused(404, "1 error occurred:\n\t* unsupported path\n\n");
const missing = refused(404);

onEachDialect("the scheduler secrets engine", ({ real, engine, sandbox, to: { secrets } }) => {
  const to = (method: string, path: string, body?: unknown) => secrets(method, `/v1/${engine}/${path}`, body);
  const data = async (path: string): Promise<unknown> => (await to("GET", path)).json.data;

  test("access: a read returns no secrets, and in the standard dialect only the address", async () => {
    expect(await to("GET", "config/access")).toMatchObject(missing);
    const shown = { address: "http://127.0.0.1:1", max_token_name_length: 64, ca_cert: "ca", client_cert: "cert" };
    await to("POST", "config/access", { ...shown, token: "t", client_key: "key" });
    expect(await data("config/access")).toEqual(real ? shown : { address: shown.address });
  });

  test("access: without a token the hashicorp dialect tries to bootstrap the scheduler's ACLs", async () => {
    expect(await to("POST", "config/access", { address: "http://127.0.0.1:1" })).toMatchObject(
      real ? refused(400, "Token not provided and failed to bootstrap ACLs") : { status: 204 },
    );
    expect((await to("GET", "config/access")).status).toBe(real ? 404 : 200);
  });

  test("only the hashicorp dialect treats PUT as POST, and deletes the access configuration", async () => {
    for (const [path, body] of Object.entries({
      "config/access": { address: "a", token: "t" },
      "config/lease": {},
      "role/web": { policies: "a" },
    }))
      expect((await to("PUT", path, body)).status).toBe(real ? 204 : 405);
    expect((await to("DELETE", "config/access")).status).toBe(real ? 204 : 405);
  });

  const ttls = { "30s": 30, "1d": 86_400, "1.5h": 5400, ".5h": 1800, "90": 90, "90.7s": 90, "500ms": 0, "+5s": 5, "2h1h": 10_800, "": 0 };
  test.each([...Object.entries(ttls), [90, 90], [null, 0]] as const)("lease: a ttl of %j is %d seconds", async (ttl, seconds) => {
    expect((await to("POST", "config/lease", { ttl })).status).toBe(204);
    expect(await data("config/lease")).toEqual({ ttl: seconds, max_ttl: 0 });
  });

  test.each([-1, "-1s", "-1d", "soon", "1.5d", "1d2h", "1w", "1H", " 5s ", "90.7", 90.7, 99_999_999_999, true, ["1h"], { h: 1 }])(
    "lease: a ttl of %j is rejected",
    async (ttl) => {
      expect(await to("POST", "config/lease", { ttl })).toMatchObject(refused(400, /"ttl"/));
      expect((await to("GET", "config/lease")).status).toBe(404);
    },
  );

  test("a write of a role keeps omitted policies, and one of the lease replaces both durations", async () => {
    await to("POST", "role/web", { policies: "b, a ,b", global: true });
    await to("POST", "role/web", {});
    expect(await data("role/web")).toMatchObject({ policies: ["b", "a", "b"], ...(real && { global: true }) });
    await to("POST", "config/lease", { ttl: "1h", max_ttl: "2h" });
    await to("POST", "config/lease", { max_ttl: "1d" });
    expect(await data("config/lease")).toEqual({ ttl: 0, max_ttl: 86_400 });
  });

  test("role: an omitted type stays, or in Vault resets it to client, and an unknown type is rejected", async () => {
    await to("POST", "role/admin", { type: "management" });
    await to("POST", "role/admin", { policies: "a" });
    expect(await data("role/admin")).toMatchObject(real ? { type: "client" } : { token_type: "management", policies: ["a"] });
    for (const type of ["Client", "", null, 5]) expect((await to("POST", "role/admin", { type, policies: "a" })).status).toBe(400);
    expect((await to("POST", "role/admin", { global: "maybe", policies: "a" })).status).toBe(400);
  });

  test("role: the hashicorp dialect checks policies against the type, also stored ones, and the standard one does not", async () => {
    const expected = real ? 400 : 204;
    expect((await to("POST", "role/web", {})).status).toBe(expected);
    expect((await to("POST", "role/web", { type: "management", policies: "a" })).status).toBe(expected);
    await to("POST", "role/web", { policies: "a" });
    expect((await to("POST", "role/web", { type: "management" })).status).toBe(expected);
  });

  test("role: the method LIST works in one or several packets, and fails for paths without a list", async () => {
    await to("POST", "role/web", { policies: "a" });
    const list = rawList(`/v1/${engine}/role`, sandbox().secrets.token);
    for (const packets of [[list], ["LI", "ST /v", list.slice(7, 60), list.slice(60)]]) {
      const received = await raw(sandbox().secrets, ...packets);
      expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n/);
      expect(JSON.parse(received.split("\r\n\r\n")[1]!).data).toEqual({ keys: ["web"] });
    }
    expect(sandbox().requests().at(-1)).toMatchObject({ system: "secrets", method: "LIST", path: `/v1/${engine}/role`, status: 200 });
    expect(await raw(sandbox().secrets, rawList(`/v1/${engine}/role/web`, sandbox().secrets.token))).toMatch(/^HTTP\/1.1 404 /);
    expect(await raw(sandbox().secrets, rawList(`/v1/${engine}/role`, "wrong"))).toMatch(/^HTTP\/1.1 403 /);
    expect(await raw(sandbox().secrets, "NONSENSE\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
  });

  test("role: the method LIST takes linear time for its body", async () => {
    await to("POST", "role/web", { policies: "a" });
    const megabytes = Array.from({ length: 100 }, () => "x".repeat(1e6));
    const list = rawList(`/v1/${engine}/role`, sandbox().secrets.token).replace(/\r\n\r\n$/, "\r\nContent-Length: 100000000\r\n\r\n");
    expect(await raw(sandbox().secrets, list, ...megabytes)).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  }, 60_000);

  test("unknown paths and methods are errors", async () => {
    for (const path of ["", "config", "config/other", "config/access/"]) expect(await to("GET", path)).toMatchObject(unsupportedPath);
    expect((await to("POST", "role/", {})).json.errors).toEqual(["cannot write to a path ending in '/'"]);
    for (const method of ["OPTIONS", "HEAD"]) expect((await to(method, "config/lease")).status).toBe(405);
    expect((await to("PATCH", "config/lease", {})).status).toBe(415);
    expect(await secrets("GET", "/v1/nowhere/role/x")).toMatchObject(
      refused(404, 'no handler for route "nowhere/role/x". route entry not found.'),
    );
    expect((await to("GET", "/role/x")).headers.get("location")).toBe(`/v1/${engine}/role/x`);
    expect((await secrets("GET", "/other")).status).toBe(404);
  });

  test("a body that is not an object is rejected", async () => {
    for (const body of ["nonsense", "[]", '"text"']) expect((await to("POST", "config/lease", body)).status).toBe(400);
    expect((await to("POST", "config/lease", '{"ttl":')).status).toBe(500);
    for (const body of ["null", ""]) expect((await to("POST", "config/lease", body)).status).toBe(204);
    const { url, token } = sandbox().secrets;
    const headers = { "x-secrets-token": token, "x-vault-token": token };
    const form = { method: "POST", headers, body: new URLSearchParams({ ttl: "7" }) };
    expect((await fetch(`${url}/v1/${engine}/config/lease`, form)).status).toBe(204);
    expect(await data("config/lease")).toEqual({ ttl: 7, max_ttl: 0 });
  });

  const mounts = (method: string, path: string, body?: unknown) => secrets(method, `/v1/sys/mounts${path}`, body);

  test.each([
    ["POST", "/nope", { type: "nope" }, "plugin not found in the catalog: nope"],
    ["POST", "/nope", {}, "backend type must be specified as a string"],
    ["POST", "/sys/x", { type: engine }, 'cannot mount "sys/x/"'],
    ["POST", `/${engine}`, { type: engine }, `path is already in use at ${engine}/`],
    ["POST", `/${engine}/inner`, { type: engine }, `path is already in use at ${engine}/`],
    ["GET", "/none", undefined, "No secret engine mount at none/"],
    ["DELETE", "/sys", undefined, 'cannot unmount "sys/"'],
  ])("mounts: %s %s %j is rejected", async (method, path, body, message) => {
    expect(await mounts(method, path, body)).toMatchObject(refused(400, message));
  });

  test("mounts: one cannot contain another, similar names are independent, and a second delete succeeds", async () => {
    await mounts("POST", "/team/scheduler", { type: engine });
    expect(await mounts("POST", "/team", { type: engine })).toMatchObject(refused(400, "path is already in use at team/scheduler/"));
    expect((await mounts("POST", `/${engine}ic`, { type: engine })).status).toBe(204);
    for (const _ of [1, 2]) expect((await mounts("DELETE", `/${engine}ic`)).status).toBe(204);
    expect((await mounts("POST", "", {})).status).toBe(405);
  });
});
