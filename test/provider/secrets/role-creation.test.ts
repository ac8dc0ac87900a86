import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { onEachDialect } from "../../sandbox/sandbox";
import { Engine } from "../../support/engine";
import { refusal } from "../../support/refusal";

const remembers = { remembers: true };
const taken = refusal("ERR_ALREADY_EXISTS", { rule: "exists" });

onEachDialect("before a role is created", ({ dialect, engine: mount, sandbox, to }) => {
  const engine = (token = sandbox().secrets.token, type = "SchedulerRole"): Engine =>
    new Engine(`secrets:${type}`, { "steward:default": { secrets: { address: sandbox().secrets.url, token, dialect } } });
  const role = (name: string, policy = "ours"): { name: string; policies: string[] } => ({ name, policies: [policy] });
  const outOfBand = (method: string, path: string, body?: object) => to.secrets(method, `/v1/${path}`, body);
  const held = async (name: string): Promise<unknown> => (await outOfBand("GET", `${mount}/role/${name}`)).json.data?.policies;
  test("a role can be created again after a failed creation, and after its deletion", async () => {
    clearCache();
    sandbox().faults.add({ system: "secrets", path: /./, method: "GET", action: "respond", status: 500, body: "{}" });
    await expect(engine().up(role("web"), remembers)).rejects.toMatchObject({ status: 500 });
    const former = engine();
    expect(await former.up(role("web"), remembers)).toBe("create");
    await former.destroy(remembers);
    expect(await engine().up(role("web"), remembers)).toBe("create");
  });

  test("a token without the list capability creates a role, and overwrites none", async () => {
    const policy = `path "${mount}/role/*" { capabilities = ["create", "read", "update"] }`;
    await outOfBand("PUT", "sys/policies/acl/roles", { policy });
    const { json } = await outOfBand("POST", "auth/token/create", { policies: ["roles"] });
    const create = (inputs: object): Promise<unknown> => engine(json.auth.client_token).up({ ...inputs });
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    await expect(create(role("web"))).rejects.toThrow(taken);
    expect(await create(role("new"))).toBe("create");
    expect(await create({ ...role("adopted"), adopt: true })).toBe("create");
    expect(await held("web")).toEqual(["theirs"]);
  });

  test("a role that a partially created set could not adopt stays with its old resource", async () => {
    const [former, set] = [engine(), engine(undefined, "SchedulerRoles")];
    await former.up(role("web"));
    clearCache();
    const refusal403 = { action: "respond", status: 403, body: '{"errors":["no"]}' } as const;
    sandbox().faults.add({ system: "secrets", method: "POST", path: /role\/web$/, ...refusal403 });
    const roles = { web: { policies: ["a"] }, site: { policies: ["a"] } };
    await expect(set.up({ roles, adopt: true }, remembers)).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    await expect(former.destroy(remembers)).rejects.toThrow(refusal("ERR_REJECTED", { rule: "not-taken-over" }));
    expect(former.state).toBeDefined();
    expect(await held("web")).toEqual(["ours"]);
  });
});
