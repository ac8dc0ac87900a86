import { Sandbox, start } from "../../sandbox/index";
import { Engine } from "../engine";

const list = "GET role?list=true";
const listing = "GET /v1/sys/internal/specs/openapi";

// In the standard dialect a 404 proves nothing by itself: the evidence costs one read more, and the document of all paths is read once per process.
describe.each([
  { dialect: "hashicorp" as const, mount: "nomad", evidence: () => [] as string[] },
  { dialect: "standard" as const, mount: "scheduler", evidence: (...reads: string[]) => reads },
])("$dialect", ({ dialect, mount, evidence }) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());
  beforeEach(() => sandbox.reset());

  const engine = (token: string): Engine =>
    new Engine(token, { "steward:default": { secrets: { address: sandbox.secrets.url, token: sandbox.secrets.token, dialect } } });

  /** The requests that an operation sends, sorted: the order of parallel ones means nothing. */
  async function requests(operation: () => Promise<unknown>): Promise<string[]> {
    const before = sandbox.requests().length;
    await operation();
    return sandbox
      .requests()
      .slice(before)
      .map(({ method, path }) => `${method} ${path.replace(`/v1/${mount}/`, "")}`)
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
      remove: [dialect === "standard" ? "POST" : "DELETE"],
      absence: evidence(listing),
    },
    {
      token: "secrets:SchedulerLease",
      inputs: { ttl: "1h" },
      changed: { ttl: "2h" },
      path: "config/lease",
      create: ["GET", "POST"],
      remove: ["DELETE"],
      absence: evidence(listing),
    },
    {
      token: "secrets:SchedulerRole",
      inputs: { name: "web", policies: ["a"] },
      changed: { name: "web", policies: ["b"] },
      path: "role/web",
      create: ["GET", "POST"],
      remove: ["DELETE"],
      // The engine holds no role at all, so the list is a 404 as well.
      absence: evidence(list, listing),
    },
  ])("$token sends what it must and nothing else", async ({ token, inputs, changed, path, create, remove, absence }) => {
    const resource = engine(token);
    const at = (methods: string[]): string[] => methods.map((method) => `${method} ${path}`);
    expect(await requests(() => resource.preview(inputs))).toEqual([]);
    expect(await requests(() => resource.up(inputs))).toEqual([...at(create), ...absence].sort());
    expect(await requests(() => resource.up(inputs))).toEqual([]);
    expect(await requests(() => resource.preview(changed))).toEqual([]);
    expect(await requests(() => resource.up(changed))).toEqual(at(["POST"]));
    expect(await requests(() => resource.refresh())).toEqual(at(["GET"]));
    expect(await requests(() => resource.destroy())).toEqual(at(remove));
  });

  test("a role that is gone costs one read more where the 404 is no proof", async () => {
    const [role, other] = [engine("secrets:SchedulerRole"), engine("secrets:SchedulerRole")];
    await other.up({ name: "other", policies: ["a"] });
    expect(await requests(() => role.up({ name: "web", policies: ["a"] }))).toEqual(["GET role/web", ...evidence(list), "POST role/web"]);
    await other.destroy();
    await engine("secrets:SchedulerRole").up({ name: "third", policies: ["a"] });
    const header = dialect === "standard" ? "x-secrets-token" : "x-vault-token";
    const headers = { [header]: sandbox.secrets.token };
    await fetch(`${sandbox.secrets.url}/v1/${mount}/role/web`, { method: "DELETE", headers });
    expect(await requests(() => role.refresh())).toEqual(["GET role/web", ...evidence(list)]);
  });

  test("adopting reads nothing first", async () => {
    const role = engine("secrets:SchedulerRole");
    expect(await requests(() => role.up({ name: "web", policies: ["a"], adopt: true }))).toEqual(["POST role/web"]);
  });

  test("secrets:SchedulerRoles lists once and writes what changed", async () => {
    const roles = engine("secrets:SchedulerRoles");
    const [a, b] = [{ policies: ["a"] }, { policies: ["b"] }];
    expect(await requests(() => roles.preview({ roles: { one: a, two: a } }))).toEqual([]);
    expect(await requests(() => roles.up({ roles: { one: a, two: a } }))).toEqual([
      ...evidence(listing),
      list,
      "POST role/one",
      "POST role/two",
    ]);
    expect(await requests(() => roles.up({ roles: { two: a, one: a } }))).toEqual([]);
    expect(await requests(() => roles.refresh())).toEqual(["GET role/one", "GET role/two", list]);
    expect(await requests(() => roles.up({ roles: { one: b, two: a } }))).toEqual(["POST role/one"]);
    expect(await requests(() => roles.up({ roles: { one: b, three: b } }))).toEqual(["DELETE role/two", list, "POST role/three"]);
    expect(await requests(() => roles.destroy())).toEqual(["DELETE role/one", "DELETE role/three"]);
  });
});
