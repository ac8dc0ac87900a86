import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { Engine } from "../../support/engine";
import { startGateway } from "../../support/gateway";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

// Two resources of one object, as a rename or a move leaves them in the state. `remembers` continues the process of the step before.

const remembers = { remembers: true };

onEachTarget("one owner for each object", (current) => {
  const engine = (type: string, config = current().config()): Engine => new Engine(`secrets:${type}`, config);
  const statusOf = async (path: string): Promise<number> => (await current().outOfBand("GET", path)).status;
  const policiesOf = async (path: string): Promise<unknown> => (await current().outOfBand("GET", path)).data?.policies;
  const access = { address: "http://127.0.0.1:4646", token: "canary-management" };

  /** The inputs of each type that has an object, with the paths of its objects. */
  const cases = [
    { type: "SchedulerRole", inputs: { name: "web", policies: ["a"] }, paths: ["role/web"] },
    {
      type: "SchedulerRoles",
      inputs: { roles: { web: { policies: ["a"] }, site: { policies: ["a"] } } },
      paths: ["role/web", "role/site"],
    },
    { type: "SchedulerAccess", inputs: access, paths: ["config/access"] },
    { type: "SchedulerLease", inputs: { ttl: "1h" }, paths: ["config/lease"] },
  ];
  /** An existing resource, and one that took over its object in an earlier run that did not reach the deletion. */
  async function twins(type: string, inputs: object): Promise<{ former: Engine; renamed: Engine; again: { mount: string } }> {
    const again = { ...inputs, adopt: true, mount: await current().newMount() };
    const [former, renamed] = [engine(type), engine(type)];
    await former.up(again);
    await renamed.up(again);
    return { former, renamed, again };
  }

  /** Asserts that all objects of a case exist, or that none does. */
  async function expectObjects(exist: boolean, mount: unknown, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const { status, data } = await current().outOfBand("GET", `${mount}/${path}`);
      expect({ path, exists: status === 200 && data?.address !== "" }).toEqual({ path, exists: exist });
    }
  }

  test.each(cases)("$type: a rename in one run keeps the object for the new resource", async ({ type, inputs, paths }) => {
    const { former, again } = await twins(type, inputs);
    await former.destroy(remembers);
    await expectObjects(true, again.mount, paths);
  });

  test.each(cases)("$type: destroying both resources of a rename in either order removes the object", async ({ type, inputs, paths }) => {
    for (const isFormerFirst of [true, false]) {
      const { former, renamed, again } = await twins(type, inputs);
      clearCache();
      for (const resource of isFormerFirst ? [former, renamed] : [renamed, former]) await resource.destroy(remembers);
      await expectObjects(false, again.mount, paths);
    }
  });

  test.each(cases)("$type: a forced replacement deletes and recreates the object", async ({ type, inputs, paths }) => {
    const { renamed, again } = await twins(type, inputs);
    clearCache();
    // In a replacement that the user forces, the provider gets no diff.
    await renamed.problems(again);
    await renamed.destroy(remembers);
    await expectObjects(false, again.mount, paths);
    expect(await renamed.up(again, remembers)).toBe("create");
    await expectObjects(true, again.mount, paths);
  });

  describe.each([
    { which: "with an instance", strip: () => undefined },
    {
      which: "of an earlier release, without an instance",
      strip: (resource: Engine) => {
        delete resource.state?.outputs.instance;
      },
    },
  ])("a state $which", ({ strip }) => {
    test.each(cases)("$type: a replacement by a trigger deletes and recreates the object", async ({ type, inputs, paths }) => {
      const declared = { ...inputs, mount: await current().newMount() };
      const resource = engine(type);
      await resource.up(declared);
      strip(resource);
      await resource.replace(declared);
      await expectObjects(true, declared.mount, paths);
      expect(printed).toEqual([]);
      expect(await resource.up(declared)).toBe("same");
      await resource.destroy();
      await expectObjects(false, declared.mount, paths);
    });

    test.each(cases)("$type: the old resource keeps the object for a new one that is replaced", async ({ type, inputs, paths }) => {
      const { former, renamed, again } = await twins(type, inputs);
      for (const each of [former, renamed]) strip(each);
      await renamed.replace(again);
      await former.destroy(remembers);
      await expectObjects(true, again.mount, paths);
    });

    test.each(cases)("$type: the old resource keeps the object for a new one that stays", async ({ type, inputs, paths }) => {
      const { former, renamed, again } = await twins(type, inputs);
      for (const each of [former, renamed]) strip(each);
      printed.length = 0;
      expect(await renamed.up(again)).toBe("same");
      await former.destroy(remembers);
      const name = `"${type === "SchedulerRole" ? "web" : again.mount}"`;
      const left = type === "SchedulerRoles" ? ".*\\(site, web\\)\\.$" : "";
      expect(printed).toEqual([expect.stringMatching(`^warning: .*${name}${left}`)]);
      await expectObjects(true, again.mount, paths);
      expect(await renamed.refresh()).toEqual([]);
      expect(await renamed.up(again)).toBe("same");
      await renamed.destroy();
      await expectObjects(false, again.mount, paths);
    });
  });

  test.each(cases.filter(({ type }) => type !== "SchedulerLease"))(
    "$type: a rejected rename removes nothing, and the old resource stays in the state",
    async ({ type, inputs, paths }) => {
      const declared = { ...inputs, mount: await current().newMount() };
      const [former, renamed] = [engine(type), engine(type)];
      await former.up(declared);
      clearCache();
      await expect(renamed.up(declared, remembers)).rejects.toThrow(refusal("ERR_ALREADY_EXISTS", { rule: "exists" }));
      await expect(former.destroy(remembers)).rejects.toThrow(refusal("ERR_REJECTED", { rule: "not-taken-over" }));
      expect(former.state).toBeDefined();
      await expectObjects(true, declared.mount, paths);
      await renamed.up({ ...declared, adopt: true });
      await former.destroy(remembers);
      await expectObjects(true, declared.mount, paths);
    },
  );

  test.each(cases)("$type: the second creation of the same object in one run fails, also with adopt", async ({ type, inputs }) => {
    for (const more of [{}, { adopt: true }]) {
      const declared = { ...inputs, ...more, mount: await current().newMount() };
      const [one, two] = [engine(type), engine(type)];
      clearCache();
      const outcomes = await Promise.allSettled([one.up(declared, remembers), two.up(declared, remembers)]);
      const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(failed).toEqual([refusal("ERR_ALREADY_EXISTS", { rule: "declared-twice" })]);
    }
  });

  test("two roles that swap their names both survive", async () => {
    const mount = await current().newMount();
    const inputs = (name: string, policy: string): Record<string, unknown> => ({ name, policies: [policy], mount, adopt: true });
    const [a, b] = [engine("SchedulerRole"), engine("SchedulerRole")];
    await a.up(inputs("web", "of-a"));
    await b.up(inputs("site", "of-b"));
    const [formerA, formerB] = [engine("SchedulerRole"), engine("SchedulerRole")];
    [formerA.state, formerB.state] = [a.state, b.state];
    clearCache();
    for (const [resource, name, policy] of [
      [a, "site", "of-a"],
      [b, "web", "of-b"],
    ] as const) {
      // Create before delete: the engine deletes both at the end.
      const { operation } = await resource.preview(inputs(name, policy));
      expect(operation).toBe("replace");
      resource.state = undefined;
      await resource.up(inputs(name, policy), remembers);
    }
    await formerA.destroy(remembers);
    await formerB.destroy(remembers);
    expect([await policiesOf(`${mount}/role/site`), await policiesOf(`${mount}/role/web`)]).toEqual([["of-a"], ["of-b"]]);
  });

  describe("moves between roles and sets of roles", () => {
    const names = ["a", "b", "c"];
    const attributes = { policies: ["p"] };
    const rolesOf = (...of: string[]): object => Object.fromEntries(of.map((name) => [name, attributes]));
    const role = (name: string, mount: string): Record<string, unknown> => ({ name, ...attributes, mount, adopt: true });
    const set = (mount: string, ...of: string[]): Record<string, unknown> => ({ roles: rolesOf(...of), mount, adopt: true });
    const held = async (mount: string): Promise<unknown> => (await current().outOfBand("GET", `${mount}/role?list=true`)).data?.keys;

    test.each([
      { order: "the set removes it first", isRemovedFirst: true, atOnce: false },
      { order: "the role is created first", isRemovedFirst: false, atOnce: false },
      { order: "both at once", isRemovedFirst: true, atOnce: true },
      { order: "both at once, the role slightly earlier", isRemovedFirst: false, atOnce: true },
    ])("one role moves out of a set: $order", async ({ isRemovedFirst, atOnce }) => {
      const mount = await current().newMount();
      const [roleSet, single] = [engine("SchedulerRoles"), engine("SchedulerRole")];
      await roleSet.up(set(mount, ...names));
      clearCache();
      const remove = (): Promise<unknown> => roleSet.up(set(mount, "b", "c"), remembers);
      const create = (): Promise<unknown> => single.up(role("a", mount), remembers);
      const [first, second] = isRemovedFirst ? [remove, create] : [create, remove];
      const begun = first();
      if (!atOnce) await begun;
      await Promise.all([begun, second()]);
      expect(await held(mount)).toEqual(names);
      expect(await single.refresh()).toEqual([]);
      expect(await roleSet.refresh()).toEqual([]);
      expect(await roleSet.up(set(mount, "b", "c"))).toBe("same");
    });

    test("a role is written only after a pending removal has a response", async () => {
      const mount = await current().newMount();
      const gateway = await startGateway(current().address);
      try {
        const config = current().config({ address: gateway.url });
        const [roleSet, single] = [engine("SchedulerRoles", config), engine("SchedulerRole", config)];
        await roleSet.up(set(mount, ...names));
        clearCache();
        let created: Promise<unknown> | undefined;
        gateway.interrupt = ({ method }) => {
          if (method !== "DELETE") return undefined;
          gateway.interrupt = undefined;
          // The request is lost and sent again.
          return {
            when: "before",
            act: async () => {
              created = single.up(role("a", mount), remembers);
              // This is enough time for a creation that does not wait.
              for (let look = 0; look < 5; look++) await current().outOfBand("GET", `${mount}/role?list=true`);
            },
          };
        };
        await roleSet.up(set(mount, "b", "c"), remembers);
        await created;
        expect(await held(mount)).toEqual(names);
        const writes = gateway.requests
          .filter(({ method, path }) => method !== "GET" && path.endsWith("/role/a"))
          .map(({ method }) => method);
        expect(writes.slice(-2)).toEqual(["DELETE", "POST"]);
      } finally {
        await gateway.close();
      }
    });

    test("a role that the set removed first is written again by its own resource", async () => {
      const mount = await current().newMount();
      const [roleSet, single] = [engine("SchedulerRoles"), engine("SchedulerRole")];
      await roleSet.up(set(mount, ...names));
      await single.up(role("a", mount));
      clearCache();
      await roleSet.up(set(mount, "b", "c"), remembers);
      expect(await statusOf(`${mount}/role/a`)).toBe(404);
      expect(await single.up(role("a", mount), remembers)).toBe("update");
      expect(await held(mount)).toEqual(names);
      expect(await single.up(role("a", mount))).toBe("same");
    });

    test("a role that its own resource removed first is written again by the set", async () => {
      const mount = await current().newMount();
      const [roleSet, single] = [engine("SchedulerRoles"), engine("SchedulerRole")];
      await single.up(role("a", mount));
      await roleSet.up(set(mount, ...names));
      clearCache();
      await single.destroy(remembers);
      expect(await roleSet.up(set(mount, ...names), remembers)).toBe("update");
      expect(await held(mount)).toEqual(names);
    });

    test("a role that its own resource removed, and that the set could not write, is written by the next up", async () => {
      const { sandbox, newMount } = current();
      if (!sandbox) return;
      const mount = await newMount();
      const [roleSet, single] = [engine("SchedulerRoles"), engine("SchedulerRole")];
      await single.up(role("a", mount));
      await roleSet.up(set(mount, ...names));
      clearCache();
      await single.destroy(remembers);
      sandbox.faults.add({ system: "secrets", method: "POST", path: /role\/a$/, action: "respond", status: 403 });
      await expect(roleSet.up(set(mount, ...names, "more"), remembers)).rejects.toThrow("could not write or delete 1 of 2 roles (a).");
      expect(await roleSet.up(set(mount, ...names, "more"))).toBe("update");
      expect(await held(mount)).toEqual([...names, "more"]);
    });
  });
});
