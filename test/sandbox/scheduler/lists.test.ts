import { onEachDialect } from "../sandbox";

// test/provider/scheduler/contract reads pages, filters and items, also from a real Nomad. test/real/scheduler-filter.test.ts compares filters.

onEachDialect("the scheduler's lists", ({ real, family, sandbox, to }) => {
  const get = (path: string) => to.scheduler("GET", `/v1/${path}`);
  const filtered = async (filter: string) => (await get(`jobs?filter=${encodeURIComponent(filter)}`)).json;

  test("a time in nanoseconds is exact, beyond the range of a JavaScript number", async () => {
    sandbox().scheduler.seed({ jobs: [{ ID: "exact", SubmitTime: 1_700_000_000_123_456_789n }] });
    for (const path of ["jobs?prefix=exact", "job/exact"]) expect((await get(path)).text).toContain('"SubmitTime":1700000000123456789,');
    expect((await get("jobs?prefix=exact&pretty")).text).toContain('\n        "SubmitTime": 1700000000123456789,\n');
    expect((await get("jobs?prefix=exact&pretty=0")).text).not.toContain("\n");
    expect(await filtered("SubmitTime == 1700000000123456789")).toHaveLength(1);
    expect(await filtered("SubmitTime == 1700000000123456788")).toEqual([]);
  });

  test.each([
    ['not ID == "api" and (Type == "batch" or Name matches "^(api|web)$")', ["backup", "web"]],
    // Nomad requires spaces next to parentheses.
    ['(ID=="web")and not(Type=="batch")', real ? 400 : ["web"]],
    ['Meta["no such key"] is empty and "team" in Meta', ["api", "web"]],
    ['any TaskGroups as group { group.Name == "backup" }', ["backup"]],
    ["Priority == 1and(Stop == false)", 400],
    ["Priority is empty", 400],
  ])("the filter %s", async (filter, expected) => {
    const { status, json } = await get(`jobs?filter=${encodeURIComponent(filter)}`);
    expect(status === 200 ? json.map(({ ID }: { ID: string }) => ID) : status).toEqual(expected);
  });

  test(`a regular expression for null ${real ? "breaks the connection, and the next request works" : "is rejected"}`, async () => {
    const path = `jobs?filter=${encodeURIComponent('Periodic matches "x"')}`;
    const text = 'failed to read result page: cannot perform matches operations on type invalid for selector: "Periodic"';
    if (real) await expect(get(path)).rejects.toThrow("fetch failed");
    else expect(await get(path)).toMatchObject({ status: 400, text });
    expect((await get("jobs")).status).toBe(200);
  });

  test("deployments are ordered by creation, numerically", async () => {
    const ids = Array.from({ length: 95 }, (_, number) => `d${String(99 - number).padStart(2, "0")}`);
    sandbox().scheduler.seed({ deployments: ids.map((ID) => ({ ID, JobID: "many", Namespace: "many" })) });
    const { json, headers } = await get("deployments?per_page=7&namespace=many");
    expect(json.map(({ ID }: { ID: string }) => ID)).toEqual(ids.slice(0, 7));
    const next = headers.get(`${family}nexttoken`);
    expect(next).toMatch(new RegExp(`^\\d+\\.${ids[7]}$`));
    expect((await get(`deployments?per_page=1&namespace=many&next_token=${next}`)).json).toMatchObject([{ ID: ids[7] }]);
  });

  test("a page token never names a row that the caller cannot see", async () => {
    const { secret } = sandbox().scheduler.tokens.mint({ policies: ["apps"] });
    sandbox().scheduler.seed({ policies: [{ name: "apps", namespaces: { apps: "read" } }] });
    const { headers } = await to.scheduler("GET", "/v1/jobs?namespace=*&per_page=1", undefined, secret);
    expect(headers.get(`${family}nexttoken`)).toBeNull();
  });

  test("page tokens over all namespaces form a circle if one namespace's name is a prefix of another, as in Nomad", async () => {
    // In the list, "a" precedes "a-b", whose token is smaller.
    sandbox().scheduler.seed({ jobs: ["a", "a-b"].flatMap((Namespace) => ["x", "y"].map((ID) => ({ ID, Namespace }))) });
    const tokens: string[] = [""];
    while (tokens.indexOf(tokens.at(-1)!) === tokens.length - 1) {
      const { headers } = await get(`jobs?namespace=*&per_page=1&next_token=${tokens.at(-1)}`);
      tokens.push(headers.get(`${family}nexttoken`)!);
    }
    expect(tokens.at(-1)).toBe("a.y");
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
    expect([empty.json, empty.headers.get(`${family}index`)]).toEqual([[], real ? "0" : "1"]);
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
    expect(await to.scheduler("PUT", "/v1/jobs", { Job: { ID: "x", TaskGroups: [{ Name: "x" }] } })).toMatchObject({ status: 500 });
    const { status, headers } = await get("jobs?stale=true");
    expect([status, headers.get(`${family}knownleader`)]).toEqual([200, "false"]);
    expect(Number(headers.get(`${family}lastcontact`))).toBeGreaterThanOrEqual(60_000);
    scheduler.electLeader();
    expect((await get("jobs")).headers.get(`${family}knownleader`)).toBe("true");
  });

  test("an invalid seed changes nothing, and only existing records can be updated", async () => {
    const { scheduler } = sandbox();
    const before = (await get("jobs")).text;
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
