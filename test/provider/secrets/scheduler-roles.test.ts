import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { expectRefused, refusal } from "../../support/refusal";
import { atNewMount, onEachTarget } from "../../support/target";

const read = { policies: ["read"] };
const complete = (policies: string[]): object => ({ policies, global: false, type: "client" });

onEachTarget("SchedulerRoles", (current) => {
  const engine = (): Engine => new Engine("secrets:SchedulerRoles", current().config());

  /** A set at a new mount, with the requests outside Pulumi to its roles. */
  interface Scene {
    roles: Engine;
    mount: string;
    inputs: Record<string, unknown>;
    put(name: string, policies?: string[]): Promise<unknown>;
    names(at?: string): Promise<unknown>;
  }

  async function scene(roles: object = { ours: read }, more: object = { exclusive: true }): Promise<Scene> {
    const { outOfBand, mount } = await atNewMount(current());
    return {
      roles: engine(),
      mount,
      inputs: { roles, ...more, mount },
      put: (name, policies = ["read"]) => outOfBand("POST", `${mount}/role/${name}`, { policies }),
      names: async (at = mount) => (await outOfBand("GET", `${at}/role?list=true`)).data?.keys ?? [],
    };
  }

  /** The same, in which refresh has found an undeclared role. */
  async function withUndeclared(): Promise<Scene> {
    const begun = await scene();
    await begun.roles.up(begun.inputs);
    await begun.put("theirs");
    expect(await begun.roles.refresh()).toEqual(["__undeclared"]);
    return begun;
  }

  test("with exclusive, refresh reports an undeclared role, preview plans its removal, and only then up removes it", async () => {
    const { roles, inputs, put, names } = await scene();
    await roles.up(inputs);
    await put("theirs");

    // No diff has shown it yet, so an update for another reason keeps it.
    expect(await roles.up({ ...inputs, roles: { ours: { policies: ["write"] } } })).toBe("update");
    expect(await names()).toEqual(["ours", "theirs"]);

    printed.length = 0;
    expect(await roles.refresh()).toEqual(["__undeclared"]);
    expect(printed).toEqual([expect.stringMatching(/: found other roles on the server \(theirs\)$/)]);
    expect(roles.outputs()).toMatchObject({ roles: { ours: complete(["write"]) } });
    expect(await roles.preview(inputs)).toMatchObject({ operation: "update" });
    // Another role appears in between. It was not shown, so it is not removed.
    await put("later");
    expect(await roles.up(inputs)).toBe("update");
    expect(await names()).toEqual(["later", "ours"]);
    expect(await roles.refresh()).toEqual(["__undeclared"]);

    // A destroy removes only declared roles.
    await roles.destroy();
    expect(await names()).toEqual(["later"]);
  });

  test("with exclusive, creation fails if undeclared roles exist and lists them", async () => {
    const { roles, inputs, mount, put, names } = await scene();
    for (const name of ["theirs", "more"]) await put(name);
    await expectRefused(roles.up(inputs), refusal("ERR_ALREADY_EXISTS", { rule: "undeclared-roles" }), `"${mount}"`, ": more, theirs.");
    expect(await names()).toEqual(["more", "theirs"]);

    // The steps that the message names: create without it, set it, review, remove.
    await roles.up({ ...inputs, exclusive: false });
    await roles.up(inputs);
    expect(await names()).toEqual(["more", "ours", "theirs"]);
    expect(await roles.refresh()).toEqual(["__undeclared"]);
    await roles.up(inputs);
    expect(await names()).toEqual(["ours"]);
  });

  test("a set that is no longer exclusive drops the undeclared roles from its state", async () => {
    const { roles, inputs, names } = await withUndeclared();
    expect(await roles.up({ ...inputs, exclusive: false })).toBe("update");
    expect(await names()).toEqual(["ours", "theirs"]);
    expect(await roles.refresh()).toEqual([]);
    await roles.destroy();
    expect(await names()).toEqual(["theirs"]);
  });

  test("an exclusive set owns a role again that was deleted, put back by hand and adopted, and destroy deletes it", async () => {
    const { roles, inputs, mount, put, names } = await scene({ a: read, b: read });
    await roles.up(inputs);
    await current().outOfBand("DELETE", `${mount}/role/b`);
    expect(await roles.refresh()).toEqual(["roles"]);
    printed.length = 0;
    await put("b");
    expect(await roles.refresh()).toEqual(["__undeclared"]);
    // Like every existing role, it is not taken over without `adopt`.
    expect(printed).toEqual([expect.stringMatching(/: found other roles on the server \(b\)$/)]);
    await expect(roles.up(inputs)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
    expect(await roles.up({ ...inputs, adopt: true })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    await roles.destroy();
    expect(await names()).toEqual([]);
  });

  test("a replaced exclusive set keeps its roles and leaves undeclared ones to the next refresh and update", async () => {
    const { roles, inputs, names } = await withUndeclared();
    const other = await current().newMount();
    await roles.replace(inputs);
    expect(await names()).toEqual(["ours", "theirs"]);
    expect(await roles.refresh()).toEqual(["__undeclared"]);
    printed.length = 0;
    expect(await roles.up({ ...inputs, mount: other })).toBe("replace");
    expect(printed).toEqual([]);
    expect([await names(), await names(other)]).toEqual([["theirs"], ["ours"]]);
    await roles.destroy();
  });

  test("a listed role that the program then declares with the same attributes belongs to the set", async () => {
    const { roles, inputs, names } = await withUndeclared();
    const declare = (policies: string[]): object => ({ roles: { ours: read, theirs: { policies } }, adopt: policies === read.policies });
    expect(await roles.up({ ...inputs, ...declare(read.policies) })).toBe("update");
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.up({ ...inputs, ...declare(["write"]) })).toBe("update");
    await roles.destroy();
    expect(await names()).toEqual([]);
  });

  test("a listed role that the program declares belongs to the set although its write got no response", async () => {
    const { sandbox } = current();
    if (!sandbox) return;
    const { roles, inputs, names } = await withUndeclared();
    sandbox.faults.add({ system: "secrets", method: "POST", path: /theirs$/, action: "respond", status: 500 });
    const declared = { ...inputs, roles: { ours: read, theirs: { policies: ["write"] } }, adopt: true };
    await expect(roles.up(declared)).rejects.toThrow(refusal("ERR_INCOMPLETE"));
    expect(roles.hidden()).toMatchObject({ unanswered: ["theirs"] });
    expect(roles.hidden().undeclared).toBeUndefined();
    await roles.destroy();
    expect(await names()).toEqual([]);
  });

  test("a deletion that fails in part names each role and says that the state is outdated, and refresh corrects it", async () => {
    const { sandbox, newMount } = current();
    if (!sandbox) return;
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`role-${index}`, read]));
    const { roles, inputs, names } = await scene(twenty, {});
    await roles.up(inputs);
    const refuse = { system: "secrets", method: "DELETE", path: /role-(3|17)$/, action: "respond", status: 403, times: 4 } as const;
    sandbox.faults.add(refuse);
    const parts = ["could not delete 2 of 20 roles (role-17, role-3).", "The others were deleted.", "run `pulumi refresh` before"];
    await expectRefused(roles.destroy(), refusal("ERR_FORBIDDEN"), ...parts);
    expect(await names()).toEqual(["role-17", "role-3"]);
    expect(await roles.refresh()).toEqual(["roles"]);
    // A replacement that fails and is reverted leaves the same.
    const moved = roles.up({ ...inputs, mount: await newMount() });
    await expect(moved).rejects.toThrow("could not delete 2 of 2 roles (role-17, role-3). ");
    await expect(moved).rejects.not.toThrow("pulumi refresh` before");
    expect(await roles.up(inputs)).toBe("update");
    expect(await names()).toHaveLength(20);
    await roles.destroy();
    expect(await names()).toEqual([]);
  });

  test("refresh names each part of a role that was changed on the server", async () => {
    const { roles, inputs, mount, put } = await scene({ "a.b": read, gone: read, same: { policies: ["one", "two"] }, web: read }, {});
    await roles.up(inputs);
    for (const name of ["a.b", "web"]) await put(name, ["write"]);
    await put("same", ["two", "one"]);
    await current().outOfBand("DELETE", `${mount}/role/gone`);
    expect(await roles.refresh()).toEqual(["roles"]);
    const set = `${current().dialect === "hashicorp" ? "Nomad" : "scheduler"} roles at mount "${mount}"`;
    const gone = JSON.stringify({ global: false, policies: ["read"], type: "client" });
    expect(printed).toEqual([
      `${set}: changed on the server (roles["a.b"].policies: ["read"] -> ["write"])`,
      `${set}: changed on the server (roles.gone: ${gone} -> nothing)`,
      `${set}: changed on the server (roles.web.policies: ["read"] -> ["write"])`,
    ]);
    printed.length = 0;
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.up(inputs)).toBe("update");
    expect(printed).toEqual([]);
  });

  test.each([
    { __secretInputs: undefined, shown: '["canary-policy"] -> ["theirs"]' },
    { __secretInputs: ["roles"], shown: "[secret] -> [secret]" },
  ])("refresh names at most ten changed parts, and shows no value of a secret: $shown", async ({ __secretInputs, shown }) => {
    const twelve = Array.from({ length: 12 }, (_, index) => `role-${index}`);
    const declared = Object.fromEntries(twelve.map((name) => [name, { policies: ["canary-policy"] }]));
    const { roles, inputs, put } = await scene(declared, { __secretInputs });
    await roles.up(inputs);
    for (const name of twelve) await put(name, ["theirs"]);
    printed.length = 0;
    expect(await roles.refresh()).toEqual(["roles"]);
    expect(printed).toHaveLength(11);
    expect(printed[0]).toContain(`(roles["role-0"].policies: ${shown})`);
    expect(printed.at(-1)).toMatch(/\(and 2 more\)$/);
  });

  test("names of JavaScript object members are valid role names", async () => {
    const { roles, inputs, put, names } = await scene({ toString: read, web: read }, {});
    await put("constructor");
    await roles.up(inputs);
    expect(await names()).toEqual(["constructor", "toString", "web"]);
    expect(await roles.refresh()).toEqual([]);
    expect(await roles.problems({ ...inputs, roles: JSON.parse('{"a": null, "web": {}}') })).toContain("roles.a: invalid-type");
    await roles.destroy();
    expect(await names()).toEqual(["constructor"]);
  });
});
