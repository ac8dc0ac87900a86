import { ServerResponse } from "node:http";
import { scheduler } from "../../../provider";
import { limited, limits } from "../../support/limits";
import { printed } from "../../support/printed";
import { failure, refusal } from "../../support/refusal";
import { collect as collectAll } from "../../support/scheduler";
import { until } from "../../support/until";
import { Asked, answerList, serve } from "./server";

Object.assign(limits, { pollDelay: 5, electionBackoff: 5 });

const node = (ID: string, Status = "ready"): object => ({ ID, Address: "10.0.0.1", Status });
const answer = (response: ServerResponse, index: number, items: object[]): void =>
  answerList(response, items, { "X-Scheduler-Index": index });
type Step = (asked: Asked, response: ServerResponse) => unknown;

/** One step for each request. Requests after the last one are held. */
const script = (...steps: Step[]): Promise<Asked[]> => serve((asked, response, count) => steps[count - 1]?.(asked, response));
const at =
  (index: number, ...items: object[]): Step =>
  (_, response) =>
    answer(response, index, items);

/** The first changes of a watch, which then ends. */
const take = (count: number, options: Partial<scheduler.WatchOptions> = {}): Promise<string[]> =>
  limited(async () => {
    const found: string[] = [];
    if (count === 0) return found;
    for await (const { index, items } of scheduler.watch({ resource: "nodes", ...options })) {
      found.push([index, ...items.map(({ ID }) => ID)].join(" "));
      if (found.length === count) break;
    }
    return found;
  });
const collect: typeof collectAll = (list) => limited(() => collectAll(list));
const indexes = (seen: Asked[]): (string | undefined)[] => seen.map(({ query }) => query.index);

test("sends the query and a wait of at most ten minutes with its unit", async () => {
  const query = { filter: 'Status == "ready"', region: "eu" };
  for (const [wait, sent] of [
    [undefined, "300s"],
    ["1h", "600s"],
    ["90s", "90s"],
    [5, "5s"],
  ] as const) {
    const seen = await script(at(5, node("a")), at(8, node("a"), node("b")), at(9));
    expect(await take(3, { ...query, wait })).toEqual(["5 a", "8 a b", "9"]);
    expect(seen.map((each) => each.query)).toEqual([query, { ...query, index: "5", wait: sent }, { ...query, index: "8", wait: sent }]);
  }
});

test("watches do not block other requests", async () => {
  limits.maxConcurrentRequests = 1;
  const controller = new AbortController();
  const seen = await serve(({ query }, response) => (query.index === undefined ? answer(response, 5, [node("a")]) : undefined));
  const watches = Array.from({ length: 3 }, () => collect(scheduler.watch({ resource: "nodes", signal: controller.signal })));
  await until("each watch asks again", () => indexes(seen).filter((index) => index === "5").length >= watches.length);
  expect(await collect(scheduler.listNodes())).toHaveLength(1);
  controller.abort();
  await Promise.all(watches);
});

test("polls less often while writes change nothing", async () => {
  limits.pollDelay = 20;
  let index = 5;
  const controller = new AbortController();
  const times: number[] = [];
  await serve((_, response) => {
    if (times.push(Date.now()) === 7) controller.abort();
    answer(response, index++, [node("a")]);
  });
  expect(await collect(scheduler.watch({ resource: "nodes", signal: controller.signal }))).toHaveLength(1);
  // 20 + 40 + 80 + 160 + 320 ms, minus the tolerance of timers.
  expect((times[6] as number) - (times[0] as number)).toBeGreaterThanOrEqual(600);
});

test("starts again if the index goes back, and never waits on index 0", async () => {
  const back = await script(at(50, node("a")), at(3, node("a")), at(3, node("b")), at(4, node("c")));
  expect(await take(3)).toEqual(["50 a", "3 b", "4 c"]);
  expect(indexes(back)).toEqual([undefined, "50", undefined, "3"]);
  const zero = await script(at(0), at(2, node("a")));
  expect(await take(2)).toEqual(["0", "2 a"]);
  expect(indexes(zero)).toEqual([undefined, "1"]);
});

const broken: Step = ({ request }) => request.socket.destroy();
const gateway =
  (status: number): Step =>
  (_, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end("<html>");

test.each([
  ["a broken connection", broken],
  ["a gateway's 502", gateway(502)],
  ["a gateway's 504", gateway(504)],
])("reconnects after %s and yields the changes made meanwhile", async (_, lost) => {
  const seen = await script(at(5, node("a")), lost, at(5, node("a")), lost, lost, at(2, node("b")));
  expect(await take(2)).toEqual(["5 a", "2 b"]);
  expect(indexes(seen)).toEqual([undefined, "5", undefined, "5", undefined, undefined]);
});

test.each([
  ["the server stays unreachable", broken, { code: "ERR_NO_RESPONSE", details: { operation: expect.stringContaining("watch nodes") } }],
  ["a gateway answers 504 for too long", gateway(504), { code: "ERR_SERVER", status: 504 }],
])("fails if %s", async (_, lost, error) => {
  Object.assign(limits, { reconnectTimeout: 100, maxRetries: 1 });
  await serve((asked, response, count) => (count === 1 ? answer(response, 5, []) : lost(asked, response)));
  expect(await failure(take(2))).toMatchObject(error);
});

test("fails at once if a gateway answers 504 to the first list", async () => {
  const seen = await script(gateway(504), gateway(504));
  expect(await failure(take(1))).toMatchObject({ code: "ERR_SERVER", status: 504 });
  expect(seen).toHaveLength(1);
});

test("holds a blocking query longer than the timeout of other requests", async () => {
  limits.idleTimeout = 700;
  const seen = await script(at(5, node("a")), (_, response) => setTimeout(() => answer(response, 6, [node("b")]), 1_500));
  expect(await take(2)).toEqual(["5 a", "6 b"]);
  expect(indexes(seen)).toEqual([undefined, "5"]);
});

test("reconnects if the server sends no response until the end of the wait and a margin", async () => {
  limits.blockingQueryGrace = 300;
  const silent: Step = () => {};
  const seen = await script(at(5, node("a")), silent, at(6, node("b")));
  const begin = Date.now();
  expect(await take(2, { wait: 1 })).toEqual(["5 a", "6 b"]);
  expect(Date.now() - begin).toBeGreaterThanOrEqual(1_062);
  expect(indexes(seen)).toEqual([undefined, "5", undefined]);
});

test.each([400, 403, 404, 500])("%d ends the watch and is not retried", async (status) => {
  const seen = await script(at(5, node("a")), (_, response) => response.writeHead(status).end("No luck"));
  expect(await failure(take(2))).toMatchObject({ status, method: "GET", path: "/v1/nodes", details: { reason: "No luck" } });
  expect(seen).toHaveLength(2);
  expect(printed).toEqual([]);
});

describe("an election", () => {
  const leaderless: Step[] = [
    (_, response) => response.writeHead(500).end("rpc error: No cluster leader"),
    (_, response) => response.writeHead(503).end("No cluster leader"),
  ];

  test("does not end the watch, also during the first list, and is printed once each time", async () => {
    const seen = await script(...leaderless, at(5, node("a")), ...leaderless, at(6, node("b")), at(7, node("c")));
    expect(await take(3)).toEqual(["5 a", "6 b", "7 c"]);
    expect(indexes(seen)).toEqual([undefined, undefined, undefined, "5", undefined, undefined, "6"]);
    const line = expect.stringMatching(/\(500\).* 60 s/);
    expect(printed).toEqual([line, line]);
  });

  test("has its own timeout, independent of the read before it", async () => {
    const late: Step = (_, response) => setTimeout(() => response.writeHead(500).end("No cluster leader"), 1_300);
    await script(at(5, node("a")), late, at(6, node("b")));
    expect(await take(2, { electionTimeout: "1s" })).toEqual(["5 a", "6 b"]);
  });

  test("that happens repeatedly does not count as a server without blocking queries", async () => {
    const one = leaderless.slice(0, 1);
    const again = at(5, node("a"));
    await script(again, ...[1, 2, 3, 4, 5].flatMap(() => [...one, again]), at(6, node("b")));
    expect(await take(2)).toEqual(["5 a", "6 b"]);
  });

  test("fails the watch even if reads that do not block succeed meanwhile", async () => {
    await serve(({ query }, response) => {
      if (query.index) response.writeHead(503).end("No cluster leader");
      else answerList(response, []);
    });
    expect(await failure(take(2, { electionTimeout: "1s" }))).toMatchObject({ status: 503, details: { rule: "no-leader" } });
    expect(printed).toHaveLength(1);
  });

  test("that does not end fails the watch after electionTimeout", async () => {
    const seen = await serve((_, response) => response.writeHead(500).end("No cluster leader"));
    expect(await failure(take(1, { electionTimeout: "1s" }))).toMatchObject({
      ...{ code: "ERR_SERVER", method: "GET", path: "/v1/nodes", status: 500 },
      details: { rule: "no-leader", reason: "No cluster leader", hint: expect.stringMatching(/ 1 s.* electionTimeout/) },
    });
    expect(seen.length).toBeGreaterThan(1);
    expect(printed).toHaveLength(1);
  });

  test("ends at once when the signal aborts", async () => {
    const controller = new AbortController();
    await script((_, response) => {
      response.writeHead(503).end();
      controller.abort();
    });
    expect(await collect(scheduler.watch({ resource: "nodes", signal: controller.signal }))).toEqual([]);
  });
});

test.each([
  ["an endpoint", 0],
  ["a slow endpoint", 1_100],
])("fails for %s without blocking queries", async (_, delay) => {
  const seen = await serve((_, response) => void setTimeout(() => answer(response, 5, [node("a")]), delay));
  expect(await failure(take(2, { wait: "1m" }))).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "answers-at-once" }));
  expect(seen.length).toBeLessThanOrEqual(6);
});

test("fails for a response without an index", async () => {
  await serve((_, response) => answerList(response, [], {}));
  expect(await failure(take(1))).toEqual(refusal("ERR_UNEXPECTED_RESPONSE", { rule: "no-index" }));
});

test("accepts unchanged responses before the end of the wait", async () => {
  limits.immediateThreshold = 50;
  let asked = 0;
  await serve((_, response) => {
    asked += 1;
    setTimeout(() => answer(response, 5, asked > 7 ? [node("b")] : [node("a")]), 60);
  });
  expect(await take(2, { wait: "1m" })).toEqual(["5 a", "5 b"]);
});

test("waits on the first page and yields the whole list", async () => {
  const page: Step = ({ query }, response) =>
    query.next_token
      ? answerList(response, [node("b")], { "X-Scheduler-Index": 9 })
      : answerList(response, [node("a")], { "X-Scheduler-Index": 5, "X-Scheduler-Nexttoken": "b" });
  const seen = await script(page, page, at(6));
  expect(await take(2, { pageSize: 1 })).toEqual(["5 a b", "6"]);
  expect(seen.map(({ query }) => [query.index, query.next_token, query.per_page])).toEqual([
    [undefined, undefined, "1"],
    [undefined, "b", "1"],
    ["5", undefined, "1"],
  ]);
});
