import { call, raw, rawList } from "../support/call";
import { freshSandbox } from "./sandbox";

const sandbox = freshSandbox({});
const role = "/v1/scheduler/role/web";
const send = (method: string, path = role) => call(sandbox().secrets, method, path, method === "POST" ? { policies: "a" } : undefined);
const exists = async (): Promise<boolean> => (await send("GET")).status === 200;
const add = (fault: object, path: string | RegExp = role): void => sandbox().faults.add({ system: "secrets", path, ...fault } as never);
const get = (): string => `GET ${role} HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${sandbox().secrets.token}\r\n\r\n`;
const list = (): string => rawList("/v1/scheduler/role", sandbox().secrets.token);

test.each([
  ["refuse", false],
  ["drop-before", false],
  ["drop-after", true],
] as const)("%s loses the connection, and the write was applied: %s", async (action, applied) => {
  add({ method: "POST", action });
  await expect(send("POST")).rejects.toThrow();
  expect(sandbox().requests()).toMatchObject([{ method: "POST", status: 0 }]);
  expect(await exists()).toBe(applied);
});

test("truncate applies the request and truncates the response", async () => {
  await send("POST");
  add({ method: "GET", action: "truncate" });
  const response = await fetch(`${sandbox().secrets.url}${role}`, { headers: { "x-secrets-token": sandbox().secrets.token } });
  expect(response.status).toBe(200);
  const promised = Number(response.headers.get("content-length"));
  await expect(response.text()).rejects.toThrow();
  add({ method: "GET", action: "truncate" });
  const received = await raw(sandbox().secrets, get());
  expect(received.split("\r\n\r\n")[1]).toHaveLength(promised >> 1);
});

test("delay waits and then processes the request", async () => {
  add({ action: "delay", delayMs: 50 });
  const before = performance.now();
  expect((await send("POST")).status).toBe(204);
  expect(performance.now() - before).toBeGreaterThan(40);
  expect(await exists()).toBe(true);
});

test("respond replaces the response, by default with 500, and nothing is applied", async () => {
  add({ action: "respond", status: 429, body: "slow", headers: { "retry-after": "2" } });
  const { status, text, headers } = await send("POST");
  expect([status, text, headers.get("retry-after"), await exists()]).toEqual([429, "slow", "2", false]);
  add({ action: "respond" });
  expect((await send("GET")).status).toBe(500);
  add({ action: "respond", status: 204, body: "" });
  expect((await send("GET")).status).toBe(204);
});

test("redirect responds with another address", async () => {
  add({ action: "redirect", headers: { location: sandbox().platform.url } });
  const answer = await send("POST");
  expect([answer.status, answer.headers.get("location")]).toEqual([307, sandbox().platform.url]);
  expect(await exists()).toBe(false);
});

test("huge exceeds every limit, and a client may disconnect in the middle", async () => {
  add({ action: "huge", times: 2 });
  const response = await fetch(`${sandbox().secrets.url}${role}`);
  let length = 0;
  for await (const chunk of response.body!) length += chunk.length;
  expect(length).toBeGreaterThan(49_000_000);
  const controller = new AbortController();
  const left = await fetch(`${sandbox().secrets.url}${role}`, { signal: controller.signal });
  controller.abort();
  await expect(left.text()).rejects.toThrow();
});

test("nth counts matching requests since the fault was added, and times limits its uses", async () => {
  await send("GET");
  add({ method: "get", nth: 2, times: 2, action: "respond", status: 503 });
  const statuses: number[] = [];
  for (const method of ["GET", "DELETE", "GET", "GET", "GET"]) statuses.push((await send(method)).status);
  expect(statuses).toEqual([404, 204, 503, 503, 404]);
});

test("faults apply per system and path, the next one applies after one is used up, and clear removes all", async () => {
  const { scheduler, faults } = sandbox();
  faults.add({ system: "scheduler", path: /.*/, action: "respond", status: 599 });
  add({ action: "respond", status: 500 }, /role\/web$/g);
  add({ nth: 2, action: "respond", status: 501 });
  for (const [path, status] of [
    ["/v1/scheduler/role/other", 404],
    [role, 500],
    [`${role}?x=1`, 501],
  ] as const)
    expect((await send("GET", path)).status).toBe(status);
  add({ action: "refuse" });
  faults.clear();
  expect((await send("GET")).status).toBe(404);
  expect((await call(scheduler, "GET", "/v1/jobs")).status).toBe(200);
});

test("faults apply to the method LIST, and a raw response has the Date of the sandbox's clock", async () => {
  await send("POST");
  add({ method: "LIST", action: "drop-after" }, "/v1/scheduler/role");
  expect(await raw(sandbox().secrets, list())).toBe("");
  add({ method: "LIST", action: "respond", status: 503, body: "no" }, "/v1/scheduler/role");
  expect(await raw(sandbox().secrets, list())).toMatch(/^HTTP\/1.1 503 [\s\S]*\r\n\r\nno$/);
  sandbox().clock.advance(3_600_000);
  add({ method: "GET", action: "truncate" });
  for (const request of [list(), get()]) {
    const received = await raw(sandbox().secrets, request);
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
  expect(() => add(fault)).toThrow(message);
});
