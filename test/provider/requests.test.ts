import { Sandbox, start } from "../../sandbox/index";
import { Engine } from "../engine";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await start();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const engine = (token: string): Engine =>
  new Engine(token, { "steward:default": { secrets: { address: sandbox.secrets.url, token: sandbox.secrets.token } } });

/** The requests that an operation sends, sorted: the order of parallel ones means nothing. */
async function requests(operation: () => Promise<unknown>): Promise<string[]> {
  const before = sandbox.requests().length;
  await operation();
  return sandbox
    .requests()
    .slice(before)
    .map(({ method, path }) => `${method} ${path.replace("/v1/scheduler/", "")}`)
    .sort();
}

const access = { address: "http://127.0.0.1:4646", token: "t" };
test.each([
  {
    token: "secrets:SchedulerAccess",
    inputs: access,
    changed: { ...access, token: "other" },
    path: "config/access",
    create: ["GET", "POST"],
    // Without a DELETE in the API, a blank configuration is written.
    remove: ["POST"],
  },
  {
    token: "secrets:SchedulerLease",
    inputs: { ttl: "1h" },
    changed: { ttl: "2h" },
    path: "config/lease",
    create: ["GET", "POST"],
    remove: ["DELETE"],
  },
  {
    token: "secrets:SchedulerRole",
    inputs: { name: "web", policies: ["a"] },
    changed: { name: "web", policies: ["b"] },
    path: "role/web",
    create: ["GET", "POST"],
    remove: ["DELETE"],
  },
])("$token sends what it must and nothing else", async ({ token, inputs, changed, path, create, remove }) => {
  const resource = engine(token);
  const at = (methods: string[]): string[] => methods.map((method) => `${method} ${path}`);
  expect(await requests(() => resource.preview(inputs))).toEqual([]);
  expect(await requests(() => resource.up(inputs))).toEqual(at(create));
  expect(await requests(() => resource.up(inputs))).toEqual([]);
  expect(await requests(() => resource.preview(changed))).toEqual([]);
  expect(await requests(() => resource.up(changed))).toEqual(at(["POST"]));
  expect(await requests(() => resource.refresh())).toEqual(at(["GET"]));
  expect(await requests(() => resource.destroy())).toEqual(at(remove));
});

test("adopting reads nothing first", async () => {
  const role = engine("secrets:SchedulerRole");
  expect(await requests(() => role.up({ name: "web", adopt: true }))).toEqual(["POST role/web"]);
});

test("secrets:SchedulerRoles lists once and writes what changed", async () => {
  const roles = engine("secrets:SchedulerRoles");
  const [a, b] = [{ policies: ["a"] }, { policies: ["b"] }];
  const list = "GET role?list=true";
  expect(await requests(() => roles.preview({ roles: { one: a, two: a } }))).toEqual([]);
  expect(await requests(() => roles.up({ roles: { one: a, two: a } }))).toEqual([list, "POST role/one", "POST role/two"]);
  expect(await requests(() => roles.up({ roles: { two: a, one: a } }))).toEqual([]);
  expect(await requests(() => roles.refresh())).toEqual(["GET role/one", "GET role/two", list]);
  expect(await requests(() => roles.up({ roles: { one: b, two: a } }))).toEqual(["POST role/one"]);
  expect(await requests(() => roles.up({ roles: { one: b, three: b } }))).toEqual(["DELETE role/two", list, "POST role/three"]);
  expect(await requests(() => roles.destroy())).toEqual(["DELETE role/one", "DELETE role/three"]);
});
