import { clearCache } from "../../provider/engine/dynamic-runtime";
import { onEachDialect } from "../sandbox/sandbox";
import { configOf } from "../support/context";
import { Engine } from "../support/engine";
import { sentBy } from "../support/sandbox";

// Requests that test/provider/cases.test.ts does not count: creations of several resources in one run, of existing objects, and adoption.

const list = "GET role?list=true";

onEachDialect("the requests", ({ dialect, engine: mount, sandbox }) => {
  const engine = (token: string): Engine => new Engine(token, configOf({ sandbox: sandbox(), dialect }));

  /** The requests of an operation, sorted: the order of parallel requests is not significant. */
  const requests = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await sentBy(sandbox(), operation)).sent.map((request) => request.replace(`/v1/${mount}/`, "")).sort();

  const create = (...names: string[]): Promise<unknown> => {
    clearCache();
    return Promise.all(names.map((name) => engine("secrets:SchedulerRole").up({ name, policies: ["a"] }, { remembers: true })));
  };

  test("creations in one run read and write each role once", async () => {
    const names = ["a", "b", "c", "d"];
    const each = names.flatMap((name) => [`GET role/${name}`, `POST role/${name}`]);
    expect(await requests(() => create(...names))).toEqual(each.sort());
  });

  test("the creation of an existing role reads once and writes nothing", async () => {
    await create("web");
    const refused = expect.objectContaining({ code: "ERR_ALREADY_EXISTS" });
    const again = (): Promise<void> =>
      expect(engine("secrets:SchedulerRole").up({ name: "web", policies: ["b"] })).rejects.toEqual(refused);
    expect(await requests(again)).toEqual(["GET role/web"]);
  });

  test("a set reads each role that it adopts a second time", async () => {
    await create("one", "two");
    const roles = engine("secrets:SchedulerRoles");
    const [a, b] = [{ policies: ["a"] }, { policies: ["b"] }];
    expect(await requests(() => roles.up({ roles: { one: b, three: a }, adopt: true }))).toEqual([
      "GET role/one",
      list,
      "POST role/one",
      "POST role/three",
    ]);
    expect(await requests(() => roles.up({ roles: { one: b, two: b, three: a, four: a }, adopt: true }))).toEqual([
      "GET role/two",
      list,
      "POST role/four",
      "POST role/two",
    ]);
  });
});
