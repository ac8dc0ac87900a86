import { ServerResponse } from "node:http";
import { scheduler } from "../../../provider";
import { printed } from "../../support/printed";
import { expectRefused, failure, refusal } from "../../support/refusal";
import { Asked, answerList, serve } from "./server";

const { waitForDeployment } = scheduler;
const lines = (): string[] => printed.map((line) => line.replace("info: [runtime] pulumi-steward: ", ""));

const job = (more: object = {}): object => ({ ID: "web", Type: "service", JobModifyIndex: 20, Stop: false, ...more });
const deployment = (ID: string, Status: string, more: object = {}): object => ({
  ID,
  JobID: "web",
  Status,
  StatusDescription: `It is ${Status}`,
  JobSpecModifyIndex: 20,
  CreateIndex: 21,
  TaskGroups: { web: { HealthyAllocs: 1, DesiredTotal: 3 } },
  ...more,
});

const group = (more: object = {}): object => ({ Name: "web", Count: 1, Update: { MaxParallel: 1 }, ...more });

/** Serves the job, and then each state of its deployments. Holds requests after the last one. The service does not serve single jobs. */
function schedule(jobs: object[], ...states: object[][]): Promise<Asked[]> {
  let index = 30;
  return serve(({ path }, response: ServerResponse) => {
    if (path === "/v1/jobs") return answerList(response, jobs);
    if (path === "/v1/job/web") return response.writeHead(404).end();
    const state = states.shift();
    if (state) answerList(response, state, { "X-Scheduler-Index": index++ });
  });
}

/** Serves the job at each read of it, and its deployments before and after a wait. Holds the wait if it has no end. */
function without(jobs: (read: number) => object[], before: object[], after?: object[]): Promise<Asked[]> {
  let reads = 0;
  return serve(({ path, query }, response) => {
    if (path === "/v1/jobs") return answerList(response, jobs(reads++));
    if (path === "/v1/job/web") {
      const [record] = jobs(reads++) as { ID: string }[];
      return record?.ID === "web" ? answerList(response, JSON.stringify(record)) : response.writeHead(404).end("job not found");
    }
    const deployments = query.index ? after : before;
    if (deployments) answerList(response, deployments, { "X-Scheduler-Index": 30 });
  });
}

/** A server that does not support filters returns the deployments of all jobs. */
const foreign = deployment("d9", "failed", { JobID: "other", CreateIndex: 99 });

test("resolves on success and reports its progress", async () => {
  const seen = await schedule(
    [job()],
    [],
    [deployment("d1", "running"), foreign],
    [deployment("d1", "running", { RequireProgressBy: "later" })],
    [deployment("d1", "running", { TaskGroups: { web: { HealthyAllocs: 1, DesiredTotal: 3, DesiredCanaries: 1, Promoted: false } } })],
    [deployment("d1", "running", { TaskGroups: { web: { HealthyAllocs: 2, DesiredTotal: 3, DesiredCanaries: 1, Promoted: true } } })],
    [deployment("d1", "successful", { TaskGroups: { web: { HealthyAllocs: 3, DesiredTotal: 3 } } })],
  );
  const done = await waitForDeployment({ jobId: "web", namespace: "team", region: "eu", stale: true, timeout: "1m" });
  expect(done).toMatchObject({ ID: "d1", Status: "successful" });
  expect(lines()).toEqual([
    'deployment of job "web": running, web 1 of 3 healthy.',
    'deployment of job "web": running, web 1 of 3 healthy, not promoted.',
    'deployment of job "web": running, web 2 of 3 healthy.',
    'deployment of job "web": successful, web 3 of 3 healthy.',
  ]);
  expect(seen[0]).toMatchObject({ path: "/v1/jobs", query: { namespace: "team", region: "eu", filter: 'ID == "web"', stale: "" } });
  expect(seen[1]).toMatchObject({ path: "/v1/deployments", query: { namespace: "team", filter: 'JobID == "web"', stale: "" } });
  // Without a deployment, one request asks if there will be one. This service does not know it, and the job is read again.
  expect(seen[2]).toMatchObject({ path: "/v1/job/web", query: { namespace: "team", region: "eu", stale: "" } });
  expect(seen).toHaveLength(9);
});

test("continues after an election at each of its reads, and prints that", async () => {
  const asked = new Map<string, number>();
  await serve(({ path, query }, response) => {
    const question = `${path} ${query.filter} ${query.index}`;
    asked.set(question, (asked.get(question) ?? 0) + 1);
    if (asked.get(question) === 1) return response.writeHead(500).end("No cluster leader");
    if (path === "/v1/deployments") return answerList(response, [], { "X-Scheduler-Index": 30 });
    answerList(response, path === "/v1/jobs" ? [job()] : JSON.stringify(job({ Stable: true, TaskGroups: [group()] })));
  });
  expect(await waitForDeployment({ jobId: "web" })).toBeUndefined();
  expect([...asked.values()]).toEqual([2, 2, 2]);
  expect(lines().filter((line) => line.includes("no leader"))).toHaveLength(3);
});

test("fails if an election takes longer than electionTimeout", async () => {
  await serve((_, response) => response.writeHead(503).end());
  const expected = refusal("ERR_UNAVAILABLE", { rule: "no-leader", method: "GET", path: "/v1/jobs", status: 503 });
  await expectRefused(waitForDeployment({ jobId: "web", electionTimeout: 1 }), expected, '"web"', "1 s", "electionTimeout");
});

test("resolves for a version that was deployed long ago, although the scheduler has garbage-collected its deployment", async () => {
  const former = deployment("d0", "successful", { JobSpecModifyIndex: 10, CreateIndex: 11 });
  const seen = await without(() => [job({ Stable: true, TaskGroups: [group()] })], [former]);
  expect(await waitForDeployment({ jobId: "web" })).toBeUndefined();
  expect(lines()).toEqual([expect.stringMatching(/ "web": already successful/)]);
  expect(seen).toHaveLength(3);
});

test.each([
  ["is purged", [], refusal("ERR_NOT_FOUND")],
  // A server that does not support filters returns all jobs.
  ["is purged and another one exists", [job({ ID: "web-2" })], refusal("ERR_NOT_FOUND")],
  ["is stopped", [job({ Stop: true, TaskGroups: [group()] })], refusal("ERR_FAILED", { rule: "job-stopped" })],
  ["becomes a batch job", [job({ Type: "batch", TaskGroups: [group()] })], refusal("ERR_FAILED", { rule: "job-type" })],
])("rejects if the job %s after the first read", async (_, later, refused) => {
  await without((read) => (read === 0 ? [job()] : later), []);
  expect(await failure(waitForDeployment({ jobId: "web" }))).toEqual(refused);
});

test("waits for the deployment of a newer version that is registered after the first read", async () => {
  const versions = [job(), job({ JobModifyIndex: 25, Stable: false, TaskGroups: [group()] })];
  await without((read) => [versions[read]!], [], [deployment("d1", "successful", { JobSpecModifyIndex: 25 })]);
  expect((await waitForDeployment({ jobId: "web" }))?.ID).toBe("d1");
});

test("outlasts a gateway's 504", async () => {
  await serve(({ path, query }, response, count) => {
    if (path === "/v1/jobs") return answerList(response, [job()]);
    if (query.index) return response.writeHead(504).end("<html>gateway</html>");
    answerList(response, [deployment("d1", count > 3 ? "successful" : "running")], { "X-Scheduler-Index": 30 });
  });
  expect((await waitForDeployment({ jobId: "web" }))?.ID).toBe("d1");
});

test.each([
  ["fails because it is not permitted", 403, "Permission denied"],
  ["returns another kind of record", 200, "{}"],
])("waits with a scheduler whose request for one job %s", async (_, status, body) => {
  let index = 30;
  const states = [[], [deployment("d1", "successful")]];
  await serve(({ path }, response) => {
    if (path === "/v1/deployments") return answerList(response, states.shift(), { "X-Scheduler-Index": index++ });
    if (path === "/v1/jobs") return answerList(response, [job()]);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  expect((await waitForDeployment({ jobId: "web" }))?.ID).toBe("d1");
});

test.each([
  ["paused", {}, "standard", "Resume the deployment."],
  ["paused", {}, "hashicorp", "Resume the deployment with `nomad deployment resume d1`."],
  ["running", { DesiredCanaries: 1, AutoPromote: true }, "standard", "do not become healthy."],
])("a deployment that is %s with %j (%s) ends at the timeout with its own hint", async (status, canaries, dialect, hint) => {
  const groups = { web: { HealthyAllocs: 1, DesiredTotal: 3, ...canaries } };
  await serve(({ path, query }, response) => {
    if (path === "/v1/jobs") return answerList(response, [job()]);
    const index = { [dialect === "standard" ? "X-Scheduler-Index" : "X-Nomad-Index"]: 30 };
    if (!query.index) answerList(response, [deployment("d1", status, { TaskGroups: groups })], index);
  }, dialect);
  const error = await failure(waitForDeployment({ jobId: "web", timeout: 1 }));
  expect(error).toEqual(refusal("ERR_TIMED_OUT"));
  expect(error.details.hint).toMatch(new RegExp(`${hint}$`));
});

// test/provider/scheduler/contract/deployments.test.ts covers the other outcomes of a deployment.
test("rejects if the deployment is deleted", async () => {
  await schedule([job()], [deployment("d1", "running")], []);
  expect(await failure(waitForDeployment({ jobId: "web" }))).toEqual(refusal("ERR_FAILED", { rule: "gone" }));
});
