import { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { StewardError } from "../../../provider/contract/errors";
import { Operation } from "../../../provider/contract/operation";
import { Request, send } from "../../../provider/http";
import { limits } from "../../support/limits";
import { failure, refusal } from "../../support/refusal";
import { Answer, connection, get, ok, post, seen, serve } from "./exchange";

describe("a request", () => {
  test("reads the token once, so an error redacts the token that was sent", async () => {
    const { server, ...operation } = await serve(({ headers }, response) =>
      response.writeHead(400).end(JSON.stringify({ errors: [headers["x-secrets-token"]] })),
    );
    const tokens = ["canary-one", "canary-two"];
    const { message } = await failure(
      send({ ...operation, server: { ...server, credentials: { ...server.credentials, token: () => tokens.shift() } } }, get),
    );
    expect(message).toContain("[secret]");
    expect(tokens).toEqual(["canary-two"]);
  });

  test("sends JSON with its headers and reads JSON, compressed or not", async () => {
    const target = await serve((_, response, count) => {
      if (count === 1) ok(response);
      else response.setHeader("content-encoding", "gzip").end(gzipSync('{"zipped":true}'));
    });
    expect((await send(target, { ...post, query: { list: "true" } })).body).toEqual({ fine: true });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/thing?list=true" });
    expect(seen[0]?.headers).toMatchObject({
      "x-secrets-token": "canary-token",
      "content-type": "application/json",
      "accept-encoding": "gzip",
    });
    expect((await send(target, get)).body).toEqual({ zipped: true });
  });

  test("keeps the base path of the address and accepts an empty response, which needs no content-encoding", async () => {
    const target = await serve((_, response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
    expect(await send(connection(`${target.server.address}/base/`), post)).toMatchObject({ status: 204, body: undefined });
    expect(seen[0]?.url).toBe("/base/v1/thing");
  });

  test("reuses its sockets", async () => {
    const sockets = new Set<Socket>();
    const target = await serve((request, response) => {
      sockets.add(request.socket);
      ok(response);
    });
    for (let count = 0; count < 20; count++) await send(target, get);
    // The pool may open a second one before the first is returned.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

/** The operation of a run with other properties of its engine. */
const withEngine = (target: Operation, engine: Partial<Operation["run"]["engine"]>): Operation => ({
  ...target,
  run: { ...target.run, engine: { ...target.run.engine, ...engine } },
});

describe("a wait before a retry", () => {
  test("ends without a retry once the user cancels the run", async () => {
    const controller = new AbortController();
    const target = await serve((_, response) => {
      response.writeHead(429, { "retry-after": "60" }).end();
      setTimeout(() => controller.abort(), 50);
    });
    limits.deadline = 120_000;
    const begin = Date.now();
    expect(await failure(send(withEngine(target, { canceled: controller.signal }), get))).toMatchObject({ code: "ERR_RATE_LIMITED" });
    expect([Date.now() - begin < 30_000, seen.length]).toEqual([true, 1]);
  });

  test("of a request that is not idempotent sends nothing if Pulumi ends in it", async () => {
    const target = await serve((_, response) => response.writeHead(429).end());
    const assertAlive = () => Promise.reject(new StewardError({ code: "ERR_ENGINE_GONE", reason: "gone" }));
    const error = await failure(send(withEngine(target, { assertAlive }), { ...post, retry: "only429" }));
    expect(error).toMatchObject({ code: "ERR_ENGINE_GONE" });
    expect(seen).toHaveLength(1);
  });
});

describe("retry class idempotent", () => {
  test("retries after 503 and 429, not before Retry-After", async () => {
    const times: number[] = [];
    const target = await serve((_, response, count) => {
      times.push(Date.now());
      if (count === 1) response.writeHead(503, { "retry-after": "0.3" }).end();
      else if (count === 2) response.writeHead(429, { "retry-after": new Date(Date.now() - 1000).toUTCString() }).end();
      else ok(response);
    });
    expect((await send(target, post)).status).toBe(200);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(290);
    expect(seen).toHaveLength(3);
  });

  test("waits at least the initial backoff if Retry-After is zero or negative", async () => {
    limits.deadline = 2_000;
    limits.initialBackoff = 50;
    for (const header of ["0", "-5"]) {
      const times: number[] = [];
      const target = await serve((_, response) => {
        times.push(Date.now());
        response.writeHead(429, { "retry-after": header }).end();
      });
      await failure(send(target, get));
      expect(times.length).toBeGreaterThanOrEqual(2);
      // A wait is at least half of the backoff. Timers may end a millisecond early.
      for (const [index, time] of times.slice(1).entries()) expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(24);
    }
  });

  test("ends a slow response at the deadline", async () => {
    limits.deadline = 500;
    const target = await serve((_, response) => {
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
    });
    const begin = Date.now();
    expect(await failure(send(target, get))).toEqual(refusal("ERR_NO_RESPONSE", { rule: "too-late" }));
    expect(Date.now() - begin).toBeLessThan(5_000);
  });

  test("gives up after its retries or at its deadline", async () => {
    const target = await serve((_, response) => response.writeHead(503).end('{"errors":["sealed"]}'));
    expect(await failure(send(target, get))).toMatchObject({
      code: "ERR_UNAVAILABLE",
      details: { reason: "sealed", method: "GET", path: "/v1/thing", status: 503 },
    });
    expect(seen).toHaveLength(1 + limits.maxRetries);
    const patient = await serve((_, response) => response.writeHead(429, { "retry-after": "3600" }).end());
    seen.splice(0);
    expect(await failure(send(patient, get))).toMatchObject({ code: "ERR_RATE_LIMITED", status: 429 });
    expect(seen).toHaveLength(1);
  });

  test.each([400, 401, 403, 404, 500, 502, 504])("does not retry after %d", async (status) => {
    const target = await serve((_, response) => response.writeHead(status).end());
    await failure(send(target, get));
    expect(seen).toHaveLength(1);
  });
});

/** The responses of nodes of a Vault cluster that cannot reach the active node. */
const standby: Answer = ({ url }, response) => response.writeHead(307, { location: `http://active.invalid:8200${url}` }).end();
const election: Answer = (_, response) =>
  response.writeHead(500).end('{"errors":["local node not active but active cluster node not found"]}');

describe.each([
  { retry: "idempotent", after: ["broken", "standby", "election", 429, 503] },
  { retry: "exceptOn5xx", after: ["broken", "standby", "election", 429] },
  { retry: "only429", after: [429] },
  { retry: "never", after: [] },
] as const)("retry class $retry", ({ retry, after }) => {
  const failures = {
    broken: ["ERR_NO_RESPONSE", true],
    standby: ["ERR_REDIRECTED", true],
    election: ["ERR_SERVER", true],
    429: ["ERR_RATE_LIMITED", false],
    503: ["ERR_UNAVAILABLE", false],
  } as const;

  test.each(["broken", "standby", "election", 429, 503] as const)("retries, or fails at once, after %s", async (failed) => {
    const target = await serve((request, response, count) => {
      if (count > 1) ok(response);
      else if (failed === "broken") request.socket.destroy();
      else if (failed === "standby") standby(request, response, count);
      else if (failed === "election") election(request, response, count);
      else response.writeHead(failed, { "retry-after": "0" }).end();
    });
    const isRetried = (after as readonly unknown[]).includes(failed);
    const [code, outcomeUnknown] = failures[failed];
    if (isRetried) expect((await send(target, { ...post, retry })).status).toBe(200);
    else expect(await failure(send(target, { ...post, retry }))).toMatchObject({ code, details: { outcomeUnknown } });
    expect(seen).toHaveLength(isRetried ? 2 : 1);
  });
});

describe("a cluster", () => {
  test.each([
    ["standby", standby],
    ["election", election],
  ])("is asked until the deadline: %s", async (_, answer) => {
    const target = await serve((request, response, count) =>
      count > 2 * limits.maxRetries ? ok(response) : answer(request, response, count),
    );
    expect((await send(target, get)).status).toBe(200);
    // The first wait would be longer than the deadline.
    limits.initialBackoff = 2 * limits.deadline;
    const never = await serve(answer);
    expect(await failure(send(never, get))).toMatchObject({ details: { rule: "inactive-node" } });
  });

  test("behind a balancer of connections is reached over a new connection", async () => {
    limits.deadline = 5_000;
    const sockets = new Set<Socket>();
    // The first two connections lead to a standby.
    const target = await serve((request, response, count) => {
      sockets.add(request.socket);
      if ([...sockets].indexOf(request.socket) < 2) standby(request, response, count);
      else ok(response);
    });
    expect((await send(target, get)).status).toBe(200);
    expect(sockets.size).toBe(3);
  });
});

describe("a 429 without Retry-After", () => {
  test.each(["idempotent", "exceptOn5xx", "only429"] as const)("is retried until the deadline: %s", async (retry) => {
    Object.assign(limits, { initialBackoff: 1, deadline: 10_000 });
    // The waits double only as often as the maximum number of retries: the last of 20 would take minutes.
    const patient = await serve((_, response, count) => (count <= 20 ? response.writeHead(429).end() : ok(response)));
    expect((await send(patient, { ...post, retry })).status).toBe(200);
    // Waits of 1 s and 2 s: the second passes the deadline, and no attempt is in progress then.
    Object.assign(limits, { initialBackoff: 2_000, deadline: 2_950 });
    jest.spyOn(Math, "random").mockReturnValue(0);
    const limited = await serve((_, response) => response.writeHead(429).end());
    expect(await failure(send(limited, { ...post, retry }))).toMatchObject({ code: "ERR_RATE_LIMITED" });
    jest.restoreAllMocks();
    expect(seen).toHaveLength(21 + 2);
  });
});

describe("the options of a single request", () => {
  test("its signal aborts it during a response", async () => {
    const controller = new AbortController();
    const target = await serve(() => controller.abort());
    const write: Request = { ...post, signal: controller.signal };
    expect(await failure(send(target, write))).toMatchObject({ code: "ERR_ABORTED", details: { outcomeUnknown: true } });
    expect(seen).toHaveLength(1);
  });

  test("its own limits replace the shared ones", async () => {
    Object.assign(limits, { idleTimeout: 100, deadline: 100, bodyBytes: 10 });
    const target = await serve((_, response) => setTimeout(() => ok(response), 2_000));
    const patient = { idleTimeout: 10_000, deadline: 10_000, bodyBytes: 1_000 };
    expect((await send(target, { ...get, limits: patient })).body).toEqual({ fine: true });
    expect(await failure(send(target, { ...get, retry: "never" }))).toMatchObject({ code: "ERR_NO_RESPONSE" });
  });
});
