import { onEachDialect } from "../sandbox";

// test/provider/scheduler/contract registers jobs and waits for their deployments, also on a real Nomad.

onEachDialect("the scheduler's jobs", ({ sandbox, to: { scheduler } }) => {
  const group = { Name: "web", Count: 3, Update: { MaxParallel: 1, Canary: 1 } };
  const send = (method: string, path: string, body?: unknown) => scheduler(method, `/v1/${path}`, body);
  const put = (job: unknown, query = "") => send("PUT", `jobs${query}`, { Job: job });
  const get = async (path: string) => (await send("GET", path)).json;
  const deploymentsOf = (id: string) => get(`deployments?filter=${encodeURIComponent(`JobID == "${id}"`)}`);

  test("a deployment becomes healthy ten seconds later by the clock, and one with canaries waits for a promotion", async () => {
    await put({ ID: "canary", TaskGroups: [group] });
    // The first version has no canaries.
    expect(await deploymentsOf("canary")).toMatchObject([{ Status: "running", TaskGroups: { web: { DesiredCanaries: 0 } } }]);
    await put({ ID: "canary", Stop: true, TaskGroups: [group] });
    await put({ ID: "canary", TaskGroups: [group] });
    expect((await deploymentsOf("canary"))[1]).toMatchObject({ TaskGroups: { web: { DesiredCanaries: 0 } } });
    await put({ ID: "canary", TaskGroups: [{ ...group, Count: 4 }] });
    const { json } = await put({ ID: "calm", TaskGroups: [{ Name: "calm", Count: 2 }] });
    const statuses = async () =>
      [await deploymentsOf("calm"), await deploymentsOf("canary")]
        .flat()
        .map(({ Status }) => Status)
        .filter((status) => status !== "cancelled");
    sandbox().clock.advance(5_000);
    expect(await statuses()).toEqual(["running", "running"]);
    sandbox().clock.advance(5_000);
    await get(`deployments?index=${json.JobModifyIndex + 1}`);
    expect(await statuses()).toEqual(["successful", "running"]);
    expect(await deploymentsOf("calm")).toMatchObject([{ TaskGroups: { calm: { HealthyAllocs: 2 } } }]);
  });

  test("a system job is deployed to each node, and a group with count 0 or max_parallel 0 not at all", async () => {
    const unmoved = { Name: "unmoved", Update: { MaxParallel: 0 } };
    const none = { ...group, Count: 0 };
    await put({ ID: "system", Type: "system", TaskGroups: [{ Name: "agent" }, unmoved] });
    expect(await deploymentsOf("system")).toMatchObject([{ TaskGroups: { agent: { DesiredTotal: 2 } } }]);
    expect(Object.keys((await deploymentsOf("system"))[0].TaskGroups)).toEqual(["agent"]);
    await put({ ID: "none", TaskGroups: [none, unmoved] });
    expect(await deploymentsOf("none")).toEqual([]);
    expect(await get("job/none")).toMatchObject({ TaskGroups: [{ Count: 0 }, { Count: 1, Update: { MaxParallel: 0 } }] });
  });

  const problem = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;
  const noUpdate = problem(`Task group web validation failed: ${problem('Job type "batch" does not allow update block')}`);

  test.each([
    [{}, 400, "Job must be specified"],
    [undefined, 400, "Request body is empty"],
    ["{", 400, "unexpected EOF"],
    [{ Job: { ID: "x", Type: "batch", TaskGroups: [group] } }, 500, noUpdate],
    [{ Job: { ID: "x", Region: "nowhere", TaskGroups: [group] } }, 500, "No path to region"],
  ])("the job %j is rejected and not stored", async (body, status, text) => {
    expect(await send("PUT", "jobs", body)).toMatchObject({ status, text });
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
