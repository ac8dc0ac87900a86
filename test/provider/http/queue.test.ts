import { ServerResponse } from "node:http";
import { Operation } from "../../../provider/contract/operation";
import { Response, send } from "../../../provider/http";
import { Engine } from "../../support/engine";
import { limits } from "../../support/limits";
import { failure } from "../../support/refusal";
import { until } from "../../support/until";
import { get, ok, post, seen, serve } from "./exchange";

const later = (milliseconds: number, answer: () => void): unknown => setTimeout(answer, milliseconds);

/** Roles of a server that delays each response, with four sockets. */
async function slowRoles(delay: number): Promise<{ engine: Engine; roles: Record<string, object> }> {
  limits.maxConcurrentRequests = 4;
  const names = new Set<string>();
  const target = await serve(({ method, url }, response) => {
    const name = url?.match(/role\/(\w+)$/)?.[1];
    if (name && method === "POST") names.add(name);
    if (name && method === "DELETE") names.delete(name);
    const data = name ? { policies: ["p"], global: false, type: "client" } : { keys: [...names] };
    later(delay, () => response.end(method === "GET" ? JSON.stringify({ data }) : undefined));
  });
  // The HTTP client is loaded with the first request.
  await send(target, get);
  const roles = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`r${index}`, { policies: ["p"] }]));
  const engine = new Engine("secrets:SchedulerRoles", {
    "steward:default": { secrets: { address: target.server.address, token: "token", dialect: "standard" } },
  });
  return { engine, roles };
}

describe("requests beyond the connection limit of a server", () => {
  test("wait without a running deadline, so a large set on a slow server is written, read and deleted", async () => {
    const { engine, roles } = await slowRoles(85);
    // Less than the 100 requests take on four sockets, and enough for one of them on a busy machine.
    limits.deadline = 2_000;
    const begin = Date.now();
    expect(await engine.up({ roles })).toBe("create");
    expect(Date.now() - begin).toBeGreaterThan(limits.deadline);
    expect(await engine.refresh()).toEqual([]);
    await engine.destroy();
    expect(engine.state).toBeUndefined();
  });

  test("report the progress of a large set, and nothing for a small one", async () => {
    const log = jest.spyOn(console, "log").mockImplementation(() => {});
    try {
      const { engine, roles } = await slowRoles(50);
      await engine.up({ roles: { r0: { policies: ["p"] } } });
      expect(log).not.toHaveBeenCalled();
      limits.progressInterval = 200;
      await engine.up({ roles });
      await engine.refresh();
      const lines = log.mock.calls.flat().map(String);
      expect(lines).toContainEqual(expect.stringMatching(/^scheduler roles at mount "scheduler": \d+ of 99 written or deleted$/));
      expect(lines).toContainEqual(expect.stringMatching(/^scheduler roles at mount "scheduler": \d+ of 100 read$/));
    } finally {
      log.mockRestore();
    }
  });

  test("are sent in order, on the first free socket", async () => {
    limits.maxConcurrentRequests = 2;
    let open = 0;
    let most = 0;
    const target = await serve((_, response) => {
      most = Math.max(most, ++open);
      later(20, () => {
        open--;
        ok(response);
      });
    });
    await Promise.all(Array.from({ length: 10 }, (_, index) => send(target, { ...get, path: `/v1/${index}` })));
    expect(most).toBe(2);
    expect(seen.map(({ url }) => Number(url?.slice(4)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("end at once when their signal aborts, and nothing was sent", async () => {
    limits.maxConcurrentRequests = 1;
    const responses: ServerResponse[] = [];
    const target = await serve((_, response) => responses.push(response));
    const first = send(target, get);
    const controller = new AbortController();
    const second = send(target, { ...post, signal: controller.signal });
    const third = send(target, { ...get, path: "/v1/third" });
    controller.abort();
    expect(await failure(second)).toMatchObject({ code: "ERR_ABORTED", details: { outcomeUnknown: false, nothingSent: true } });
    await until("the first request", () => responses.length === 1);
    ok(responses[0] as ServerResponse);
    await first;
    await until("the third request", () => responses.length === 2);
    ok(responses[1] as ServerResponse);
    await third;
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /v1/thing", "GET /v1/third"]);
  });

  test("are sent while another request waits for its retry", async () => {
    Object.assign(limits, { maxConcurrentRequests: 1, initialBackoff: 500 });
    const target = await serve(({ url }, response, count) => {
      if (url === "/v1/thing" && count === 1) response.writeHead(503).end();
      else ok(response);
    });
    await Promise.all([send(target, get), send(target, { ...get, path: "/v1/other" })]);
    expect(seen.map(({ url }) => url)).toEqual(["/v1/thing", "/v1/other", "/v1/thing"]);
  });
});

describe("requests to a server that limits their rate", () => {
  const all = (target: Operation, count: number): Promise<Response>[] =>
    Array.from({ length: count }, (_, index) => send(target, { ...get, path: `/v1/${index}` }));
  const timesSent = (path: string): number => seen.filter(({ url }) => url === path).length;

  test("keep their sockets after a 429, so the waiting ones are not rejected as well", async () => {
    limits.maxConcurrentRequests = 4;
    const target = await serve((_, response, count) => (count <= 40 ? response.writeHead(429).end() : ok(response)));
    await Promise.all(all(target, 20));
    expect(new Set(seen.slice(0, 40).map(({ url }) => url)).size).toBe(4);
    expect(seen).toHaveLength(40 + 20);
  });

  test("do not time out while it serves some of them", async () => {
    Object.assign(limits, { maxConcurrentRequests: 4, deadline: 1_000 });
    let next = 0;
    const target = await serve((_, response) => {
      if (Date.now() < next) return response.writeHead(429).end();
      next = Date.now() + 100;
      return ok(response);
    });
    const begin = Date.now();
    await Promise.all(all(target, 25));
    expect(Date.now() - begin).toBeGreaterThan(limits.deadline);
  });

  test("do not time out while it rejects one of them slowly, and serves others", async () => {
    limits.deadline = 1_000;
    const target = await serve(({ url }, response) => {
      if (url === "/v1/slow" && timesSent("/v1/slow") <= 8)
        return later(150, () => response.writeHead(429, { "retry-after": "0.15" }).end());
      return ok(response);
    });
    let isDone = false;
    const slow = send(target, { ...get, path: "/v1/slow" }).finally(() => {
      isDone = true;
    });
    const others = (async () => {
      while (!isDone) await send(target, get);
    })();
    expect((await slow).status).toBe(200);
    await others;
  });

  test("fail once it has rejected all of them until the deadline, and later ones are retried again", async () => {
    Object.assign(limits, { maxConcurrentRequests: 4, deadline: 500 });
    let isLimited = true;
    const target = await serve((_, response) => (isLimited ? response.writeHead(429).end() : ok(response)));
    for (const outcome of await Promise.all(all(target, 20).map(failure))) expect(outcome).toMatchObject({ code: "ERR_RATE_LIMITED" });
    expect(timesSent("/v1/19")).toBeLessThan(timesSent("/v1/0"));
    const later = send(target, get);
    await until("a retry", () => timesSent("/v1/thing") > 1);
    isLimited = false;
    expect((await later).status).toBe(200);
  });
});
