import { type Sandbox, start } from "../../../sandbox/index";
import { call } from "../../support/call";

describe.each(["standard", "hashicorp"] as const)("the scheduler's jobs, %s", (dialect) => {
  let sandbox: Sandbox;
  const group = { Name: "web", Count: 3, Update: { MaxParallel: 1, Canary: 1 } };
  const put = (job: unknown, query = "", method = "PUT") => call(sandbox.scheduler, method, `/v1/jobs${query}`, { Job: job });
  const get = async (path: string) => (await call(sandbox.scheduler, "GET", `/v1/${path}`)).json;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  test("a service with an update block gets a deployment, which a newer version cancels", async () => {
    const { status, json, headers } = await put({ ID: "shop", TaskGroups: [group] });
    expect([status, json]).toEqual([200, expect.objectContaining({ EvalID: expect.stringMatching(/^[-0-9a-f]{36}$/), Warnings: "" })]);
    expect(headers.get(dialect === "standard" ? "x-scheduler-index" : "x-nomad-index")).toBe(String(json.JobModifyIndex));
    expect(await get("job/shop")).toMatchObject({
      Name: "shop",
      Version: 0,
      Status: "running",
      JobModifyIndex: json.JobModifyIndex,
      Region: "global",
    });
    const [first] = (await get("deployments?reverse=true")) as { ID: string }[];
    expect(first).toMatchObject({ JobID: "shop", JobVersion: 0, Status: "running", JobCreateIndex: json.JobModifyIndex });
    expect(await get(`deployment/${first?.ID}`)).toMatchObject({ TaskGroups: { web: { DesiredTotal: 3, DesiredCanaries: 1 } } });

    const again = await put({ ID: "shop", TaskGroups: [group] }, "", dialect === "standard" ? "PUT" : "POST");
    expect(again.json.JobModifyIndex).toBe(json.JobModifyIndex);
    expect((await get("job/shop")).Version).toBe(0);

    await put({ ID: "shop", TaskGroups: [{ ...group, Count: 4 }] });
    expect(await get("job/shop")).toMatchObject({ Version: 1, CreateIndex: json.JobModifyIndex });
    const deployments = await get(`deployments?filter=${encodeURIComponent('JobID == "shop"')}`);
    expect(deployments).toMatchObject([
      { Status: "cancelled", StatusDescription: "Cancelled due to newer version of job" },
      { Status: "running", JobVersion: 1 },
    ]);
  });

  test("a service without an update block gets the default one, and other jobs get no deployment", async () => {
    await put({ ID: "plain", Update: { MaxParallel: 2 }, TaskGroups: [{ Name: "plain", Update: { Canary: 1 } }, { Name: "other" }] });
    expect(await get("job/plain")).toMatchObject({
      Update: { Stagger: 3e10, MaxParallel: 2, HealthCheck: "", ProgressDeadline: 0 },
      TaskGroups: [{ Update: { MaxParallel: 2, Canary: 1, HealthCheck: "checks", ProgressDeadline: 6e11 } }, { Update: { Canary: 0 } }],
    });
    await put({ ID: "silent", TaskGroups: [{ Name: "silent" }] });
    expect(await get("deployments?namespace=*")).toHaveLength(6);
    await put({ ID: "sudden", Update: { MaxParallel: 0 }, TaskGroups: [{ Name: "sudden" }] });
    await put({ ID: "batch", Type: "batch", TaskGroups: [{ Name: "batch" }] }, "?namespace=apps");
    expect(await get("job/batch?namespace=apps")).toMatchObject({ Namespace: "apps", Type: "batch" });
    expect(await get("deployments?namespace=*")).toHaveLength(6);
  });

  test("a deployment becomes healthy by the clock, waits for a promotion, and fails with an error", async () => {
    const { json } = await put({ ID: "calm", TaskGroups: [{ Name: "calm", Count: 2 }] });
    await put({ ID: "canary", TaskGroups: [group] });
    const ended = async (id: string, index = "1"): Promise<Record<string, unknown>> => {
      const { json: found, headers } = await call(sandbox.scheduler, "GET", `/v1/deployments?index=${index}`);
      const deployment = found.find(({ JobID }: { JobID: string }) => JobID === id);
      const next = headers.get(dialect === "standard" ? "x-scheduler-index" : "x-nomad-index") ?? "";
      return deployment.Status === "running" ? ended(id, next) : deployment;
    };
    const statusOf = async (id: string): Promise<string> =>
      (await get("deployments")).find(({ JobID }: { JobID: string }) => JobID === id).Status;
    sandbox.clock.advance(5_000);
    expect([await statusOf("calm"), await statusOf("canary")]).toEqual(["running", "running"]);
    sandbox.clock.advance(5_000);
    expect(await ended("calm", json.JobModifyIndex)).toMatchObject({ Status: "successful", TaskGroups: { calm: { HealthyAllocs: 2 } } });
    expect(await statusOf("canary")).toBe("running");

    const Tasks = [{ Name: "t", Driver: "mock_driver", Config: { exit_code: 1 } }];
    await put({ ID: "bad", TaskGroups: [{ Name: "bad", Tasks }] });
    expect(await ended("bad")).toMatchObject({ Status: "failed", StatusDescription: "Failed due to unhealthy allocations" });
  });

  test("a stopped job is dead and its deployment is canceled", async () => {
    await put({ ID: "shop", TaskGroups: [group] });
    const { json } = await put({ ID: "shop", TaskGroups: [group], Stop: true });
    expect(await get("job/shop")).toMatchObject({ Status: "dead", Stop: true, Version: 1, JobModifyIndex: json.JobModifyIndex });
    expect(await get(`deployments?filter=${encodeURIComponent('JobID == "shop"')}`)).toMatchObject([
      { Status: "cancelled", StatusDescription: "Cancelled because job is stopped", JobVersion: 0 },
    ]);
  });

  test("each registration gets an evaluation, except that of a periodic or parameterized job", async () => {
    const first = (await put({ ID: "shop", TaskGroups: [group] })).json;
    expect([first.EvalCreateIndex, first.Index]).toEqual([first.JobModifyIndex, first.JobModifyIndex]);
    const again = (await put({ ID: "shop", TaskGroups: [group] })).json;
    expect(again.JobModifyIndex).toBe(first.JobModifyIndex);
    expect(again.EvalCreateIndex).toBeGreaterThan(first.JobModifyIndex);
    expect(again.Index).toBe(again.EvalCreateIndex);
    for (const kind of [{ Periodic: { Spec: "0 3 * * *" } }, { ParameterizedJob: {} }]) {
      const template = { ID: "template", Type: "batch", TaskGroups: [{ Name: "template" }], ...kind };
      const { json } = await put(template);
      expect(json).toMatchObject({ EvalID: "", EvalCreateIndex: 0, Index: json.JobModifyIndex });
      expect((await put(template)).json).toMatchObject({ EvalID: "", EvalCreateIndex: 0, Index: 0, JobModifyIndex: json.JobModifyIndex });
    }
  });

  test("an invalid job is rejected and not stored", async () => {
    const { scheduler } = sandbox;
    const problem = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;
    expect(await put(undefined)).toMatchObject({ status: 400, text: "Job must be specified" });
    expect(await call(scheduler, "PUT", "/v1/jobs")).toMatchObject({ status: 400, text: "Request body is empty" });
    expect(await call(scheduler, "PUT", "/v1/jobs", "{")).toMatchObject({ status: 400, text: "unexpected EOF" });
    expect(await put({ ID: "x" })).toMatchObject({ status: 500, text: problem("Missing job task groups") });
    expect(await put({ ID: "x y", TaskGroups: [group] })).toMatchObject({ status: 500, text: problem("Job ID contains a space") });
    expect(await put({ ID: "x", TaskGroups: [group] }, "?namespace=nowhere")).toMatchObject({
      status: 500,
      text: problem('job "x" is in nonexistent namespace "nowhere"'),
    });
    expect(await put({ ID: "x", Type: "batch", TaskGroups: [group] })).toMatchObject({
      status: 500,
      text: problem(`Task group web validation failed: ${problem('Job type "batch" does not allow update block')}`),
    });
    expect(await put({ ID: "x", Region: "nowhere", TaskGroups: [group] })).toMatchObject({ status: 500, text: "No path to region" });
    expect(await call(scheduler, "GET", "/v1/job/x")).toMatchObject({ status: 404, text: "job not found" });
  });

  test("the error for an unknown deployment differs from that for an invalid ID", async () => {
    const { scheduler } = sandbox;
    expect(await call(scheduler, "GET", `/v1/deployment/${"0".repeat(36)}`)).toMatchObject({ status: 404, text: "deployment not found" });
    const wrong = await call(scheduler, "GET", "/v1/deployment/none");
    expect(wrong).toMatchObject({ status: 500, text: "deployment lookup failed: index error: UUID must be 36 characters" });
  });

  test("a job is registered in the region of the request or of the job", async () => {
    sandbox.scheduler.seed({ region: "europe" });
    await put({ ID: "there", Region: "europe", TaskGroups: [group] });
    await put({ ID: "too", TaskGroups: [group] }, "?region=europe");
    expect((await get("jobs?region=europe")).map(({ ID }: { ID: string }) => ID)).toEqual(["there", "too"]);
    expect(await get("jobs")).toHaveLength(3);
  });
});
