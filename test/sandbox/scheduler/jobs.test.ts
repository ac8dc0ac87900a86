import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

// test/provider/scheduler/contract registers jobs and waits for their deployments, also on a real Nomad.

describe.each(["standard", "hashicorp"] as const)("the scheduler's jobs, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const index = dialect === "standard" ? "x-scheduler-index" : "x-nomad-index";
  const group = { Name: "web", Count: 3, Update: { MaxParallel: 1, Canary: 1 } };
  const send = (method: string, path: string, body?: unknown) => call(sandbox().scheduler, method, `/v1/${path}`, body);
  const put = (job: unknown, query = "", method = "PUT") => send(method, `jobs${query}`, { Job: job });
  const get = async (path: string) => (await send("GET", path)).json;
  const deploymentsOf = (id: string) => get(`deployments?filter=${encodeURIComponent(`JobID == "${id}"`)}`);

  test("a registration returns its index, and the deployment has the group's numbers", async () => {
    const { status, json, headers } = await put({ ID: "shop", TaskGroups: [group] }, "", dialect === "standard" ? "PUT" : "POST");
    expect([status, json.Warnings, headers.get(index)]).toEqual([200, "", String(json.JobModifyIndex)]);
    expect(await get("job/shop")).toMatchObject({ Name: "shop", Version: 0, Status: "running", Region: "global" });
    const [{ ID }] = await get("deployments?reverse=true");
    expect(await get(`deployment/${ID}`)).toMatchObject({
      JobID: "shop",
      TaskGroups: { web: { DesiredTotal: 3, DesiredCanaries: 1 } },
    });
    await put({ ID: "shop", TaskGroups: [{ ...group, Count: 4 }] });
    const stopped = await put({ ID: "shop", TaskGroups: [group], Stop: true });
    expect(await get("job/shop")).toMatchObject({ Status: "dead", Version: 2, JobModifyIndex: stopped.json.JobModifyIndex });
    expect(await deploymentsOf("shop")).toMatchObject([
      { Status: "cancelled", StatusDescription: "Cancelled due to newer version of job" },
      { Status: "cancelled", StatusDescription: "Cancelled because job is stopped", JobVersion: 1 },
    ]);
  });

  test("a service without an update block gets the default one, and other jobs get no deployment", async () => {
    await put({ ID: "plain", Update: { MaxParallel: 2 }, TaskGroups: [{ Name: "plain", Update: { Canary: 1 } }, { Name: "other" }] });
    expect(await get("job/plain")).toMatchObject({
      Update: { Stagger: 3e10, MaxParallel: 2, HealthCheck: "", ProgressDeadline: 0 },
      TaskGroups: [{ Update: { MaxParallel: 2, Canary: 1, HealthCheck: "checks", ProgressDeadline: 6e11 } }, { Update: { Canary: 0 } }],
    });
    await put({ ID: "silent", TaskGroups: [{ Name: "silent" }] });
    await put({ ID: "sudden", Update: { MaxParallel: 0 }, TaskGroups: [{ Name: "sudden" }] });
    await put({ ID: "batch", Type: "batch", TaskGroups: [{ Name: "batch" }] }, "?namespace=apps");
    expect(await get("job/batch?namespace=apps")).toMatchObject({ Namespace: "apps", Type: "batch" });
    expect(await get("deployments?namespace=*")).toHaveLength(6);
  });

  test("a deployment becomes healthy ten seconds later by the clock, and one with canaries waits for a promotion", async () => {
    const { json } = await put({ ID: "calm", TaskGroups: [{ Name: "calm", Count: 2 }] });
    await put({ ID: "canary", TaskGroups: [group] });
    const statuses = async () => [await deploymentsOf("calm"), await deploymentsOf("canary")].flat().map(({ Status }) => Status);
    sandbox().clock.advance(5_000);
    expect(await statuses()).toEqual(["running", "running"]);
    sandbox().clock.advance(5_000);
    await get(`deployments?index=${json.JobModifyIndex + 1}`);
    expect(await statuses()).toEqual(["successful", "running"]);
    expect(await deploymentsOf("calm")).toMatchObject([{ TaskGroups: { calm: { HealthyAllocs: 2 } } }]);
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

  const problem = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;
  const noUpdate = problem(`Task group web validation failed: ${problem('Job type "batch" does not allow update block')}`);

  test.each([
    [{}, "", 400, "Job must be specified"],
    [undefined, "", 400, "Request body is empty"],
    ["{", "", 400, "unexpected EOF"],
    [{ Job: { ID: "x" } }, "", 500, problem("Missing job task groups")],
    [{ Job: { ID: "x y", TaskGroups: [group] } }, "", 500, problem("Job ID contains a space")],
    [{ Job: { ID: "x", TaskGroups: [group] } }, "?namespace=no", 500, problem('job "x" is in nonexistent namespace "no"')],
    [{ Job: { ID: "x", Type: "batch", TaskGroups: [group] } }, "", 500, noUpdate],
    [{ Job: { ID: "x", Region: "nowhere", TaskGroups: [group] } }, "", 500, "No path to region"],
  ])("the job %j%s is rejected and not stored", async (body, query, status, text) => {
    expect(await send("PUT", `jobs${query}`, body)).toMatchObject({ status, text });
    expect(await send("GET", "job/x")).toMatchObject({ status: 404, text: "job not found" });
  });

  test.each([
    ["0".repeat(36), 404, "deployment not found"],
    ["none", 500, "deployment lookup failed: index error: UUID must be 36 characters"],
  ])("the deployment %s does not exist", async (id, status, text) => {
    expect(await send("GET", `deployment/${id}`)).toMatchObject({ status, text });
  });

  test("a job is registered in the region of the request or of the job", async () => {
    sandbox().scheduler.seed({ region: "europe" });
    await put({ ID: "there", Region: "europe", TaskGroups: [group] });
    await put({ ID: "too", TaskGroups: [group] }, "?region=europe");
    expect((await get("jobs?region=europe")).map(({ ID }: { ID: string }) => ID)).toEqual(["there", "too"]);
    expect(await get("jobs")).toHaveLength(3);
  });
});
