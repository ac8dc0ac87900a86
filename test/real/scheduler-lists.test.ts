import { scheduler } from "../../provider";
import { ask, collect, connect, jobOf, newId, nomad, removeJobs } from "./nomad";

const { filter, listJobs, listDeployments, listNodes, getAgentMembers, registerJob } = scheduler;
/** Parameters make it a template of which nothing runs. */
const dormant = { Type: "batch", ParameterizedJob: {}, Update: null };

beforeAll(connect);
afterAll(removeJobs);

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

test("every value is found, under every key", async () => {
  const ID = newId();
  await registerJob({ job: jobOf(ID, { ...dormant, Meta: oddities }) });
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

test("what is put together means on the server what it means here", async () => {
  const priorities = [10, 20, 30, 40, 50];
  const jobs = priorities.map((Priority) => ({ ID: newId(), Priority }));
  for (const { ID, Priority } of jobs) await registerJob({ job: jobOf(ID, { ...dormant, Priority }) });
  const ours = filter("ID")
    .equals(jobs[0]?.ID ?? "")
    .or(filter("ID").matches(`^(${jobs.map(({ ID }) => ID).join("|")})$`));
  type Tree = { filter: scheduler.Filter; holds(priority: number): boolean };
  // The same trees each time: a failure has to come again.
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  const tree = (depth: number): Tree => {
    const kind = depth === 0 ? 0 : random(4);
    if (kind === 0) {
      const value = priorities[random(5)] ?? 0;
      return { filter: filter("Priority").equals(value), holds: (priority) => priority === value };
    }
    const [a, b] = [tree(depth - 1), tree(depth - 1)];
    if (kind === 1) return { filter: a.filter.not(), holds: (priority) => !a.holds(priority) };
    if (kind === 2) return { filter: a.filter.and(b.filter), holds: (priority) => a.holds(priority) && b.holds(priority) };
    return { filter: a.filter.or(b.filter), holds: (priority) => a.holds(priority) || b.holds(priority) };
  };
  for (let round = 0; round < 60; round++) {
    const { filter: made, holds } = tree(4);
    const found = await collect(listJobs({ filter: ours.and(made) }));
    expect([`${made}`, found.map(({ Priority }) => Priority).sort()]).toEqual([`${made}`, priorities.filter(holds)]);
  }
});

test("pages of all namespaces hold every job once, in either order", async () => {
  // The server sorts by namespace, and compares its tokens as texts, in which a hyphen comes before the dot: pages of one go round in a circle.
  for (const Name of ["steward", "steward-other"]) expect((await ask("namespace", "PUT", { Name })).status).toBe(200);
  const ids: string[] = [];
  for (const namespace of ["steward-other", "default", "steward", "default", "steward", "steward-other", "steward"]) {
    const ID = newId();
    ids.push(ID);
    await registerJob({ job: jobOf(ID, dormant), namespace });
  }
  const ours = filter("ID").matches(`^(${ids.join("|")})$`);
  const expected = [...ids].sort();
  for (const reverse of [false, true])
    for (const pageSize of [1, 2, 3, 4, 5, 6, undefined]) {
      const list = listJobs({ namespace: "*", filter: ours, pageSize, reverse });
      const found = (await collect(list)).map(({ ID }) => ID).sort();
      expect([pageSize, reverse, found]).toEqual([pageSize, reverse, expected]);
      expect(list.page).toMatchObject({ index: expect.any(Number), lastContact: 0, knownLeader: true });
    }
  const [first] = await collect(listJobs({ namespace: "steward-other", filter: ours, stale: true }));
  expect(first).toMatchObject({ Namespace: "steward-other", Type: "batch", Priority: 50 });
  expect(first?.SubmitTime).toMatch(/^\d{19}$/);
});

const fields = (kind: "jobs" | "deployments" | "nodes"): string[] =>
  ({
    jobs: "Stop AllAtOnce Stable Dispatched Priority Version SubmitTime CreateIndex ModifyIndex JobModifyIndex Periodic ParameterizedJob Multiregion Update UI VersionTag",
    deployments:
      "IsMultiregion JobVersion JobModifyIndex JobSpecModifyIndex JobCreateIndex EvalPriority CreateIndex ModifyIndex CreateTime ModifyTime",
    nodes:
      "TLSEnabled NodeResources ReservedResources DrainStrategy LastDrain StatusUpdatedAt LastMissedHeartbeatIndex LastAllocUpdateIndex CreateIndex ModifyIndex",
  })[kind].split(" ");

test("what we refuse to ask does break the connection", async () => {
  const ID = newId();
  await registerJob({ job: jobOf(ID) });
  await scheduler.waitForDeployment({ jobId: ID, timeout: "30s" });
  const lists = { jobs: listJobs, deployments: listDeployments, nodes: listNodes };
  for (const kind of ["jobs", "deployments", "nodes"] as const)
    for (const field of fields(kind)) {
      await expect(ask(`${kind}?filter=${encodeURIComponent(`${field} is empty`)}`)).rejects.toThrow("fetch failed");
      await expect(collect<unknown>(lists[kind]({ filter: filter(field).isEmpty() }))).rejects.toThrow(`whether ${field} is empty`);
    }
});

test("errors in the server's own words", async () => {
  const message = (list: AsyncIterable<unknown>): Promise<string> =>
    collect(list).then(
      () => "none",
      (error) => error.message,
    );
  expect(await message(listNodes({ filter: filter("Address").equals("127.0.0.1") }))).toMatch(
    /^Cannot list nodes: .*error finding value in datum: \/Address.* \(GET \/v1\/nodes, 400\)\. A filter sees .* There `Address` is `HTTPAddr`\. The filter was: Address == "127\.0\.0\.1"$/,
  );
  expect(await message(listJobs({ filter: "Name ==" }))).toMatch(
    /failed to read filter expression.*\(GET \/v1\/jobs, 400\)\. The filter was: Name ==$/,
  );
  expect(await message(listJobs({ region: "nowhere" }))).toContain("Cannot list jobs: No path to region (GET /v1/jobs, 500).");
  await expect(registerJob({ job: { ID: newId() } })).rejects.toThrow(/^Cannot register job ".*": .*\(PUT \/v1\/jobs, (400|500)\)/);
  process.env.NOMAD_TOKEN = "5e4ab52a-0000-0000-0000-fa964c7b5c31";
  expect(await message(listJobs())).toMatch(/^Cannot list jobs: .*\(GET \/v1\/jobs, 403\)\. Check the token/);
  delete process.env.NOMAD_TOKEN;
  expect(await message(listJobs())).toBe(
    'Cannot list jobs: Permission denied (GET /v1/jobs, 403). No token was sent: give the connection "default" one for scheduler, as tokenEnv, tokenFile or token, or in the environment beside the address.',
  );
  connect();
});

test("nodes and the members of an agent", async () => {
  const [node] = await collect(listNodes({ filter: filter("HTTPAddr").matches("^127") }));
  expect(node).toMatchObject({ ID: expect.any(String), Address: "127.0.0.1", Status: "ready" });
  expect(await getAgentMembers()).toMatchObject({ Members: [{ Addr: "127.0.0.1" }] });
  expect(nomad.address).not.toBe("");
});
