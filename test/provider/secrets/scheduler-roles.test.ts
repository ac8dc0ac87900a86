import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

const read = { policies: ["read"] };
const complete = (policies: string[]): object => ({ policies, global: false, type: "client" });

onEachTarget("SchedulerRoles", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerRoles", current().config());
  const names = async (mount: string): Promise<unknown> => (await current().outOfBand("GET", `${mount}/role?list=true`)).data?.keys ?? [];

  test("with exclusive, refresh reports an undeclared role, preview plans its removal, and only then up removes it", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    const inputs = { roles: { ours: read }, exclusive: true, mount };
    await roles.up(inputs);
    await outOfBand("POST", `${mount}/role/theirs`, read);

    // No diff has shown it yet, so an update for another reason keeps it.
    expect(await roles.up({ ...inputs, roles: { ours: { policies: ["write"] } } })).toBe("update");
    expect(await names(mount)).toEqual(["ours", "theirs"]);

    expect(await roles.refresh()).toEqual(["undeclared"]);
    expect(roles.outputs()).toMatchObject({ roles: { ours: complete(["write"]) }, undeclared: ["theirs"] });
    expect(await roles.preview(inputs)).toMatchObject({ operation: "update" });
    // Another role appears in between. It was not shown, so it is not removed.
    await outOfBand("POST", `${mount}/role/later`, read);
    expect(await roles.up(inputs)).toBe("update");
    expect(await names(mount)).toEqual(["later", "ours"]);
    expect(await roles.refresh()).toEqual(["undeclared"]);

    // A destroy removes only declared roles.
    await roles.destroy();
    expect(await names(mount)).toEqual(["later"]);
  });

  test("with exclusive, creation fails if undeclared roles exist and lists them", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    for (const name of ["theirs", "more"]) await outOfBand("POST", `${mount}/role/${name}`, read);
    const roles = engine();
    const refused = roles.up({ roles: { ours: read }, exclusive: true, mount });
    await expect(refused).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "undeclared-roles" }));
    for (const data of [`"${mount}"`, ": more, theirs."]) await expect(refused).rejects.toThrow(data);
    expect(await names(mount)).toEqual(["more", "theirs"]);

    // The steps that the message names: create without it, set it, review, remove.
    await roles.up({ roles: { ours: read }, mount });
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    expect(await names(mount)).toEqual(["more", "ours", "theirs"]);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    expect(await names(mount)).toEqual(["ours"]);
  });

  test("a set that is no longer exclusive drops the undeclared roles from its state", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    await outOfBand("POST", `${mount}/role/theirs`, read);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    expect(await roles.up({ roles: { ours: read }, exclusive: false, mount })).toBe("update");
    expect(await names(mount)).toEqual(["ours", "theirs"]);
    expect(await roles.refresh()).toEqual([]);
    await roles.destroy();
    expect(await names(mount)).toEqual(["theirs"]);
  });

  test("an exclusive set owns a role again that was deleted, put back by hand and adopted, and destroy deletes it", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    const inputs = { roles: { a: read, b: read }, exclusive: true, mount };
    await roles.up(inputs);
    await outOfBand("DELETE", `${mount}/role/b`);
    expect(await roles.refresh()).toEqual(["roles"]);
    printed.length = 0;
    await outOfBand("POST", `${mount}/role/b`, read);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    // Like every existing role, it is not taken over without `adopt`.
    expect(printed).toEqual([]);
    await expect(roles.up(inputs)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    expect(await roles.up({ ...inputs, adopt: true })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    await roles.destroy();
    expect(await names(mount)).toEqual([]);
  });

  test("a replaced exclusive set keeps its roles and leaves undeclared ones to the next refresh and update", async () => {
    const { outOfBand, newMount } = current();
    const [mount, other] = [await newMount(), await newMount()];
    const roles = engine();
    const inputs = { roles: { ours: read }, exclusive: true, mount };
    await roles.up(inputs);
    await outOfBand("POST", `${mount}/role/theirs`, read);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    await roles.replace(inputs);
    expect(await names(mount)).toEqual(["ours", "theirs"]);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    printed.length = 0;
    expect(await roles.up({ ...inputs, mount: other })).toBe("replace");
    expect(printed).toEqual([]);
    expect([await names(mount), await names(other)]).toEqual([["theirs"], ["ours"]]);
    await roles.destroy();
  });

  test("a listed role that the program then declares with the same attributes belongs to the set", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    await outOfBand("POST", `${mount}/role/theirs`, read);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    const declare = (policies: string[]): object => ({ roles: { ours: read, theirs: { policies } }, exclusive: true, mount, adopt: true });
    expect(await roles.up({ ...declare(["read"]) })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.up({ ...declare(["write"]), adopt: false })).toBe("update");
    await roles.destroy();
    expect(await names(mount)).toEqual([]);
  });

  test("a listed role that the program declares belongs to the set although its write got no response", async () => {
    const { sandbox, outOfBand, newMount } = current();
    if (!sandbox) return;
    const mount = await newMount();
    const roles = engine();
    await roles.up({ roles: { ours: read }, exclusive: true, mount });
    await outOfBand("POST", `${mount}/role/theirs`, read);
    expect(await roles.refresh()).toEqual(["undeclared"]);
    sandbox.faults.add({ system: "secrets", method: "POST", path: /theirs$/, action: "respond", status: 500 });
    const declared = { roles: { ours: read, theirs: { policies: ["write"] } }, exclusive: true, mount, adopt: true };
    await expect(roles.up(declared)).rejects.toThrow(refusal("ERR_INCOMPLETE"));
    expect(roles.outputs()).toMatchObject({ unanswered: ["theirs"] });
    expect(roles.outputs().undeclared).toBeUndefined();
    await roles.destroy();
    expect(await names(mount)).toEqual([]);
  });

  test("a deletion that fails in part names each role and says that the state is outdated, and refresh corrects it", async () => {
    const { sandbox, newMount } = current();
    if (!sandbox) return;
    const mount = await newMount();
    const roles = engine();
    const inputs = { roles: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`role-${index}`, read])), mount };
    await roles.up(inputs);
    const refuse = { system: "secrets", method: "DELETE", path: /role-(3|17)$/, action: "respond", status: 403, times: 4 } as const;
    sandbox.faults.add(refuse);
    const failed = roles.destroy();
    await expect(failed).rejects.toThrow(refusal("ERR_FORBIDDEN"));
    for (const part of ["could not delete 2 of 20 roles (role-17, role-3).", "The others were deleted.", "run `pulumi refresh` before"])
      await expect(failed).rejects.toThrow(part);
    expect(await names(mount)).toEqual(["role-17", "role-3"]);
    expect(await roles.refresh()).toEqual(["roles"]);
    // A replacement that fails and is reverted leaves the same.
    const moved = roles.up({ ...inputs, mount: await newMount() });
    await expect(moved).rejects.toThrow("could not delete 2 of 2 roles (role-17, role-3). ");
    await expect(moved).rejects.not.toThrow("pulumi refresh` before");
    expect(await roles.up(inputs)).toBe("update");
    expect(await names(mount)).toHaveLength(20);
    await roles.destroy();
    expect(await names(mount)).toEqual([]);
  });

  test("refresh names each part of a role that was changed on the server", async () => {
    const { dialect, outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    const inputs = { roles: { "a.b": read, gone: read, same: { policies: ["one", "two"] }, web: read }, mount };
    await roles.up(inputs);
    for (const name of ["a.b", "web"]) await outOfBand("POST", `${mount}/role/${name}`, { policies: "write" });
    await outOfBand("POST", `${mount}/role/same`, { policies: "two,one" });
    await outOfBand("DELETE", `${mount}/role/gone`);
    expect(await roles.refresh()).toEqual(["roles"]);
    const line = (difference: string): string =>
      `${dialect === "hashicorp" ? "Nomad" : "scheduler"} roles at mount "${mount}": changed on the server (${difference})`;
    expect(printed).toEqual(
      [
        'roles["a.b"].policies: ["read"] -> ["write"]',
        `roles.gone: ${JSON.stringify({ global: false, policies: ["read"], type: "client" })} -> nothing`,
        'roles.web.policies: ["read"] -> ["write"]',
      ].map(line),
    );
    printed.length = 0;
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.up(inputs)).toBe("update");
    expect(printed).toEqual([]);
    await roles.destroy();
  });

  test("refresh names at most ten changed parts, and shows no value of a secret", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    const names = Array.from({ length: 12 }, (_, index) => `role-${index}`);
    const inputs = { roles: Object.fromEntries(names.map((name) => [name, { policies: ["canary-policy"] }])), mount };
    for (const [secretInputs, shown] of [
      [undefined, '["canary-policy"] -> ["theirs"]'],
      [["roles"], "[secret] -> [secret]"],
    ]) {
      await roles.up({ ...inputs, ...(secretInputs ? { secretInputs } : {}) });
      for (const name of names) await outOfBand("POST", `${mount}/role/${name}`, { policies: "theirs" });
      printed.length = 0;
      expect(await roles.refresh()).toEqual(["roles"]);
      expect(printed).toHaveLength(11);
      expect(printed[0]).toMatch(/\(roles\["role-0"\]\.policies: /);
      expect(printed[0]?.endsWith(` ${shown})`)).toBe(true);
      expect(printed.at(-1)).toMatch(/\(and 2 more\)$/);
    }
    await roles.destroy();
  });

  test("names of JavaScript object members are valid role names", async () => {
    const { outOfBand, newMount } = current();
    const mount = await newMount();
    const roles = engine();
    await outOfBand("POST", `${mount}/role/constructor`, read);
    await roles.up({ roles: { toString: read, web: read }, mount });
    expect(await names(mount)).toEqual(["constructor", "toString", "web"]);
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.problems({ roles: JSON.parse('{"a": null, "web": {}}'), mount })).toContain("roles.a: invalid-type");
    await roles.destroy();
    expect(await names(mount)).toEqual(["constructor"]);
  });
});
