import { onEachStage, withLeases } from "./creds-service";
import { refused } from "./rekey-service";

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
const denied = "1 error occurred:\n\t* permission denied\n\n";

const reading = ["read"];

const suite: Parameters<typeof onEachStage>[1] = (stage, { to, engine, access, generate, tokenWith, works, expectEnded, mounted }) => {
  const lookup = (lease_id: string, token?: string) => to("PUT", "sys/leases/lookup", { lease_id }, token);
  const revoke = (lease_id: string, token?: string) => to("PUT", "sys/leases/revoke", { lease_id }, token);

  test("are looked up", async () => {
    await engine("POST", "config/lease", { ttl: "10m", max_ttl: "1h" });
    const { lease } = await generate("reader");
    const { json } = await lookup(lease);
    const around = { lease_id: "", renewable: false, lease_duration: 0, ...mounted("system"), warnings: null, auth: null };
    expect(json).toMatchObject(around);
    const times = { issue_time: iso, expire_time: iso, last_renewal: null, ttl: expect.any(Number) };
    const path = stage().isOpenBao && { path: `${stage().mount}/creds/reader` };
    expect(json.data).toEqual({ id: lease, ...path, renewable: true, ...times });
    const { issue_time, expire_time, ttl } = json.data;
    expect(Math.round((Date.parse(expire_time) - Date.parse(issue_time)) / 1000)).toBe(600);
    expect(ttl > 590 && ttl <= 600).toBe(true);
    expect((await to("POST", "sys/leases/lookup", { lease_id: lease })).status).toBe(200);
    for (const unknown of [`${lease}x`, "x"]) expect(await lookup(unknown)).toMatchObject(refused(400, "invalid lease"));
    expect(await to("PUT", "sys/leases/lookup", {})).toMatchObject(refused(400, "lease_id must be specified"));
    expect((await to("GET", "sys/leases/lookup")).status).toBe(405);
  });

  test("are renewed with the present configuration, up to their maximum", async () => {
    await engine("POST", "config/lease", { ttl: "10m", max_ttl: "1h" });
    const { lease } = await generate("reader");
    const renewed = async (body: object, id = ""): Promise<unknown> => (await to("PUT", `sys/leases/renew${id}`, body)).json;
    const around = { lease_id: lease, renewable: true, data: null, ...mounted("system"), auth: null };
    expect(await renewed({ lease_id: lease })).toMatchObject({ ...around, lease_duration: 600, warnings: null });
    expect(await renewed({ lease_id: lease, increment: "20m" })).toMatchObject({ ...around, lease_duration: 1200 });
    expect(await renewed({ increment: 1800 }, `/${lease}`)).toMatchObject({ ...around, lease_duration: 1800 });
    const { data } = (await lookup(lease)).json;
    expect(data).toMatchObject({ last_renewal: iso, renewable: true });
    expect(data.ttl > 1790 && data.ttl <= 1800).toBe(true);
    expect(await renewed({ lease_id: lease, increment: "2h" })).toMatchObject({
      warnings: [expect.stringMatching(/^TTL of "2h" exceeded the effective max_ttl of "(1h|59m\d+s)"; TTL value is capped accordingly$/)],
    });
    await engine("POST", "config/lease", { ttl: "5m" });
    expect(await renewed({ lease_id: lease })).toMatchObject({ lease_duration: 300 });
    expect(await to("PUT", "sys/leases/renew", { lease_id: "x" })).toMatchObject(refused(400, "lease not found"));
    expect(await to("PUT", "sys/leases/renew", {})).toMatchObject(refused(400, "lease_id must be specified"));
    expect((await to("PUT", "sys/leases/renew", { lease_id: lease, increment: "soon" })).status).toBe(400);
  });

  test("can be revoked repeatedly", async () => {
    const [first, second, third] = [await generate("reader"), await generate("reader"), await generate("operator")];
    for (const _ of [1, 2]) expect(await revoke(first.lease)).toMatchObject({ status: 204, text: "" });
    expect(await works(first.secret)).toBe(false);
    expect(await works(second.secret)).toBe(true);
    expect(await lookup(first.lease)).toMatchObject(refused(400, "invalid lease"));
    expect((await to("POST", `sys/leases/revoke/${second.lease}`)).status).toBe(204);
    expect(await works(second.secret)).toBe(false);
    expect((await to("PUT", "sys/leases/revoke", { lease_id: third.lease, sync: true })).status).toBe(204);
    expect(await works(third.secret)).toBe(false);
    expect((await revoke("x")).status).toBe(204);
    expect(await to("PUT", "sys/leases/revoke", {})).toMatchObject(refused(400, "lease_id must be specified"));
  });

  test("stay while the scheduler does not delete the token", async () => {
    const { lease, accessor, secret } = await generate("reader");
    await access({ address: "http://127.0.0.1:1" });
    const why = `failed to revoke entry: resp: (*logical.Response)(nil) err: Delete "http://127.0.0.1:1/v1/acl/token/${accessor}": dial tcp 127.0.0.1:1: connect: connection refused`;
    expect(await revoke(lease)).toMatchObject(refused(400, why));
    expect(await works(secret)).toBe(true);
    expect((await lookup(lease)).status).toBe(200);

    const { mount } = stage();
    expect(await to("DELETE", `sys/mounts/${mount}`)).toMatchObject(refused(400, `failed to revoke "${lease}" (1 / 1): ${why}`));
    // The role was changed, but still exists.
    expect(await engine("GET", "role/reader")).toMatchObject(refused(404, /^no handler for route ".*\/role\/reader".* is tainted\.$/));
    expect(await works(secret)).toBe(true);
  });

  test("may be looked up and renewed by any token that knows the ID, and revoked only with a policy", async () => {
    const { lease } = await generate("reader");
    const token = await tokenWith("nothing", reading);
    expect((await lookup(lease, token)).status).toBe(200);
    expect((await to("PUT", "sys/leases/renew", { lease_id: lease }, token)).status).toBe(200);
    expect(await revoke(lease, token)).toMatchObject(refused(403, denied));
    const bare = await tokenWith("sys/leases/revoke", ["update"], { no_default_policy: true });
    expect(await lookup(lease, bare)).toMatchObject(refused(403, denied));
    expect((await revoke(lease, bare)).status).toBe(204);
  });

  test("a token can look itself up", async () => {
    const common = { accessor: expect.any(String), entity_id: "", meta: null, num_uses: 0, type: "service" };
    const self = async (token?: string, method = "GET"): Promise<Record<string, unknown>> => {
      const { status, json } = await to(method, "auth/token/lookup-self", undefined, token);
      expect([status, json.mount_type]).toEqual([200, mounted("token").mount_type]);
      return json.data;
    };
    const create = async (body: object) => (await to("POST", "auth/token/create", body)).json;
    const creation_time = expect.any(Number);
    const endless = { creation_time, creation_ttl: 0, expire_time: null, explicit_max_ttl: 0, policies: ["root"], ttl: 0 };
    const root = { ...common, ...endless, id: expect.any(String), display_name: "root", orphan: true, path: "auth/token/root" };
    expect(await self()).toEqual(root);
    expect(await self(undefined, "POST")).toEqual(root);

    const made = { ...common, path: "auth/token/create", issue_time: iso, orphan: false };
    const child = (await create({})).auth.client_token;
    expect(await self(child)).toEqual({ ...made, ...endless, id: child, display_name: "token", renewable: false });
    const token = await tokenWith("nothing", reading, { ttl: "1h", display_name: "the builder!" });
    const policies = [expect.stringMatching(/^creds-/), "default"];
    const times = { creation_time, creation_ttl: 3600, expire_time: iso, explicit_max_ttl: 0, ttl: expect.any(Number) };
    const about = await self(token);
    expect(about).toEqual({ ...made, ...times, id: token, display_name: "token-the-builder", policies, renewable: true });
    expect(Number(about.ttl) > 3590 && Number(about.ttl) <= 3600).toBe(true);

    const orphan = await create({ policies: ["default"], ttl: "2h", explicit_max_ttl: "30m", no_parent: true, renewable: false });
    expect(orphan).toMatchObject({
      auth: { orphan: true, lease_duration: 1800, renewable: false },
      warnings: ['TTL of "2h" exceeded the effective max_ttl of "30m"; TTL value is capped accordingly'],
    });
    expect(await self(orphan.auth.client_token)).toMatchObject({
      orphan: true,
      creation_ttl: 1800,
      explicit_max_ttl: 1800,
      renewable: false,
    });
    expect((await to("POST", "auth/token/lookup-self", undefined, token)).status).toBe(403);
  });

  test("end when another token or revoke-self revokes their token, but not with the parent of an orphan", async () => {
    const creds = `${stage().mount}/creds/*`;
    const maker = (await to("POST", "auth/token/create", {})).json.auth.client_token;
    const orphan = await tokenWith(creds, reading, { no_parent: true }, maker);
    const child = await tokenWith(creds, reading, {}, maker);
    const [kept, ended] = [await generate("reader", orphan), await generate("reader", child)];
    expect(await to("POST", "auth/token/revoke", {})).toMatchObject(refused(400, "missing token ID"));
    expect((await to("POST", "auth/token/revoke", { token: maker }, child)).status).toBe(403);
    for (const _ of [1, 2]) expect((await to("POST", "auth/token/revoke", { token: maker })).status).toBe(204);
    await expectEnded(ended.secret);
    expect(await works(kept.secret)).toBe(true);
    const twoErrors = "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n";
    const unknown = refused(403, stage().isOpenBao ? "permission denied" : twoErrors);
    for (const token of [maker, child]) expect(await to("GET", "auth/token/lookup-self", undefined, token)).toMatchObject(unknown);
    expect((await to("POST", "auth/token/create", { no_parent: true }, orphan)).status).toBe(403);
    const creator = await tokenWith("auth/token/create", ["update"]);
    expect(await to("POST", "auth/token/create", { no_parent: true }, creator)).toMatchObject(
      refused(400, "root or sudo privileges required to create orphan token"),
    );
    // The default policy allows it.
    expect(await to("POST", "auth/token/revoke-self", undefined, orphan)).toMatchObject({ status: 204, text: "" });
    await expectEnded(kept.secret);
  });
};
onEachStage("leases", suite, withLeases);

onEachStage("the standard dialect", (_, { to, isVault }) => {
  test("has no lookup, renewal or revocation of leases and tokens", async () => {
    if (isVault()) return;
    const missing = ["PUT sys/leases/lookup", "PUT sys/leases/renew", "PUT sys/leases/revoke", "PUT sys/leases/revoke/x"];
    for (const request of [...missing, "POST auth/token/revoke-self", "POST auth/token/revoke", "GET auth/token/lookup-self"]) {
      const [method = "", path = ""] = request.split(" ");
      expect([request, (await to(method, path, method === "GET" ? undefined : { lease_id: "x" })).status]).toEqual([request, 404]);
    }
  });
});
