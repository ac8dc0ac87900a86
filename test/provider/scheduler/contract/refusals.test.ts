import { scheduler } from "../../../../provider";
import { collect, dormantJob, newName, onEachScheduler } from "../../../support/scheduler";
import { failure } from "../server";

const { filter, getAgentMembers, listDeployments, listJobs, listNodes, registerJob, waitForDeployment, watch } = scheduler;
const of = (source: AsyncIterable<unknown>): ReturnType<typeof failure> => failure(collect(source));

onEachScheduler("the scheduler rejects", (current) => {
  test("an invalid filter with the position and the reason, and the request is not retried", async () => {
    await current().through(async (gateway) => {
      expect(await of(listJobs({ filter: "Name ==" }))).toMatchObject({
        code: "ERR_REJECTED",
        status: 400,
        message: expect.stringMatching(
          /^Cannot list jobs: failed to create result paginator: failed to read filter expression: 1:8 \(7\): no match found, expected: .* \(GET \/v1\/jobs, 400\)\. The filter was: Name ==$/,
        ),
      });
      expect((await of(watch({ resource: "nodes", filter: '(Name == "x"' }))).message).toBe(
        'Cannot watch nodes: failed to create result paginator: failed to read filter expression: 1:13 (12): rule "grouping": Unmatched parentheses (GET /v1/nodes, 400). The filter was: (Name == "x"',
      );
      expect(gateway.requests).toHaveLength(2);
    });
  });

  test("a filter for a field of the stub, and the message names the field of the full record", async () => {
    expect((await of(listNodes({ filter: filter("Address").equals("127.0.0.1") }))).message).toBe(
      'Cannot list nodes: failed to read result page: error finding value in datum: /Address at part 0: couldn\'t find key: struct field with name "Address" (GET /v1/nodes, 400). A filter sees the full record, not the stub that is listed. There `Address` is `HTTPAddr`. The filter was: Address == "127.0.0.1"',
    );
    await registerJob({ job: dormantJob(newName()) });
    expect((await of(listJobs({ filter: filter("JobSummary", "JobID").equals("x") }))).message).toContain(
      'couldn\'t find key: struct field with name "JobSummary" (GET /v1/jobs, 400). A filter sees the full record',
    );
  });

  test("an unknown region, and the request is not retried", async () => {
    const region = newName();
    await current().through(async (gateway) => {
      for (const refused of [
        () => collect(listJobs({ region })),
        () => collect(listDeployments({ region })),
        () => collect(listNodes({ region })),
        () => collect(watch({ resource: "jobs", region })),
        () => registerJob({ job: dormantJob(newName()), region }),
        () => waitForDeployment({ jobId: newName(), region }),
      ]) {
        gateway.requests.length = 0;
        expect(await failure(refused())).toMatchObject({
          code: "ERR_SERVER",
          status: 500,
          message: expect.stringMatching(/: No path to region \((GET|PUT) \/v1\/\w+, 500\)\. Sending it again is not expected to help/),
        });
        expect(gateway.requests).toHaveLength(1);
      }
    });
  });

  test("an invalid job", async () => {
    await current().through(async (gateway) => {
      const ID = newName();
      const error = await failure(registerJob({ job: { ID } }));
      expect(error).toMatchObject({ code: "ERR_SERVER", status: 500 });
      expect(error.message).toMatch(new RegExp(`^Cannot register job "${ID}": .*Missing job task groups.* \\(PUT /v1/jobs, 500\\)`, "s"));
      expect((await failure(registerJob({ job: dormantJob(`${ID} x`) }))).message).toContain("Job ID contains a space");
      expect((await failure(registerJob({ job: dormantJob(ID), namespace: newName() }))).message).toContain("is in nonexistent namespace");
      expect(gateway.requests.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    });
  });

  test("a wrong token and a missing token", async () => {
    const { connect } = current();
    connect({ token: "5e4ab52a-0000-0000-0000-fa964c7b5c31" });
    for (const refused of [
      () => collect(listJobs()),
      () => collect(listJobs({ namespace: "*" })),
      () => collect(listDeployments()),
      () => collect(listNodes()),
      () => collect(watch({ resource: "deployments" })),
      () => getAgentMembers(),
      () => registerJob({ job: dormantJob(newName()) }),
      () => waitForDeployment({ jobId: newName() }),
    ]) {
      const error = await failure(refused());
      expect(error).toMatchObject({ code: "ERR_FORBIDDEN", status: 403 });
      expect(error.message).toMatch(/: Permission denied \((GET|PUT) \/v1\/[\w/]+, 403\)\. Check the token/);
      expect(error.message).not.toContain("5e4ab52a");
    }
    connect({ token: undefined });
    expect((await of(listJobs())).message).toMatch(
      /^Cannot list jobs: Permission denied \(GET \/v1\/jobs, 403\)\. No token was sent: give the connection "default" one for scheduler/,
    );
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
    for (const refused of [
      () => collect(listJobs({ namespace: hidden })),
      () => collect(listDeployments({ namespace: hidden })),
      () => collect(listNodes()),
      () => getAgentMembers(),
      () => registerJob({ job: dormantJob(ID, { Priority: 60 }), namespace: seen }),
      () => waitForDeployment({ jobId: ID, namespace: hidden }),
    ]) {
      const error = await failure(refused());
      expect(error).toMatchObject({ code: "ERR_FORBIDDEN", status: 403, message: expect.stringContaining("Permission denied") });
      expect(error.message).not.toContain(token);
    }
  });

  test("an unknown option is rejected without a request", async () => {
    await current().through(async (gateway) => {
      for (const refused of [
        () => collect(listJobs({ pagesize: 5 } as never)),
        () => collect(listDeployments({ status: "running" } as never)),
        () => collect(listNodes({ filter: "a", node_id: "b" } as never)),
        () => collect(watch({ resource: "jobs", index: 5 } as never)),
        () => getAgentMembers({ region: "eu" } as never),
        () => registerJob({ job: dormantJob(newName()), name: "x" } as never),
        () => waitForDeployment({ jobId: newName(), wait: "5m" } as never),
      ])
        expect((await failure(refused())).code).toBe("ERR_INVALID_INPUT");
      expect(gateway.requests).toEqual([]);
    });
  });
});
