import { Engine } from "../../support/engine";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

onEachTarget("SchedulerRole", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerRole", current().config());

  test("is previewed, created, updated, replaced, removed outside Pulumi and deleted", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const role = engine();

    expect(await role.preview({ name: "web", policies: ["read"], mount })).toMatchObject({ operation: "create" });
    expect((await outOfBand("GET", `${mount}/role/web`)).status).toBe(404);

    expect(await role.up({ name: "web", policies: ["read"], mount })).toBe("create");
    expect(role.outputs()).toEqual({ name: "web", policies: ["read"], global: false, type: "client", mount });
    expect(role.state?.id).toBe(`${mount}/role/web`);
    expect(await role.refresh()).toEqual([]);
    expect(await role.up({ name: "web", policies: ["read"], mount })).toBe("same");

    expect(await role.up({ name: "web", policies: ["write", "read"], global: true, mount })).toBe("update");
    expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["write", "read"]);
    expect(await role.refresh()).toEqual([]);

    expect(await role.up({ name: "site", policies: ["write", "read"], global: true, mount })).toBe("replace");
    expect((await outOfBand("GET", `${mount}/role/web`)).status).toBe(404);
    expect((await outOfBand("GET", `${mount}/role/site`)).status).toBe(200);

    await outOfBand("DELETE", `${mount}/role/site`);
    expect(await role.refresh()).toBe("gone");
    expect(await role.up({ name: "site", policies: ["read"], mount })).toBe("create");
    await outOfBand("DELETE", `${mount}/role/site`);
    await role.destroy();
    expect((await outOfBand("GET", `${mount}/role/site`)).status).toBe(404);
  });

  test("changes of global and type reach the server", async () => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const role = engine();
    await role.up({ name: "ops", policies: ["read"], global: true, mount });
    expect(await role.up({ name: "ops", policies: ["read"], global: false, mount })).toBe("update");
    expect(await role.up({ name: "ops", type: "management", mount })).toBe("update");
    const { data } = await outOfBand("GET", `${mount}/role/ops`);
    expect(data?.type ?? data?.token_type).toBe("management");
    expect(data?.policies ?? []).toEqual([]);
    if (dialect === "hashicorp") expect(data?.global).toBe(false);
    expect(await role.refresh()).toEqual([]);
    expect(await role.up({ name: "ops", policies: ["read"], mount })).toBe("update");
    expect(await role.refresh()).toEqual([]);
  });

  test("the order and repetition of policies are no change", async () => {
    const mount = await current().newMount();
    const role = engine();
    await role.up({ name: "web", policies: ["a", "b"], mount });
    expect(await role.up({ name: "web", policies: ["b", "a", "b"], mount })).toBe("same");
    await current().outOfBand("POST", `${mount}/role/web`, { policies: " b , a", type: "client" });
    expect(await role.refresh()).toEqual([]);
    // The spelling of the server would change every output that depends on it.
    expect(role.outputs().policies).toEqual(["a", "b"]);
  });

  test("each readable attribute changed outside Pulumi is drift, and up repairs it", async () => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const role = engine();
    const inputs = { name: "web", policies: ["read"], global: false, type: "client", mount };
    await role.up(inputs);

    await outOfBand("POST", `${mount}/role/web`, { policies: "read,more", type: "client" });
    expect(await role.refresh()).toEqual(["policies"]);
    expect(await role.up(inputs)).toBe("update");
    expect(await role.refresh()).toEqual([]);

    await outOfBand("POST", `${mount}/role/web`, { policies: "", type: "management" });
    expect(await role.refresh()).toEqual(["policies", "type"]);
    expect(await role.up(inputs)).toBe("update");
    expect(await role.refresh()).toEqual([]);

    await outOfBand("POST", `${mount}/role/web`, { policies: "read", type: "client", global: true });
    // The API document does not show `global` when a role is read.
    expect(await role.refresh()).toEqual(dialect === "hashicorp" ? ["global"] : []);
  });

  test("an existing role is overwritten only with adopt", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client" });
    const role = engine();
    const refused = role.up({ name: "web", policies: ["ours"], mount });
    await expect(refused).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    await expect(refused).rejects.toMatchObject({ stack: "" });
    for (const data of ['"web"', `"${mount}"`, "adopt: true", "pulumi up --replace", "deleteBeforeReplace: true"])
      await expect(refused).rejects.toThrow(data);
    expect(role.state).toBeUndefined();
    expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["theirs"]);
    expect(await role.up({ name: "web", policies: ["ours"], adopt: true, mount })).toBe("create");
    expect((await outOfBand("GET", `${mount}/role/web`)).data?.policies).toEqual(["ours"]);
    // Whether it was adopted matters once.
    expect(await role.up({ name: "web", policies: ["ours"], mount })).toBe("same");
  });

  test("get reads a role and manages nothing", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    await outOfBand("POST", `${mount}/role/web`, { policies: "theirs", type: "client", global: true });
    const role = engine();
    expect(await role.get(`${mount}/role/web`)).toMatchObject({ name: "web", mount, policies: ["theirs"], type: "client" });
    expect(role.state?.outputs.declared).toEqual([]);
    const missing = role.get(`${mount}/role/none`);
    await expect(missing).rejects.toThrow(refusal("ERR_NOT_FOUND"));
    await expect(missing).rejects.toThrow(`"${mount}/role/none"`);
    const nonsense = role.get("nonsense");
    await expect(nonsense).rejects.toThrow(refusal("ERR_INVALID_INPUT"));
    await expect(nonsense).rejects.toThrow(/"nonsense".* <mount>\/role\/<name>/);
  });

  test("the lease of a role is an output of get alone, so that a refresh shows no change", async () => {
    const { dialect, newMount } = current();
    const mount = await newMount();
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
    const mount = await current().newMount();
    const role = engine();
    const clientWithout = current().dialect === "hashicorp" ? ["policies: client-without-policies"] : [];
    expect(await role.problems({ name: "web", mount })).toEqual(clientWithout);
    for (const name of ["a/b", ".."]) expect(await role.problems({ name, policies: ["x"], mount })).toEqual(["name: role-name"]);
  });
});
