import { scheduler } from "../../provider";
import { ask, collect, connect, jobOf, newId, removeJobs } from "./nomad";

const { filter, registerJob, waitForDeployment, watch } = scheduler;

beforeAll(connect);
afterAll(removeJobs);
let said: jest.SpyInstance;
beforeEach(() => {
  said = jest.spyOn(console, "log").mockImplementation(() => {});
});
afterEach(() => said.mockRestore());

test("a watch tells each change of what it looks at, and nothing else", async () => {
  const ID = newId();
  const seen: string[] = [];
  for await (const { items, index } of watch({ resource: "jobs", filter: filter("ID").equals(ID), wait: "10s" })) {
    expect(index).toBeGreaterThan(0);
    const [job] = items;
    seen.push(job ? String(job.Stop) : "none");
    if (!job) {
      // Somebody else's job, and then ours: one change.
      await registerJob({ job: jobOf(newId(), { Type: "batch", ParameterizedJob: {}, Update: null }) });
      await registerJob({ job: jobOf(ID) });
    } else if (!job.Stop) await ask(`job/${ID}`, "DELETE");
    else break;
  }
  expect([seen[0], new Set(seen.slice(1, -1)), seen.at(-1)]).toEqual(["none", new Set(["false"]), "true"]);
});

test("the signal ends a request that the server holds", async () => {
  const begin = Date.now();
  const signal = AbortSignal.timeout(700);
  expect(await collect(watch({ resource: "nodes", signal }))).toHaveLength(1);
  expect(Date.now() - begin).toBeLessThan(5_000);
});

test("a job is deployed, and the same job again is deployed already", async () => {
  const ID = newId();
  await registerJob({ job: jobOf(ID) });
  const done = await waitForDeployment({ jobId: ID, timeout: "30s" });
  expect(done).toMatchObject({ JobID: ID, Status: "successful", CreateTime: expect.stringMatching(/^\d{19}$/) });
  expect(said.mock.calls.flat().at(-1)).toBe(`info: [runtime] pulumi-steward: deployment of job "${ID}": successful, main 1 of 1 healthy.`);
  await registerJob({ job: jobOf(ID) });
  const begin = Date.now();
  expect((await waitForDeployment({ jobId: ID, timeout: "30s" }))?.ID).toBe(done?.ID);
  expect(Date.now() - begin).toBeLessThan(3_000);
  // A new version is not mistaken for the one that is deployed.
  await registerJob({ job: jobOf(ID, { Meta: { version: "2" } }) });
  expect((await waitForDeployment({ jobId: ID, timeout: "30s" }))?.JobVersion).toBe(1);
});

test("a job that does not become healthy is a failed deployment", async () => {
  const ID = newId();
  await registerJob({ job: jobOf(ID, {}, { run_for: "10ms", exit_code: 1 }) });
  await expect(waitForDeployment({ jobId: ID, timeout: "60s" })).rejects.toMatchObject({
    code: "ERR_FAILED",
    message: expect.stringMatching(/deployment [0-9a-f-]{36} is failed: Failed due to /),
  });
});

test("a newer version cancels the deployment that is waited for", async () => {
  const ID = newId();
  // Never healthy within this test.
  const slow = {
    Update: { MaxParallel: 1, HealthCheck: "task_states", MinHealthyTime: 6e10, HealthyDeadline: 1.2e11, ProgressDeadline: 1.8e11 },
  };
  await registerJob({ job: jobOf(ID, slow) });
  const waiting = waitForDeployment({ jobId: ID, timeout: "60s" });
  const outcome = expect(waiting).rejects.toThrow(/ is cancelled: Cancelled due to newer version of job\.$/);
  while (!said.mock.calls.flat().join().includes("running, main")) await new Promise((done) => setTimeout(done, 50));
  await registerJob({ job: jobOf(ID, { ...slow, Meta: { version: "2" } }) });
  await outcome;
  await expect(waitForDeployment({ jobId: ID, timeout: 1 })).rejects.toMatchObject({ code: "ERR_TIMED_OUT" });
});

test("what has no deployment is not waited for", async () => {
  const ID = newId();
  await registerJob({ job: jobOf(ID, { Type: "batch", ParameterizedJob: {}, Update: null }) });
  await expect(waitForDeployment({ jobId: ID })).rejects.toThrow("jobs of type batch have no deployments");
  await expect(waitForDeployment({ jobId: newId() })).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
});
