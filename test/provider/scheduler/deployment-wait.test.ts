import { ServerResponse } from "node:http";
import { scheduler } from "../../../provider";
import { printed } from "../../support/printed";
import { failure, refusal } from "../../support/refusal";
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

/** Serves the job, and then each state of its deployments. Holds requests after the last one. */
function schedule(jobs: object[], ...states: object[][]): Promise<Asked[]> {
  let index = 30;
  return serve(({ path }, response: ServerResponse) => {
    if (path === "/v1/jobs") return answerList(response, jobs);
    const state = states.shift();
    if (state) answerList(response, state, { "X-Scheduler-Index": index++ });
  });
}

/** Serves the job at each read of it, whose versions are all stable, and its deployments before and after a wait. Holds the wait if it has no end. */
function stable(jobs: (read: number) => object[], before: object[], after?: object[]): Promise<Asked[]> {
  let reads = 0;
  return serve(({ path, query }, response) => {
    if (path === "/v1/jobs") return answerList(response, query.filter?.includes("Stable") ? [] : jobs(reads++));
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
  // Without a deployment, one request asks if there was one.
  expect(seen[2]).toMatchObject({ path: "/v1/jobs", query: { namespace: "team", filter: 'ID == "web" and Stable == "false"', stale: "" } });
  expect(seen).toHaveLength(8);
});

test("continues after an election at each of its reads, and prints that", async () => {
  const asked = new Map<string, number>();
  await serve(({ path, query }, response) => {
    const question = `${path} ${query.filter} ${query.index}`;
    asked.set(question, (asked.get(question) ?? 0) + 1);
    if (asked.get(question) === 1) return response.writeHead(500).end("No cluster leader");
    if (path === "/v1/deployments") return answerList(response, [], { "X-Scheduler-Index": 30 });
    answerList(response, query.filter?.includes("Stable") ? [] : [job()]);
  });
  expect(await waitForDeployment({ jobId: "web" })).toBeUndefined();
  // The job is read again before it counts as stable.
  expect([...asked.values()]).toEqual([3, 2, 2]);
  expect(lines().filter((line) => line.includes("no leader"))).toHaveLength(3);
});

test("fails if an election takes longer than electionTimeout", async () => {
  await serve((_, response) => response.writeHead(503).end());
  const error = await failure(waitForDeployment({ jobId: "web", electionTimeout: 1 }));
  expect(error).toEqual(refusal("ERR_UNAVAILABLE", { rule: "no-leader", method: "GET", path: "/v1/jobs", status: 503 }));
  for (const part of ['"web"', "1 s", "electionTimeout"]) expect(error.message).toContain(part);
});

test("resolves for a version that was deployed long ago, although the scheduler has garbage-collected its deployment", async () => {
  const former = deployment("d0", "successful", { JobSpecModifyIndex: 10, CreateIndex: 11 });
  const seen = await stable(() => [job()], [former]);
  expect(await waitForDeployment({ jobId: "web" })).toBeUndefined();
  expect(lines()).toEqual([expect.stringMatching(/ "web": already successful/)]);
  expect(seen).toHaveLength(4);
});

test.each([
  ["is purged", [], refusal("ERR_NOT_FOUND")],
  // A server that does not support filters returns all jobs.
  ["is purged and another one exists", [job({ ID: "web-2" })], refusal("ERR_NOT_FOUND")],
  ["is stopped", [job({ Stop: true })], refusal("ERR_FAILED", { rule: "job-stopped" })],
])("rejects if the job %s after the first read, although no version is unstable", async (_, later, refused) => {
  await stable((read) => (read === 0 ? [job()] : later), []);
  expect(await failure(waitForDeployment({ jobId: "web" }))).toEqual(refused);
});

test("waits for the deployment of a newer version that is registered after the first read", async () => {
  await stable((read) => [job({ JobModifyIndex: read === 0 ? 20 : 25 })], [], [deployment("d1", "successful", { JobSpecModifyIndex: 25 })]);
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

test("waits with a scheduler that reports no stable versions", async () => {
  let index = 30;
  const states = [[], [deployment("d1", "successful")]];
  await serve(({ path, query }, response) => {
    if (path === "/v1/deployments") return answerList(response, states.shift(), { "X-Scheduler-Index": index++ });
    if (query.filter?.includes("Stable")) return response.writeHead(400).end("error finding value in datum");
    answerList(response, [job()]);
  });
  expect((await waitForDeployment({ jobId: "web" }))?.ID).toBe("d1");
});

// test/provider/scheduler/contract/deployments.test.ts covers the other outcomes of a deployment.
test("rejects if the deployment is deleted", async () => {
  await schedule([job()], [deployment("d1", "running")], []);
  expect(await failure(waitForDeployment({ jobId: "web" }))).toEqual(refusal("ERR_FAILED", { rule: "gone" }));
});
