import { scheduler } from "../../../../provider";
import { schedulerPolicyOf } from "../../../support/pages";
import { failure } from "../../../support/refusal";
import { collect, dormantJob, newName, onEachScheduler } from "../../../support/scheduler";

const { filter, getAgentMembers, listDeployments, listJobs, listNodes, registerJob, waitForDeployment, watch } = scheduler;
const of = (source: AsyncIterable<unknown>): ReturnType<typeof failure> => failure(collect(source));
/** A call of each function with a region. */
const callsIn = (region?: string): (() => Promise<unknown>)[] => [
  ...[listJobs, listDeployments, listNodes].map((list) => () => collect<unknown>(list({ region }))),
  () => collect(watch({ resource: "jobs", region })),
  () => registerJob({ job: dormantJob(newName()), region }),
  () => waitForDeployment({ jobId: newName(), region }),
];

onEachScheduler("the scheduler rejects", (current) => {
  test("an invalid filter with the position and the reason, and the request is not retried", async () => {
    await current().through(async (gateway) => {
      expect(await of(listJobs({ filter: "Name ==" }))).toMatchObject({
        ...{ code: "ERR_REJECTED", method: "GET", path: "/v1/jobs", status: 400 },
        details: {
          reason: expect.stringMatching(
            /^failed to create result paginator: failed to read filter expression: 1:8 \(7\): no match found, /,
          ),
          hint: expect.stringMatching(/ Name ==$/),
        },
      });
      expect(await of(watch({ resource: "nodes", filter: '(Name == "x"' }))).toMatchObject({
        ...{ method: "GET", path: "/v1/nodes", status: 400 },
        details: {
          reason: 'failed to create result paginator: failed to read filter expression: 1:13 (12): rule "grouping": Unmatched parentheses',
          hint: expect.stringMatching(/ \(Name == "x"$/),
        },
      });
      expect(gateway.requests).toHaveLength(2);
    });
  });

  test("a filter for a field of the stub, and the message names the field of the full record", async () => {
    const missing = (field: string): string =>
      `failed to read result page: error finding value in datum: /${field} at part 0: couldn't find key: struct field with name "${field}"`;
    expect(await of(listNodes({ filter: filter("Address").equals("127.0.0.1") }))).toMatchObject({
      ...{ method: "GET", path: "/v1/nodes", status: 400 },
      details: { reason: missing("Address"), hint: expect.stringMatching(/`Address` .*`HTTPAddr`.* Address == "127\.0\.0\.1"$/) },
    });
    await registerJob({ job: dormantJob(newName()) });
    expect((await of(listJobs({ filter: filter("JobSummary", "JobID").equals("x") }))).details.reason).toContain(
      'struct field with name "JobSummary"',
    );
  });

  test("an unknown region, and the request is not retried", async () => {
    const region = newName();
    await current().through(async (gateway) => {
      for (const refused of callsIn(region)) {
        gateway.requests.length = 0;
        expect(await failure(refused())).toMatchObject({
          ...{ code: "ERR_SERVER", path: expect.any(String), status: 500 },
          details: { reason: "No path to region" },
        });
        expect(gateway.requests).toHaveLength(1);
      }
    });
  });

  test("an invalid job", async () => {
    await current().through(async (gateway) => {
      const ID = newName();
      const error = await failure(registerJob({ job: { ID } }));
      expect(error).toMatchObject({ code: "ERR_SERVER", method: "PUT", path: "/v1/jobs", status: 500 });
      const { operation, reason } = error.details;
      expect([operation, reason]).toEqual([expect.stringContaining(`"${ID}"`), expect.stringContaining("Missing job task groups")]);
      expect((await failure(registerJob({ job: dormantJob(`${ID} x`) }))).details.reason).toContain("Job ID contains a space");
      const elsewhere = await failure(registerJob({ job: dormantJob(ID), namespace: newName() }));
      expect(elsewhere.details.reason).toContain("is in nonexistent namespace");
      expect(gateway.requests.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    });
  });

  test("a wrong token and a missing token", async () => {
    const { connect } = current();
    connect({ token: "5e4ab52a-0000-0000-0000-fa964c7b5c31" });
    for (const refused of [...callsIn(), () => collect(listJobs({ namespace: "*" })), () => getAgentMembers()]) {
      const error = await failure(refused());
      expect(error).toMatchObject({ code: "ERR_FORBIDDEN", status: 403, details: { reason: "Permission denied", rule: undefined } });
      expect(error.message).not.toContain("5e4ab52a");
    }
    connect({ token: undefined });
    expect(await of(listJobs())).toMatchObject({
      ...{ code: "ERR_FORBIDDEN", method: "GET", path: "/v1/jobs", status: 403 },
      details: { rule: "no-token", hint: expect.stringMatching(/ scheduler .*"default"/) },
    });
  });

  test.each([
    ["listJobs", "lists", () => collect(listJobs())],
    ["listDeployments", "lists", () => collect(listDeployments())],
    ["listNodes", "lists", () => collect(listNodes())],
    ["getAgentMembers", "agent-members", () => getAgentMembers()],
    ["registerJob", "job-registration", () => registerJob({ job: dormantJob(newName()) })],
  ])("%s with the policy that its page shows", async (name, page, refused) => {
    current().connect({ token: await current().mintReader(newName()) });
    expect((await failure(refused())).message).toContain(`\`${schedulerPolicyOf(page, name).trim().replace(/\s+/g, " ")}\``);
  });

  test("exactly what the token does not permit", async () => {
    const { connect, makeNamespace, mintReader } = current();
    const [seen, hidden, ID] = [newName(), newName(), newName()];
    for (const namespace of [seen, hidden]) {
      await makeNamespace(namespace);
      await registerJob({ job: dormantJob(ID), namespace });
    }
    const token = await mintReader(seen);
    connect({ token });
    for (const namespace of [seen, "*"])
      expect((await collect(listJobs({ namespace, filter: filter("ID").equals(ID) }))).map(({ Namespace }) => Namespace)).toEqual([seen]);
    expect(await collect(listDeployments({ namespace: seen }))).toEqual([]);
    const inHidden = (capability: string): string => `\`namespace "${hidden}" { capabilities = ["${capability}"] }\``;
    for (const [policy, refused] of [
      [inHidden("list-jobs"), () => collect(listJobs({ namespace: hidden }))],
      [inHidden("read-job"), () => collect(listDeployments({ namespace: hidden }))],
      ['`node { policy = "read" }`', () => collect(listNodes())],
      ['`node { policy = "read" }`', () => getAgentMembers()],
      [inHidden("submit-job"), () => registerJob({ job: dormantJob(ID, { Priority: 60, Namespace: hidden }) })],
      ["list-jobs", () => waitForDeployment({ jobId: ID, namespace: hidden })],
    ] as const) {
      const error = await failure(refused());
      expect(error).toMatchObject({ code: "ERR_FORBIDDEN", status: 403, details: { reason: "Permission denied" } });
      expect(error.message).toContain(policy);
      expect(error.message).not.toContain(token);
    }
  });

  test("even a namespace that does not exist, unless the token may read all of them", async () => {
    const { connect, mintReader } = current();
    const namespace = newName();
    expect(await collect(listJobs({ namespace }))).toEqual([]);
    connect({ token: await mintReader(newName()) });
    expect(await collect(listJobs({ namespace: "*" }))).toEqual([]);
    expect(await of(listJobs({ namespace }))).toMatchObject({ code: "ERR_FORBIDDEN" });
  });
});
