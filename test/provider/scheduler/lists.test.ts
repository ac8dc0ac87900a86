import { scheduler } from "../../../provider";
import { failure, refusal } from "../../support/refusal";
import { collect } from "../../support/scheduler";
import { answerList, serve } from "./server";

const { listJobs, listDeployments, listNodes } = scheduler;
const job = (ID: string, more: object = {}): object => ({ ID, Name: ID, Namespace: "default", SubmitTime: 1, ...more });
const ids = async (list: AsyncIterable<{ ID: string }>): Promise<string[]> => (await collect(list)).map(({ ID }) => ID);

test("pages are fetched on demand, and each request has the options", async () => {
  const seen = await serve((asked, response) =>
    asked.query.next_token
      ? answerList(response, [job("b"), job("c")], { "X-Scheduler-Index": 9 })
      : answerList(response, [job("a"), job("b")], { "X-Scheduler-Index": 8, "X-Scheduler-NextToken": "b/2" }),
  );
  const list = listJobs({ namespace: "*", region: "eu", stale: true, reverse: true, pageSize: 2, filter: 'Name != ""' });
  expect(list.page).toBeUndefined();
  const found: string[] = [];
  for await (const { ID } of list) {
    found.push(ID);
    expect(seen).toHaveLength(found.length <= 2 ? 1 : 2);
  }
  expect(found).toEqual(["a", "b", "c"]);
  const all = { namespace: "*", region: "eu", stale: "", reverse: "true", per_page: "2", filter: 'Name != ""' };
  expect(seen.map(({ query }) => query)).toEqual([all, { ...all, next_token: "b/2" }]);
  expect(seen[0]).toMatchObject({ method: "GET", path: "/v1/jobs", headers: { "x-scheduler-token": "canary-token" } });
  expect(list.page).toEqual({ index: 9 });
  // A list can be iterated twice.
  expect(await ids(list)).toEqual(["a", "b", "c"]);
});

test("false options are not sent, and the hashicorp dialect has its own headers", async () => {
  const seen = await serve(
    (_, response) => answerList(response, "null", { "X-Nomad-Index": 12, "X-Nomad-LastContact": 34, "X-Nomad-KnownLeader": "false" }),
    "hashicorp",
  );
  const list = listDeployments({ stale: false, reverse: false });
  expect(await collect(list)).toEqual([]);
  expect(list.page).toEqual({ index: 12, lastContact: 34, knownLeader: false });
  expect(seen[0]).toMatchObject({ path: "/v1/deployments", query: {}, headers: { "x-nomad-token": "canary-token" } });
});

test("options override the connection's namespace and region, and nodes have no namespace", async () => {
  const seen = await serve((_, response) => answerList(response, []), "hashicorp");
  Object.assign(process.env, { NOMAD_NAMESPACE: "team", NOMAD_REGION: "eu" });
  await collect(listJobs());
  await collect(listJobs({ namespace: "other", region: "us" }));
  await collect(listNodes());
  expect(seen.map(({ query }) => query)).toEqual([
    { namespace: "team", region: "eu" },
    { namespace: "other", region: "us" },
    { region: "eu" },
  ]);
});

test("integers beyond 2^53 are strings, all others are numbers, and unknown fields stay", async () => {
  const text =
    '[{"ID":"a","SubmitTime":1795265803843211018,"Priority":50,"New":{"Big":-9007199254740993,"Small":0.5,"Text":"1795265803843211018"}},{"ID":"b","SubmitTime":7}]';
  await serve((_, response) => answerList(response, text));
  expect(await collect(listJobs())).toEqual([
    {
      ID: "a",
      SubmitTime: "1795265803843211018",
      Priority: 50,
      New: { Big: "-9007199254740993", Small: 0.5, Text: "1795265803843211018" },
    },
    { ID: "b", SubmitTime: "7" },
  ]);
});

// The contract suite has circles that a list without pages resolves.
test("pages that form a circle are an error if the whole list has the same circle", async () => {
  const seen = await serve((_, response) => answerList(response, [job("a")], { "X-Scheduler-Nexttoken": "a" }));
  const circular = refusal("ERR_UNEXPECTED_RESPONSE", { rule: "circle", method: "GET", path: "/v1/jobs" });
  expect(await failure(collect(listJobs()))).toEqual(circular);
  expect(seen).toHaveLength(2);
});

test("the signal ends a list during a request and between two items", async () => {
  const waiting = new AbortController();
  await serve(() => waiting.abort());
  expect(await failure(collect(listJobs({ signal: waiting.signal })))).toEqual(refusal("ERR_ABORTED", { method: "GET", path: "/v1/jobs" }));
  const seen = await serve((_, response) => answerList(response, [job("a"), job("b")]));
  expect((await failure(collect(listJobs({ signal: AbortSignal.abort() })))).code).toBe("ERR_ABORTED");
  expect(seen).toEqual([]);
  const later = new AbortController();
  const found: string[] = [];
  const reading = (async () => {
    for await (const { ID } of listJobs({ signal: later.signal })) {
      found.push(ID);
      later.abort();
    }
  })();
  expect((await failure(reading)).code).toBe("ERR_ABORTED");
  expect(found).toEqual(["a"]);
});

test.each([
  [400, "ERR_REJECTED", "no luck", ""],
  [403, "ERR_FORBIDDEN", "Permission denied", ""],
  [404, "ERR_NOT_FOUND", "unknown", ""],
  [500, "ERR_SERVER", "No path to region", "A retry is unlikely to help"],
  [500, "ERR_SERVER", "No cluster leader", ""],
  [502, "ERR_SERVER", "bad gateway", "The server failed"],
  [503, "ERR_UNAVAILABLE", "overloaded", "try again"],
  [504, "ERR_SERVER", "gateway timeout", "The server failed"],
])("%d is an error with the server's reason and a hint, and is not retried", async (status, code, reason, hint) => {
  const seen = await serve((_, response) => response.writeHead(status, { "content-type": "text/plain" }).end(`${reason}\n`));
  const details = { reason, operation: expect.stringContaining("list nodes") };
  const message = expect.stringContaining(hint);
  expect(await failure(collect(listNodes()))).toMatchObject({ code, status, method: "GET", path: "/v1/nodes", details, message });
  expect(seen).toHaveLength(1);
});

test("a broken connection and 429 are retried, except if the filter may break it: it tests whether a field is empty", async () => {
  const seen = await serve((asked, response, count) => {
    if (count === 1) asked.request.socket.destroy();
    else if (count === 2) response.writeHead(429, { "retry-after": "0" }).end();
    else answerList(response, [job("a")]);
  });
  expect(await ids(listJobs({ filter: 'Name == "Stop is empty"' }))).toEqual(["a"]);
  expect(seen).toHaveLength(3);
  const broken = await serve(({ request }) => request.socket.destroy());
  const filter = "Periodic.Enabled is empty";
  expect(await failure(collect(listJobs({ filter })))).toMatchObject({ code: "ERR_NO_RESPONSE", message: expect.stringContaining(filter) });
  expect(broken).toHaveLength(1);
});

test.each<[string, Parameters<typeof serve>[0]]>([
  ["an object", (_, response) => answerList(response, { ID: "a" })],
  ["empty", (_, response) => answerList(response, "")],
  ["a 204", (_, response) => response.writeHead(204).end()],
  [
    "cut off before its first byte",
    (_, response) => response.socket?.end("HTTP/1.1 200 OK\r\nx-scheduler-index: 7\r\nconnection: close\r\n\r\n"),
  ],
])("a response that is %s is not an empty list but an error", async (_, answer) => {
  await serve(answer);
  expect(await failure(collect(listJobs()))).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { method: "GET", path: "/v1/jobs" }));
});

test("a page token that a gateway repeats does not end the list", async () => {
  await serve(({ query }, response) => {
    if (!query.next_token) response.setHeader("X-Scheduler-NextToken", ["b", "b"]);
    answerList(response, [job(query.next_token ?? "a")]);
  });
  expect(await ids(listJobs())).toEqual(["a", "b"]);
});
