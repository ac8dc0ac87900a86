import { scheduler } from "../../../../provider";
import { collect, dormantJob, newName, onEachScheduler } from "../../../support/scheduler";

// test/troubles/fuzz/filter.test.ts proves what a filter prints, and test/real/scheduler-filter.test.ts that Nomad reads it like the sandbox.

const { filter, listJobs, registerJob } = scheduler;

const oddities = {
  plain: "x",
  "team.name": "web",
  in: "word",
  "say `x`": "tick`",
  'say "x"': 'say "x"',
  slash: "/a~1b",
  "slash tick": "/`",
  backslash: "c:\\new",
  both: '" and ` and \\',
  lines: "a\nb",
  returns: 'a\r\n`"\u0001\u0085',
  nothing: "",
  "": "empty key",
};

onEachScheduler("filters", () => {
  test("find every value under every key", async () => {
    const ID = newName();
    await registerJob({ job: dormantJob(ID, { Meta: oddities }) });
    const found = async (condition: scheduler.Filter): Promise<boolean> =>
      (await collect(listJobs({ filter: filter("ID").equals(ID).and(condition) }))).length === 1;
    for (const [key, value] of Object.entries(oddities)) {
      expect([key, await found(filter("Meta", key).equals(value))]).toEqual([key, true]);
      expect([key, await found(filter("Meta", key).equals(value).not())]).toEqual([key, false]);
      expect([key, await found(filter("Meta").contains(key))]).toEqual([key, true]);
      expect([key, await found(filter("Meta").includes(key))]).toEqual([key, true]);
    }
    expect(await found(filter("TaskGroups", "0", "Name").equals("main"))).toBe(true);
    expect(await found(filter("Stop").equals(false).and(filter("Priority").equals(50)))).toBe(true);
    expect(await found(filter("Datacenters").notContains("*"))).toBe(false);
  });
});
