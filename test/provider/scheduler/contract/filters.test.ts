import { scheduler } from "../../../../provider";
import { collect, dormantJob, newName, onEachScheduler } from "../../../support/scheduler";

// test/real/scheduler-filter.test.ts compares the sandbox with Nomad.

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

onEachScheduler("filters", (current) => {
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

  test("combine with and, or and not as in the program", async () => {
    const priorities = [10, 20, 30, 40, 50];
    const jobs = priorities.map((Priority) => ({ ID: newName(), Priority }));
    for (const { ID, Priority } of jobs) await registerJob({ job: dormantJob(ID, { Priority }) });
    const ours = filter("ID")
      .equals(jobs[0]?.ID ?? "")
      .or(filter("ID").matches(`^(${jobs.map(({ ID }) => ID).join("|")})$`));
    type Tree = { filter: scheduler.Filter; holds(priority: number): boolean };
    // The same trees in each run, so that a failure can be reproduced.
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    const tree = (depth: number): Tree => {
      const kind = depth === 0 ? 0 : random(4);
      if (kind === 0) {
        const value = priorities[random(5)] ?? 0;
        return { filter: filter("Priority").equals(value), holds: (priority) => priority === value };
      }
      const [a, b] = [tree(depth - 1), tree(depth - 1)];
      if (kind === 1) return { filter: a.filter.not(), holds: (priority) => !a.holds(priority) };
      if (kind === 2) return { filter: a.filter.and(b.filter), holds: (priority) => a.holds(priority) && b.holds(priority) };
      return { filter: a.filter.or(b.filter), holds: (priority) => a.holds(priority) || b.holds(priority) };
    };
    for (let round = 0; round < 60; round++) {
      const { filter: made, holds } = tree(4);
      const found = await collect(listJobs({ filter: ours.and(made) }));
      expect([`${made}`, found.map(({ Priority }) => Priority).sort()]).toEqual([`${made}`, priorities.filter(holds)]);
    }
  });

  test("need no spaces next to parentheses in the standard dialect", async () => {
    const ID = newName();
    await registerJob({ job: dormantJob(ID) });
    const found = collect(listJobs({ filter: `(ID == "${ID}")and not(Meta is not empty)` }));
    if (current().dialect === "standard") expect(await found).toMatchObject([{ ID }]);
    else await expect(found).rejects.toMatchObject({ code: "ERR_REJECTED", status: 400 });
  });
});
