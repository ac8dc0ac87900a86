import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { Engine } from "../../support/engine";
import { refusal } from "../../support/refusal";

const remembers = { remembers: true };
const taken = refusal("ERR_ALREADY_EXISTS", { rule: "exists" });

describe.each([
  { dialect: "standard" as const, mount: "scheduler" },
  { dialect: "hashicorp" as const, mount: "nomad" },
])("before a role is created ($dialect)", ({ dialect, mount }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());
  beforeEach(() => sandbox.reset());

  const engine = (token = sandbox.secrets.token, type = "SchedulerRole"): Engine =>
    new Engine(`secrets:${type}`, { "steward:default": { secrets: { address: sandbox.secrets.url, token, dialect } } });
  const role = (name: string, policy = "ours"): { name: string; policies: string[] } => ({ name, policies: [policy] });
  const outOfBand = (method: string, path: string, body?: object) => call(sandbox.secrets, method, `/v1/${path}`, body);
  const held = async (name: string): Promise<unknown> => (await outOfBand("GET", `${mount}/role/${name}`)).json.data?.policies;
  /** Creates another role in this process. */
  const another = async (): Promise<unknown> => engine().up(role("other"), remembers);
  const lists = (): number => sandbox.requests().filter(({ path }) => path.endsWith("/role?list=true")).length;

  test("a role that this process deleted can be created again", async () => {
    const former = engine();
    clearCache();
    await former.up(role("web"), remembers);
    await another();
    await former.destroy(remembers);
    expect(await engine().up(role("web"), remembers)).toBe("create");
  });

  test.each(["a role", "a set of roles"])("a role that this process wrote in %s is not adopted", async (kind) => {
    const inputs = (policy: string): object => (kind === "a role" ? role("web", policy) : { roles: { web: { policies: [policy] } } });
    const former = engine(undefined, kind === "a role" ? "SchedulerRole" : "SchedulerRoles");
    await former.up({ ...inputs("first") });
    await outOfBand("DELETE", `${mount}/role/web`);
    clearCache();
    // The list may be read while the role is being written.
    sandbox.faults.add({ system: "secrets", method: "POST", path: /role\/web$/, action: "delay", delayMs: 100 });
    await Promise.all([another(), former.up({ ...inputs("second") }, remembers)]);
    await expect(engine().up(role("web"), remembers)).rejects.toThrow(taken);
    expect(await held("web")).toEqual(["second"]);
  });

  test("a role that another client created during a long run is not adopted", async () => {
    clearCache();
    await another();
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    await expect(engine().up(role("web"), remembers)).rejects.toThrow(taken);
    expect(await held("web")).toEqual(["theirs"]);
  });

  test("a failed list is read again", async () => {
    clearCache();
    sandbox.faults.add({ system: "secrets", path: /./, method: "GET", action: "respond", status: 500, body: "{}", times: 1 });
    await expect(another()).rejects.toMatchObject({ status: 500 });
    expect(await another()).toBe("create");
  });

  test("an empty list is valid in both formats", async () => {
    expect(await engine().up(role("first"))).toBe("create");
    await outOfBand("DELETE", `${mount}/role/first`);
    sandbox.faults.add({ system: "secrets", path: /role\?list=true$/, action: "respond", status: 200, body: '{"data":{"keys":[]}}' });
    expect(await engine().up(role("second"))).toBe("create");
  });

  test.each([
    { sees: "neither path of the list", more: () => "", rule: "path-not-visible" },
    {
      sees: "that path",
      more: () => `path "${mount}/role" { capabilities = ["read"] }`,
      rule: "capability-missing",
    },
  ])(
    "a token without the list capability that sees $sees: an existing role is rejected, and the error names the missing capability",
    async ({ more, rule }) => {
      const policy = `path "${mount}/role/*" { capabilities = ["create", "read", "update"] } ${more()}`;
      await outOfBand("PUT", "sys/policies/acl/roles", { policy });
      const { json } = await outOfBand("POST", "auth/token/create", { policies: ["roles"] });
      const create = (inputs: object): Promise<unknown> => engine(json.auth.client_token).up({ ...inputs });
      await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
      await expect(create(role("web"))).rejects.toThrow(taken);
      if (dialect === "hashicorp") {
        expect(await create(role("new"))).toBe("create");
        expect(lists()).toBe(0);
      } else {
        const refused = create(role("new"));
        const path = `/v1/${mount}/role`;
        await expect(refused).rejects.toThrow(refusal("ERR_FORBIDDEN", { rule, method: "GET", path, status: 403 }));
        await expect(refused).rejects.toThrow(/ \/scheduler\/role\b.* setting token\./);
        if (rule === "capability-missing") await expect(refused).rejects.toThrow(/`list` capability\b/);
        expect(await held("new")).toBeUndefined();
      }
      expect(await create({ ...role("adopted"), adopt: true })).toBe("create");
      expect(await held("web")).toEqual(["theirs"]);
    },
  );

  test("a role that a partially created set could not adopt stays with its old resource", async () => {
    const [former, set] = [engine(), engine(undefined, "SchedulerRoles")];
    await former.up(role("web"));
    clearCache();
    sandbox.faults.add({
      system: "secrets",
      method: "POST",
      path: /role\/web$/,
      action: "respond",
      status: 403,
      body: '{"errors":["no"]}',
    });
    const roles = { web: { policies: ["a"] }, site: { policies: ["a"] } };
    await expect(set.up({ roles, adopt: true }, remembers)).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
    await expect(former.destroy(remembers)).rejects.toThrow(refusal("ERR_REJECTED", { rule: "not-taken-over" }));
    expect(former.state).toBeDefined();
    expect(await held("web")).toEqual(["ours"]);
  });
});
