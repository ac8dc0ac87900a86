import { type Sandbox, start } from "../../sandbox/index";
import { call, raw, rawList } from "../support/call";

let sandbox: Sandbox;
const role = "/v1/scheduler/role/web";
const write = { policies: "a" };

beforeAll(async () => {
  sandbox = await start();
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

async function exists(): Promise<boolean> {
  return (await call(sandbox.secrets, "GET", role)).status === 200;
}

test.each([
  ["refuse", false],
  ["drop-before", false],
  ["drop-after", true],
] as const)("%s loses the connection, and the write was applied: %s", async (action, applied) => {
  sandbox.faults.add({ system: "secrets", method: "POST", path: role, action });
  await expect(call(sandbox.secrets, "POST", role, write)).rejects.toThrow();
  expect(sandbox.requests()).toMatchObject([{ method: "POST", status: 0 }]);
  expect(await exists()).toBe(applied);
});

test("truncate applies the request and truncates the response", async () => {
  await call(sandbox.secrets, "POST", role, write);
  sandbox.faults.add({ system: "secrets", method: "GET", path: role, action: "truncate" });
  const response = await fetch(`${sandbox.secrets.url}${role}`, { headers: { "x-secrets-token": sandbox.secrets.token } });
  expect(response.status).toBe(200);
  const promised = Number(response.headers.get("content-length"));
  await expect(response.text()).rejects.toThrow();
  sandbox.faults.add({ system: "secrets", method: "GET", path: role, action: "truncate" });
  const received = await raw(sandbox.secrets, `GET ${role} HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${sandbox.secrets.token}\r\n\r\n`);
  expect(received.split("\r\n\r\n")[1]).toHaveLength(promised >> 1);
});

test("delay waits and then processes the request", async () => {
  sandbox.faults.add({ system: "secrets", path: role, action: "delay", delayMs: 50 });
  const before = performance.now();
  expect((await call(sandbox.secrets, "POST", role, write)).status).toBe(204);
  expect(performance.now() - before).toBeGreaterThan(40);
  expect(await exists()).toBe(true);
});

test("respond replaces the response, and nothing is applied", async () => {
  sandbox.faults.add({ system: "secrets", path: role, action: "respond", status: 429, body: "slow", headers: { "retry-after": "2" } });
  const answer = await call(sandbox.secrets, "POST", role, write);
  expect([answer.status, answer.text, answer.headers.get("retry-after")]).toEqual([429, "slow", "2"]);
  expect(await exists()).toBe(false);
  sandbox.faults.add({ system: "secrets", path: role, action: "respond" });
  expect((await call(sandbox.secrets, "GET", role)).status).toBe(500);
  sandbox.faults.add({ system: "secrets", path: role, action: "respond", status: 204, body: "" });
  expect((await call(sandbox.secrets, "GET", role)).status).toBe(204);
});

test("redirect responds with another address", async () => {
  sandbox.faults.add({ system: "secrets", path: role, action: "redirect", headers: { location: sandbox.platform.url } });
  const answer = await call(sandbox.secrets, "POST", role, write);
  expect([answer.status, answer.headers.get("location")]).toEqual([307, sandbox.platform.url]);
  expect(await exists()).toBe(false);
});

test("huge exceeds every limit, and a client may disconnect in the middle", async () => {
  sandbox.faults.add({ system: "secrets", path: role, action: "huge", times: 2 });
  const response = await fetch(`${sandbox.secrets.url}${role}`);
  let length = 0;
  for await (const chunk of response.body!) length += chunk.length;
  expect(length).toBeGreaterThan(49_000_000);
  const controller = new AbortController();
  const left = await fetch(`${sandbox.secrets.url}${role}`, { signal: controller.signal });
  controller.abort();
  await expect(left.text()).rejects.toThrow();
});

test("nth counts matching requests since the fault was added, and times limits its uses", async () => {
  await call(sandbox.secrets, "GET", role);
  sandbox.faults.add({ system: "secrets", method: "get", path: role, nth: 2, times: 2, action: "respond", status: 503 });
  const statuses: number[] = [];
  for (const method of ["GET", "DELETE", "GET", "GET", "GET"]) statuses.push((await call(sandbox.secrets, method, role)).status);
  expect(statuses).toEqual([404, 204, 503, 503, 404]);
});

test("faults apply per system and path, the next one applies after one is used up, and clear removes all", async () => {
  const { secrets, scheduler, faults } = sandbox;
  faults.add({ system: "scheduler", path: /.*/, action: "respond", status: 599 });
  faults.add({ system: "secrets", path: /role\/web$/g, action: "respond", status: 500 });
  faults.add({ system: "secrets", path: `${role}`, nth: 2, action: "respond", status: 501 });
  expect((await call(secrets, "GET", "/v1/scheduler/role/other")).status).toBe(404);
  expect((await call(secrets, "GET", role)).status).toBe(500);
  expect((await call(secrets, "GET", `${role}?x=1`)).status).toBe(501);
  faults.add({ system: "secrets", path: role, action: "refuse" });
  faults.clear();
  expect((await call(secrets, "GET", role)).status).toBe(404);
  expect((await call(scheduler, "GET", "/v1/jobs")).status).toBe(200);
});

test("faults apply to the method LIST", async () => {
  await call(sandbox.secrets, "POST", role, write);
  const list = rawList("/v1/scheduler/role", sandbox.secrets.token);
  sandbox.faults.add({ system: "secrets", method: "LIST", path: "/v1/scheduler/role", action: "drop-after" });
  expect(await raw(sandbox.secrets, list)).toBe("");
  sandbox.faults.add({ system: "secrets", method: "LIST", path: "/v1/scheduler/role", action: "respond", status: 503, body: "no" });
  expect(await raw(sandbox.secrets, list)).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\n\r\nno$/);
});

test("a raw response to LIST or to a truncated request has the Date of the sandbox's clock", async () => {
  await call(sandbox.secrets, "POST", role, write);
  sandbox.clock.advance(3_600_000);
  sandbox.faults.add({ system: "secrets", method: "GET", path: role, action: "truncate" });
  for (const request of [
    rawList("/v1/scheduler/role", sandbox.secrets.token),
    `GET ${role} HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${sandbox.secrets.token}\r\n\r\n`,
  ]) {
    const received = await raw(sandbox.secrets, request);
    expect(received).toMatch(/^HTTP\/1.1 200 /);
    const [, date = ""] = /^date: (.*)$/im.exec(received) ?? [];
    expect(Date.parse(date) - Date.now()).toBeGreaterThan(3_590_000);
  }
});

test.each([
  [{ action: "explode" }, /action/],
  [{ action: "refuse", nth: 0 }, /nth/],
  [{ action: "refuse", times: 0 }, /times/],
  [{ action: "redirect" }, /location/],
  [{ action: "delay" }, /delayMs/],
])("rejects the fault %j", (fault, message) => {
  expect(() => sandbox.faults.add({ system: "secrets", path: role, ...fault } as never)).toThrow(message);
});
