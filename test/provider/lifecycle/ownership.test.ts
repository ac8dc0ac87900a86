import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { Engine } from "../../support/engine";
import { printed } from "../../support/printed";
import { engine, hold, sandbox } from "./two-sandboxes";

const remembers = { remembers: true };
const web = { policies: ["a"] };

test("a creation waits for a removal of the same object that started in the same tick", async () => {
  const inputs = { name: "web", ...web, adopt: true };
  const [former, renamed] = [engine("SchedulerRole"), engine("SchedulerRole")];
  await former.up(inputs);
  clearCache();
  const order: string[] = [];
  const steps: (() => void)[] = [];
  const begins = (index: number) => (): Promise<"continue"> =>
    new Promise((done) => {
      steps[index] = () => done("continue");
      if (steps[0] && steps[1]) for (const step of steps) step();
    });
  sandbox.faults.add({ system: "secrets", method: "DELETE", path: /role\/web$/, action: "delay", delayMs: 200 });
  await Promise.all([
    former.destroy({ ...remembers, begins: begins(0) }).then(() => order.push("removed")),
    renamed.up(inputs, { ...remembers, begins: begins(1) }).then(() => order.push("created")),
  ]);
  expect([order, await hold(sandbox, "nomad/role/web")]).toEqual([["removed", "created"], 200]);
});

test("the preview of a rename without an alias names the object that the state already has, if it refreshes", async () => {
  const inputs = { name: "web", ...web, adopt: true };
  const [former, renamed, set] = [engine("SchedulerRole"), engine("SchedulerRole"), engine("SchedulerRoles")];
  await former.up(inputs);
  await former.refresh();
  await renamed.preview(inputs);
  await set.preview({ roles: { web, other: web } });
  const note =
    /^warning: .* another resource in the state has the same object, \/v1\/nomad\/role\/web\. If you renamed the resource, add an alias/;
  expect(printed).toEqual([expect.stringMatching(note), expect.stringMatching(note)]);
  // A resource that the program still declares, as with an alias, and a `get`.
  const got = engine("SchedulerRole");
  await got.get("nomad/role/web");
  await got.refresh();
  printed.length = 0;
  await renamed.preview(inputs);
  await former.refresh();
  await former.preview(inputs);
  await engine("SchedulerRole").preview({ ...inputs, name: "other" });
  expect(printed).toEqual([]);
});

test.each(["SchedulerRole", "SchedulerRoles"])("up recreates a role that an earlier run only removed: %s", async (type) => {
  const declared = type === "SchedulerRole" ? { name: "web", ...web, adopt: true } : { roles: { web }, adopt: true };
  const [roles, holder]: Engine[] = [engine("SchedulerRoles"), engine(type)];
  await roles?.up({ roles: { web, rest: web } });
  // The role moved, and that run ended before the set was updated.
  await holder?.up(declared);
  clearCache();
  await roles?.up({ roles: { rest: web } }, remembers);
  sandbox.faults.add({ system: "secrets", method: "POST", path: /role\/web$/, action: "respond", status: 403, body: "{}" });
  await expect(holder?.up(declared, remembers)).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
  expect(await holder?.up(declared)).toBe("update");
  expect(await hold(sandbox, "nomad/role/web")).toBe(200);
  expect(await holder?.up(declared)).toBe("same");
});

test("up writes a role that an earlier run removed, and that the set could not write while it wrote another one", async () => {
  const [single, set] = [engine("SchedulerRole"), engine("SchedulerRoles")];
  const both = { roles: { web, rest: web }, adopt: true };
  await single.up({ name: "web", ...web });
  await set.up({ roles: { web }, adopt: true });
  clearCache();
  await single.destroy(remembers);
  sandbox.faults.add({ system: "secrets", method: "POST", path: /role\/web$/, action: "respond", status: 403 });
  await expect(set.up(both, remembers)).rejects.toMatchObject({ code: "ERR_INCOMPLETE" });
  expect(await set.up(both)).toBe("update");
  expect(await hold(sandbox, "nomad/role/web")).toBe(200);
});
