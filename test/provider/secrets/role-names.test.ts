import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { onEachTarget } from "../../support/target";

const read = { policies: ["read"] };
const signature = "4dabf18193072939515e22adb298388d";

onEachTarget("role names that Pulumi cannot store or show", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerRoles", current().config());

  test.each(["__proto__", signature])("refresh of an exclusive set fails for a role named %s and keeps the set", async (name) => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    expect((await outOfBand("POST", `${mount}/role/${name}`, { policies: "theirs" })).status).toBe(204);
    const before = structuredClone(roles.state);
    await expect(roles.refresh()).rejects.toThrow(
      `the mount "${mount}" holds roles whose names Pulumi cannot hold: "${name}". Delete them there, or declare the set without exclusive.`,
    );
    expect(roles.state).toEqual(before);
    await expect(engine().get(`${mount}/role`)).rejects.toThrow("whose names Pulumi cannot hold");
    await expect(engine().up({ roles: { other: read }, exclusive: true, mount })).rejects.toThrow(`does not declare: ${name}, ours.`);
    // A set that is not exclusive does not mind.
    expect(await roles.up({ roles: { ours: read }, mount })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    await outOfBand("DELETE", `${mount}/role/${name}`);
    await roles.destroy();
    const role = new Engine("secrets:SchedulerRole", current().config());
    expect(await role.problems({ name, policies: ["a"], mount })).toEqual(["name: is a name that Pulumi cannot hold"]);
  });

  const beyondVault = ["a b", "a-", "-a", "a@b", "é", ".a", "a..b", "a%b", "%41", "a?b#c"];
  test.each(beyondVault)("a role named %j lives where the dialect is standard, and is rejected as Vault rejects it", async (name) => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const role = new Engine("secrets:SchedulerRole", current().config());
    const path = `${mount}/role/${encodeURIComponent(name)}`;
    if (dialect === "hashicorp") {
      const reason = 'name: must be letters, digits, _, - and ., without "..", and begin and end with a letter, a digit or _';
      expect(await role.problems({ name, ...read, mount })).toEqual([reason]);
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
  });

  test.each(["", "a/b", "..", "\ud800", "half\udc00"])("refresh of an exclusive set fails for a list with %j", async (name) => {
    const { sandbox, newMount } = current();
    if (!sandbox) return;
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    const body = JSON.stringify({ data: { keys: ["ours", name] } });
    sandbox.faults.add({ system: "secrets", path: /list=true/, action: "respond", status: 200, body });
    await expect(roles.refresh()).rejects.toThrow(`cannot hold: ${JSON.stringify(name)}. Delete them there`);
    expect(await roles.refresh()).toEqual([]);
  });

  test("a warning names a role that begins with __, because Pulumi hides its changes", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    const inputs = { roles: { ours: read }, exclusive: true, mount };
    await roles.up(inputs);
    await outOfBand("POST", `${mount}/role/__hidden`, { policies: "theirs" });
    expect(await roles.refresh()).toEqual(["roles"]);
    expect(printed).toContain(`warning: scheduler roles of mount "${mount}": undeclared roles that Pulumi does not show: __hidden`);
    await roles.preview(inputs);
    expect(printed).toContain(
      `warning: scheduler roles of mount "${mount}": roles: __hidden will be written or removed; Pulumi shows no change of a name that begins with __`,
    );
    expect(await roles.up(inputs)).toBe("update");
    expect((await outOfBand("GET", `${mount}/role?list=true`)).data?.keys).toEqual(["ours"]);
  });
});
