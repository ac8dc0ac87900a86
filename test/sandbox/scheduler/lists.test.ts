import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

// test/provider/scheduler/contract lists jobs, deployments, nodes and members, also on a real Nomad.

describe.each([
  ["standard", "x-scheduler-", "x-nomad-"],
  ["hashicorp", "x-nomad-", "x-scheduler-"],
] as const)("the scheduler's lists, %s", (dialect, family, otherFamily) => {
  const sandbox = freshSandbox({ dialect });
  const get = (path: string) => call(sandbox().scheduler, "GET", `/v1/${path}`);
  const filtered = async (filter: string) => (await get(`jobs?filter=${encodeURIComponent(filter)}`)).json;

  test("jobs are stubs with the headers of the read", async () => {
    const { json, headers } = await get("jobs");
    expect(json.map(({ ID }: { ID: string }) => ID)).toEqual(["api", "backup", "web"]);
    expect(Object.keys(json[0])).toEqual([...Object.keys(json[0])].sort());
    expect(json[1]).toMatchObject({ Type: "batch", Periodic: true, ParameterizedJob: false, Multiregion: null, Stop: false, Priority: 50 });
    expect(json[2].JobSummary).toMatchObject({ JobID: "web", Namespace: "default", Summary: { web: { Running: 2, Queued: 0 } } });
    // The first record of the seed, which was submitted 90 minutes ago.
    expect([json[2].CreateIndex, Math.round((Date.now() - json[2].SubmitTime / 1e6) / 60_000)]).toEqual([10, 90]);
    for (const name of ["TaskGroups", "Meta"]) expect(json[0]).not.toHaveProperty(name);
    expect((await get("jobs?meta=true")).json[0].Meta).toEqual({ team: "back" });
    const indexes = (await get("jobs?namespace=*")).json.map((job: { ModifyIndex: number }) => job.ModifyIndex);
    const read = ["knownleader", "lastcontact", "index"].map((name) => headers.get(`${family}${name}`));
    expect(read).toEqual(["true", "0", String(Math.max(...indexes))]);
    expect([...headers.keys()].filter((name) => name.startsWith(otherFamily))).toEqual([]);
  });

  test("a time in nanoseconds is exact, beyond the range of a JavaScript number", async () => {
    sandbox().scheduler.seed({ jobs: [{ ID: "exact", SubmitTime: 1_700_000_000_123_456_789n }] });
    for (const path of ["jobs?prefix=exact", "job/exact"]) expect((await get(path)).text).toContain('"SubmitTime":1700000000123456789,');
    expect((await get("jobs?prefix=exact&pretty")).text).toContain('\n        "SubmitTime": 1700000000123456789,\n');
    expect((await get("jobs?prefix=exact&pretty=0")).text).not.toContain("\n");
    expect(await filtered("SubmitTime == 1700000000123456789")).toHaveLength(1);
    expect(await filtered("SubmitTime == 1700000000123456788")).toEqual([]);
  });

  test("the seed has deployments and nodes", async () => {
    const deployments = (await get("deployments?namespace=*")).json;
    expect(deployments.map(({ Status }: { Status: string }) => Status)).toEqual(["cancelled", "successful", "successful", "successful"]);
    const nodes = (await get("nodes?reverse=true")).json;
    expect(nodes).toMatchObject([
      { Name: "client-1", Address: "10.0.0.1", Version: "1.11.3", Status: "ready" },
      { Name: "client-2", Address: "10.0.0.2" },
    ]);
    expect(nodes[0]).not.toHaveProperty("HTTPAddr");
  });

  test("members of every region are listed, whichever region is requested", async () => {
    sandbox().scheduler.seed({ region: "europe", members: [{ Name: "scheduler-1.europe", Status: "failed", Tags: { dc: "dc9" } }] });
    const { json, headers } = await get("agent/members?region=nowhere");
    expect(json).toMatchObject({
      ServerName: "scheduler-1",
      Members: [
        { Name: "scheduler-1.global", Status: "alive" },
        { Name: "scheduler-1.europe", Status: "failed", Tags: { region: "europe", dc: "dc9" } },
      ],
    });
    expect(headers.has(`${family}index`)).toBe(false);
  });

  test("a region has its own records and index", async () => {
    sandbox().scheduler.seed({ region: "europe", jobs: [{ ID: "there", Namespace: "default" }] });
    const { json, headers } = await get("jobs?region=europe");
    expect([json.length, json[0].ID, headers.get(`${family}index`)]).toEqual([1, "there", String(json[0].ModifyIndex)]);
    const empty = await get("nodes?region=europe");
    expect([empty.json, empty.headers.get(`${family}index`)]).toEqual([[], dialect === "standard" ? "1" : "0"]);
    expect((await get("jobs?region=global")).json).toHaveLength(3);
  });

  test("a stale read lags behind as configured and needs no leader", async () => {
    const { scheduler, clock } = sandbox();
    scheduler.setStaleness(5000);
    clock.advance(10_000);
    scheduler.jobs.change("web", { Status: "dead" });
    const statusOf = async (query: string): Promise<string> => (await get(`jobs?prefix=web${query}`)).json[0].Status;
    expect([await statusOf(""), await statusOf("&stale"), await statusOf("&stale=false")]).toEqual(["dead", "running", "dead"]);
    clock.advance(5000);
    expect(await statusOf("&stale")).toBe("dead");
    expect((await get("jobs?stale")).headers.get(`${family}lastcontact`)).toBe("5000");

    scheduler.loseLeader();
    clock.advance(60_000);
    expect(await get("jobs")).toMatchObject({ status: 500, text: "No cluster leader" });
    expect(await call(scheduler, "PUT", "/v1/jobs", { Job: { ID: "x", TaskGroups: [{ Name: "x" }] } })).toMatchObject({ status: 500 });
    const { status, headers } = await get("jobs?stale=true");
    expect([status, headers.get(`${family}knownleader`)]).toEqual([200, "false"]);
    expect(Number(headers.get(`${family}lastcontact`))).toBeGreaterThanOrEqual(60_000);
    scheduler.electLeader();
    expect((await get("jobs")).headers.get(`${family}knownleader`)).toBe("true");
  });

  test("an invalid seed changes nothing, and only existing records can be updated", async () => {
    const { scheduler } = sandbox();
    const before = (await get("jobs")).text;
    // The compiler would find these mistakes.
    for (const wrong of [{ job: [] }, { jobs: [{ ID: "x" }, {}] }, { members: [{}] }, { policies: [{}] }])
      expect(() => scheduler.seed(wrong as never)).toThrow(TypeError);
    expect(() => scheduler.jobs.change("web", {}, { namespace: "nowhere" })).toThrow('Unknown record "web" in the jobs');
    expect(() => scheduler.nodes.remove("client-1")).toThrow(TypeError);
    expect((await get("jobs")).text).toBe(before);
    scheduler.jobs.remove("web");
    expect((await get("jobs")).json).toHaveLength(2);
    await sandbox().reset();
    expect((await get("jobs")).json).toHaveLength(3);
  });
});
