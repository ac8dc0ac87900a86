import { scheduler } from "../../../../provider";
import { collect, dormantJob, jobOf, newName, onEachScheduler, update } from "../../../support/scheduler";

const { filter, watch } = scheduler;

onEachScheduler("a watch", (current) => {
  const register = (job: object): Promise<unknown> => current().outOfBand("PUT", "jobs", { Job: job });

  test("yields nothing for an unchanged job or for other jobs", async () => {
    const ID = newName();
    await register(dormantJob(ID, { Priority: 1 }));
    await current().through(async (gateway) => {
      const steps = [
        () => register(dormantJob(newName())),
        () => register(dormantJob(ID, { Priority: 1 })).then(() => register(dormantJob(newName()))),
        () => register(dormantJob(ID, { Priority: 2 })),
      ];
      gateway.interrupt = ({ path }) => void (path.includes("index=") && steps.shift()?.());
      const seen: unknown[] = [];
      for await (const { items } of watch({ resource: "jobs", filter: filter("ID").equals(ID) })) {
        seen.push(items[0]?.Priority);
        if (seen.at(-1) === 2) break;
      }
      expect(seen).toEqual([1, 2]);
      expect(gateway.requests.length).toBeGreaterThanOrEqual(4);
    });
  });

  test("yields the last of several quick changes without delay", async () => {
    const ID = newName();
    const seen: number[] = [];
    let writing: Promise<void> | undefined;
    for await (const { items } of watch({ resource: "jobs", filter: filter("ID").equals(ID) })) {
      writing ??= (async () => {
        for (let Priority = 1; Priority <= 20; Priority++) await register(dormantJob(ID, { Priority }));
      })();
      seen.push(Number(items[0]?.Priority ?? 0));
      if (seen.at(-1) === 20) break;
    }
    await writing;
    expect(seen[0]).toBe(0);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  });

  test("yields a job that is registered, runs and stops, and its deployment", async () => {
    const ID = newName();
    const seen: string[] = [];
    for await (const { items } of watch({ resource: "jobs", filter: filter("ID").equals(ID), wait: "10s" })) {
      const [job] = items;
      seen.push(job ? String(job.Stop) : "none");
      if (!job) await register(jobOf(ID));
      else if (!job.Stop && job.Status === "running") await register(jobOf(ID, { Stop: true }));
      else if (job.Stop && job.Status === "dead") break;
    }
    expect([...new Set(seen)]).toEqual(["none", "false", "true"]);

    const states: unknown[] = [];
    const next = newName();
    for await (const { items } of watch({ resource: "deployments", filter: filter("JobID").equals(next) })) {
      // Long enough to be seen running on a busy machine.
      const Update = { ...update, MinHealthyTime: 2e9, HealthyDeadline: 8e9, ProgressDeadline: 1e10 };
      if (items.length === 0) await register(jobOf(next, { Update }));
      states.push(items[0]?.Status);
      if (states.at(-1) === "successful") break;
    }
    expect([...new Set(states)]).toEqual([undefined, "running", "successful"]);
  });

  test("starts another blocking query at the end of the wait without yielding", async () => {
    await current().through(async (gateway) => {
      const ended = new AbortController();
      gateway.interrupt = ({ count }) => void (count === 4 && ended.abort());
      expect(await collect(watch({ resource: "nodes", wait: "1s", signal: ended.signal }))).toHaveLength(1);
      const [first, ...held] = gateway.requests.map(({ path }) => path);
      expect(first).toBe("/v1/nodes");
      expect(held).toHaveLength(3);
      for (const path of held) expect(path).toMatch(/^\/v1\/nodes\?index=[1-9]\d*&wait=1s$/);
    });
  });

  test("ends without an error when the signal aborts during a blocking query", async () => {
    await current().through(async (gateway) => {
      const ended = new AbortController();
      // The first response has arrived, and the second one would come after five minutes.
      gateway.interrupt = ({ count }) => void (count === 2 && ended.abort());
      expect(await collect(watch({ resource: "nodes", signal: ended.signal }))).toHaveLength(1);
      expect(gateway.requests).toHaveLength(2);
    });
    expect(await collect(watch({ resource: "jobs", signal: AbortSignal.abort() }))).toEqual([]);
  });
});
