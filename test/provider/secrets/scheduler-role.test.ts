import { Engine } from "../../support/engine";
import { atNewMount, onEachTarget } from "../../support/target";

onEachTarget("SchedulerRole", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerRole", current().config());

  test("the order of policies and duplicates cause no change", async () => {
    const mount = await current().newMount();
    const role = engine();
    await role.up({ name: "web", policies: ["a", "b"], mount });
    expect(await role.up({ name: "web", policies: ["b", "a", "b"], mount })).toBe("same");
    await current().outOfBand("POST", `${mount}/role/web`, { policies: " b , a", type: "client" });
    expect(await role.refresh()).toEqual([]);
    // The server's spelling would change every output that depends on it.
    expect(role.outputs().policies).toEqual(["a", "b"]);
  });

  test("get names the id of a role that does not exist, and the form of an id", async () => {
    const id = `${await current().newMount()}/role/none`;
    const missing = { code: "ERR_NOT_FOUND", message: expect.stringContaining(`"${id}"`) };
    await expect(engine().get(id)).rejects.toMatchObject(missing);
    const invalid = { code: "ERR_INVALID_INPUT", message: expect.stringMatching(/"nonsense".* <mount>\/role\/<name>/) };
    await expect(engine().get("nonsense")).rejects.toMatchObject(invalid);
  });

  test("only get has a role's lease as an output, so that a refresh shows no change", async () => {
    const { dialect, mount } = await atNewMount(current());
    const role = engine();
    await role.up({ name: "web", policies: ["read"], mount });
    const before = role.outputs();
    expect(await role.refresh()).toEqual([]);
    expect(role.outputs()).toEqual(before);
    expect(before.lease).toBeUndefined();
    const shown = await engine().get(`${mount}/role/web`);
    expect(shown.lease).toBe(dialect === "standard" ? "0s" : undefined);
    const set = new Engine("secrets:SchedulerRoles", current().config());
    expect((await set.get(`${mount}/role`)).roles).toEqual({
      web: { policies: ["read"], type: "client", ...(dialect === "hashicorp" && { global: false }) },
    });
  });

  test("a role that Vault would reject is rejected before any request", async () => {
    const clientWithout = current().dialect === "hashicorp" ? ["policies: client-without-policies"] : [];
    expect(await engine().problems({ name: "web" })).toEqual(clientWithout);
  });
});
