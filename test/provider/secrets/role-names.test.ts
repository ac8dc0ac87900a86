import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, invalidInputs, refusal } from "../../support/refusal";
import { atNewMount, onEachTarget, type Target, withOpenBao } from "../../support/target";

const read = { policies: ["read"] };
const signature = "4dabf18193072939515e22adb298388d";

const suite = (current: () => Target): void => {
  const engine = (): Engine => new Engine("secrets:SchedulerRoles", current().config());

  test.each(["__proto__", signature])("refresh of an exclusive set fails for a role named %s and keeps the set", async (name) => {
    const { outOfBand, mount } = await atNewMount(current());
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    expect((await outOfBand("POST", `${mount}/role/${name}`, { policies: "theirs" })).status).toBe(204);
    const before = structuredClone(roles.state);
    const unstorable = refusal("ERR_UNEXPECTED_RESPONSE", { rule: "unstorable" });
    await expectRefused(roles.refresh(), unstorable, `"${mount}"`, `: "${name}".`);
    expect(roles.state).toEqual(before);
    await expect(engine().get(`${mount}/role`)).rejects.toThrow(unstorable);
    const undeclared = refusal("ERR_ALREADY_EXISTS", { rule: "undeclared-roles" });
    await expectRefused(engine().up({ roles: { other: read }, exclusive: true, mount }), undeclared, `: ${name}, ours.`);
    // A set that is not exclusive ignores it.
    expect(await roles.up({ roles: { ours: read }, mount })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    await outOfBand("DELETE", `${mount}/role/${name}`);
    await roles.destroy();
    const role = new Engine("secrets:SchedulerRole", current().config());
    expect(await role.problems({ name, policies: ["a"], mount })).toEqual(["name: unstorable"]);
  });

  const beyondVault = ["a b", "a-", "-a", "a@b", "é", ".a", "a..b", "a%b", "%41", "a?b#c"];
  test.each(beyondVault)(
    "a role named %j is valid in the standard dialect, and Vault rejects it, as OpenBao does but for a..b",
    async (name) => {
      const { dialect, isOpenBao, outOfBand, mount } = await atNewMount(current());
      const role = new Engine("secrets:SchedulerRole", current().config());
      const path = `${mount}/role/${encodeURIComponent(name)}`;
      if (dialect === "hashicorp" && !(isOpenBao && name === "a..b")) {
        expect(await role.problems({ name, ...read, mount })).toEqual(["name: role-name"]);
        expect((await outOfBand("POST", path, { policies: "read" })).status).toBeGreaterThanOrEqual(400);
        return;
      }
      expect(await role.up({ name, ...read, mount })).toBe("create");
      expect((await outOfBand("GET", path)).data?.policies).toEqual(["read"]);
      expect(await role.refresh()).toEqual([]);
      const reader = new Engine("secrets:SchedulerRole", current().config());
      expect(await reader.get(`${mount}/role/${name}`)).toMatchObject({ name, policies: ["read"] });
      const roles = engine();
      expect((await roles.get(`${mount}/role`)).roles).toMatchObject({ [name]: { policies: ["read"] } });
      await role.destroy();
      expect((await outOfBand("GET", path)).status).toBe(404);
    },
  );

  test.each([".", ".."])("an id has the rule of the input: the name %j is rejected", async (name) => {
    const mount = await current().newMount();
    const role = new Engine("secrets:SchedulerRole", current().config());
    expect(await role.problems({ name, ...read, mount })).toEqual(["name: role-name"]);
    await expect(role.get(`${mount}/role/${name}`)).rejects.toThrow(invalidInputs("name: role-name"));
  });

  const ends = { SchedulerAccess: "config/access", SchedulerLease: "config/lease", SchedulerRole: "role/web", SchedulerRoles: "role" };
  test.each(Object.entries(ends))("an id of %s below an invalid mount is rejected", async (type, end) => {
    const invalid = refusal("ERR_INVALID_INPUT", { rule: "id" });
    for (const mount of ["..", ".", "team/..", "team/./ops", "team//ops", "/team", "half\ud83d", ""])
      await expect(new Engine(`secrets:${type}`, current().config()).get(`${mount}/${end}`)).rejects.toThrow(invalid);
  });

  test.each(["", "a/b", "..", "\ud800", "half\udc00"])("refresh of an exclusive set fails for a list with %j", async (name) => {
    const { sandbox, newMount } = current();
    if (!sandbox) return;
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    const body = JSON.stringify({ data: { keys: ["ours", name] } });
    sandbox.faults.add({ system: "secrets", path: /list=true/, action: "respond", status: 200, body });
    await expectRefused(roles.refresh(), refusal("ERR_UNEXPECTED_RESPONSE", { rule: "unstorable" }), `: ${JSON.stringify(name)}.`);
    expect(await roles.refresh()).toEqual([]);
  });

  test("a note names an undeclared role whose name begins with __, although Pulumi hides such keys", async () => {
    const { outOfBand, mount } = await atNewMount(current());
    const roles = engine();
    const inputs = { roles: { ours: read }, exclusive: true, mount };
    await roles.up(inputs);
    await outOfBand("POST", `${mount}/role/__hidden`, { policies: "theirs" });
    expect(await roles.refresh()).toEqual(["__undeclared"]);
    printed.length = 0;
    await roles.preview(inputs);
    expect(printed).toEqual([expect.stringMatching(`"${mount}": roles: __hidden will be deleted`)]);
    expect(await roles.up(inputs)).toBe("update");
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["ours"]);
  });
};

onEachTarget("role names that Pulumi cannot store or show", suite, withOpenBao);
