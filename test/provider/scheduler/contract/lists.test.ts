import { scheduler } from "../../../../provider";
import { collect, dormantJob, jobOf, newName, onEachScheduler } from "../../../support/scheduler";

const { filter, getAgentMembers, listDeployments, listJobs, listNodes, registerJob, waitForDeployment } = scheduler;

/** The server's JSON, with integers that JavaScript cannot represent, and times, as strings. */
const asListed = (text: string): Record<string, unknown>[] =>
  JSON.parse(text.replace(/"(\w+)":(\d{16,})/g, '"$1":"$2"').replace(/"(SubmitTime|CreateTime|ModifyTime)":(\d+)/g, '"$1":"$2"'));

/** Metadata with keys and values that a filter must quote. */
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

onEachScheduler("the scheduler's lists", (current) => {
  describe("500 jobs", () => {
    const namespace = newName();
    const ids = Array.from({ length: 500 }, (_, number) => `job-${String(number).padStart(3, "0")}`);
    const idsOf = async (query: scheduler.ListOptions): Promise<string[]> =>
      (await collect(listJobs({ namespace, ...query }))).map(({ ID }) => ID);
    beforeAll(async () => {
      await current().makeNamespace(namespace);
      await Promise.all(ids.map((ID, number) => registerJob({ job: dormantJob(ID, { Priority: 1 + (number % 50) }), namespace })));
    });

    test.each([
      [undefined, 1],
      [33, 16],
      [99, 6],
      [100, 5],
      [499, 2],
      [500, 1],
      [501, 1],
    ])("take %i requests in pages of %s, in either order", async (pageSize, requests) => {
      for (const reverse of [false, true])
        await current().through(async (gateway) => {
          expect(await idsOf({ pageSize, reverse })).toEqual(reverse ? [...ids].reverse() : ids);
          expect(gateway.requests).toHaveLength(requests);
        });
    });

    test("are filtered before they are split into pages, and each request has the filter", async () => {
      await current().through(async (gateway) => {
        const found = await idsOf({ filter: filter("Priority").equals(7), pageSize: 4 });
        expect(found).toEqual(ids.filter((_, number) => number % 50 === 6));
        expect(gateway.requests).toHaveLength(3);
        for (const { path } of gateway.requests) expect(path).toContain("filter=Priority");
      });
    });

    test("include a job that is registered ahead of the current page, without repeats or gaps", async () => {
      const seen: string[] = [];
      for await (const { ID } of listJobs({ namespace, pageSize: 100 })) {
        seen.push(ID);
        if (ID === "job-050") {
          await registerJob({ job: dormantJob("job-000-early"), namespace });
          await registerJob({ job: dormantJob("job-499-late"), namespace });
        }
      }
      expect(seen).toEqual([...ids, "job-499-late"]);
    });
  });

  test("jobs of one namespace or of all of them are listed once, with any page size and in either order", async () => {
    // The server sorts by namespace, and compares page tokens as strings, in which a hyphen sorts before the dot: pages of one form a circle.
    const first = newName();
    const namespaces = [first, `${first}-other`];
    for (const name of namespaces) await current().makeNamespace(name);
    const ids: string[] = [];
    for (const namespace of [`${first}-other`, "default", first, "default", first, `${first}-other`, first]) {
      const ID = newName();
      ids.push(ID);
      await registerJob({ job: dormantJob(ID), namespace });
    }
    const ours = filter("ID").matches(`^(${ids.join("|")})$`);
    const expected = [...ids].sort();
    for (const reverse of [false, true])
      for (const pageSize of [1, 2, 3, 4, 5, 6, undefined]) {
        const found = (await collect(listJobs({ namespace: "*", filter: ours, pageSize, reverse }))).map(({ ID }) => ID).sort();
        expect([pageSize, reverse, found]).toEqual([pageSize, reverse, expected]);
      }
    const namespaceOf = async (namespace?: string): Promise<string[]> =>
      (await collect(listJobs({ namespace, filter: ours }))).map(({ Namespace }) => Namespace);
    expect(await namespaceOf()).toEqual(["default", "default"]);
    expect(await namespaceOf(first)).toEqual([first, first, first]);
    expect(await namespaceOf(`${first}-other`)).toEqual([`${first}-other`, `${first}-other`]);
    expect(await namespaceOf(newName())).toEqual([]);
  });

  test("each list has its index and its freshness", async () => {
    for (const stale of [undefined, true])
      for (const list of [listJobs({ stale }), listDeployments({ stale }), listNodes({ stale })]) {
        await collect<unknown>(list);
        expect(list.page).toEqual({ index: expect.any(Number), lastContact: 0, knownLeader: true });
      }
    const ID = newName();
    const { JobModifyIndex } = (await registerJob({ job: dormantJob(ID) })) as { JobModifyIndex: number };
    const list = listJobs({ filter: filter("ID").equals(ID) });
    const [job] = await collect(list);
    expect(job?.JobModifyIndex).toBe(JobModifyIndex);
    expect(list.page?.index).toBeGreaterThanOrEqual(JobModifyIndex);
  });

  test("items are as the server sends them, except integers beyond 2^53 and times, which are strings", async () => {
    const { outOfBand } = current();
    const [running, dormant] = [newName(), newName()];
    await registerJob({ job: jobOf(running) });
    await registerJob({ job: { Job: dormantJob(dormant) } });
    await waitForDeployment({ jobId: running, timeout: "30s" });
    const ours = filter("ID").equals(dormant);
    const raw = async (path: string): Promise<Record<string, unknown>[]> => asListed((await outOfBand("GET", path)).text);

    const jobs = await collect(listJobs({ filter: ours }));
    expect(jobs).toEqual(await raw(`jobs?filter=${encodeURIComponent(String(ours))}`));
    expect(jobs).toMatchObject([
      {
        ...{ ID: dormant, Name: dormant, Namespace: "default", ParentID: "", Type: "batch", Status: "running", StatusDescription: "" },
        ...{ Priority: 50, Datacenters: ["*"], ParameterizedJob: true, Periodic: false, Multiregion: null, Stop: false },
        SubmitTime: expect.stringMatching(/^\d{19}$/),
        // The document does not show it.
        NodePool: "default",
      },
    ]);
    expect(jobs[0]).toMatchObject({ JobSummary: { JobID: dormant, Namespace: "default", Summary: { main: { Queued: 0, Running: 0 } } } });

    const its = filter("JobID").equals(running);
    const deployments = await collect(listDeployments({ filter: its }));
    expect(deployments).toEqual(await raw(`deployments?filter=${encodeURIComponent(String(its))}`));
    expect(deployments).toMatchObject([
      {
        ...{ JobID: running, Namespace: "default", Status: "successful", StatusDescription: "Deployment completed successfully" },
        ...{ JobVersion: 0, EvalPriority: 50, IsMultiregion: false, CreateTime: expect.stringMatching(/^\d{19}$/) },
        // Nomad leaves it at 0 here.
        ModifyTime: expect.stringMatching(/^\d+$/),
      },
    ]);
    expect(deployments[0]).toMatchObject({
      TaskGroups: {
        main: { DesiredTotal: 1, PlacedAllocs: 1, HealthyAllocs: 1, UnhealthyAllocs: 0, ProgressDeadline: 6e9, PlacedCanaries: null },
      },
    });

    const nodes = await collect(listNodes());
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes).toEqual(await raw("nodes"));
    for (const node of nodes)
      expect(node).toMatchObject({ Status: "ready", Version: expect.stringMatching(/^\d+\.\d+\.\d+$/), NodePool: "default", Drain: false });
  });

  test("the deployment of a job's current version is identified by its index", async () => {
    const ID = newName();
    const answers: { JobModifyIndex: number }[] = [];
    for (const version of ["0", "1"]) {
      answers.push((await registerJob({ job: jobOf(ID, { Meta: { version } }) })) as { JobModifyIndex: number });
      await waitForDeployment({ jobId: ID, timeout: "30s" });
    }
    const [job] = await collect(listJobs({ filter: filter("ID").equals(ID) }));
    expect(job?.JobModifyIndex).toBe(answers[1]?.JobModifyIndex);
    const deployments = await collect(listDeployments({ filter: filter("JobID").equals(ID) }));
    // Ordered by creation.
    expect(deployments.map(({ JobVersion }) => JobVersion)).toEqual([0, 1]);
    expect(deployments.map(({ JobSpecModifyIndex }) => JobSpecModifyIndex)).toEqual(answers.map(({ JobModifyIndex }) => JobModifyIndex));
    for (const { JobModifyIndex, JobSpecModifyIndex, JobCreateIndex, CreateIndex } of deployments) {
      expect(Number(JobModifyIndex)).toBeGreaterThanOrEqual(Number(JobSpecModifyIndex));
      expect(JobCreateIndex).toBe(job?.CreateIndex);
      expect(Number(CreateIndex)).toBeGreaterThan(Number(JobModifyIndex));
    }
    const reversed = await collect(listDeployments({ filter: filter("JobID").equals(ID), reverse: true, pageSize: 1 }));
    expect(reversed).toEqual([...deployments].reverse());
  });

  test("nodes are filtered by their full record", async () => {
    const nodes = await collect(listNodes());
    const [first] = nodes;
    const hosts = filter("HTTPAddr").matches(`^${first?.Address}:\\d+$`);
    expect(await collect(listNodes({ filter: hosts, pageSize: 1 }))).toEqual(nodes.filter(({ Address }) => Address === first?.Address));
    expect(await collect(listNodes({ filter: hosts.not() }))).toEqual(nodes.filter(({ Address }) => Address !== first?.Address));
    expect(await collect(listNodes({ filter: filter("Attributes", "kernel.name").equals("linux") }))).toEqual(nodes);
  });

  test("filters find every value under every key", async () => {
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

  test("getAgentMembers returns the members of the agent", async () => {
    const members = await getAgentMembers();
    expect(members).toEqual((await current().outOfBand("GET", "agent/members")).json);
    expect(members).toMatchObject({
      ServerRegion: "global",
      ServerDC: "dc1",
      Members: [
        { Addr: "127.0.0.1", Status: "alive", Tags: { region: "global", dc: "dc1", build: expect.stringMatching(/^\d+\.\d+\.\d+$/) } },
      ],
    });
  });

  test("registerJob returns the job's index, and an unchanged job gets no new version", async () => {
    const { outOfBand } = current();
    const ID = newName();
    const versionOf = async (): Promise<number> => (await outOfBand("GET", `job/${ID}`)).json.Version;
    const first = (await registerJob({ job: dormantJob(ID) })) as Record<string, unknown>;
    expect(first).toEqual({
      ...{ EvalCreateIndex: 0, EvalID: "", Index: first.JobModifyIndex, JobModifyIndex: expect.any(Number) },
      ...{ KnownLeader: false, LastContact: 0, NextToken: "", Warnings: "" },
    });
    expect(await registerJob({ job: dormantJob(ID) })).toMatchObject({ JobModifyIndex: first.JobModifyIndex });
    expect(await versionOf()).toBe(0);
    await registerJob({ job: dormantJob(ID, { Priority: 60 }) });
    expect(await versionOf()).toBe(1);

    const service = newName();
    const evaluated = (await registerJob({ job: jobOf(service) })) as Record<string, unknown>;
    expect(evaluated).toMatchObject({ EvalID: expect.stringMatching(/^[0-9a-f-]{36}$/), EvalCreateIndex: evaluated.JobModifyIndex });
  });
});
