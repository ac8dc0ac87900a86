import { onEachDialect } from "../sandbox/sandbox";
import { configOf } from "../support/context";
import { Engine } from "../support/engine";
import { sentBy } from "../support/sandbox";

// Requests that test/provider/cases.test.ts does not count: those of an adoption.

const list = "GET role?list=true";

onEachDialect("the requests", ({ dialect, engine: mount, sandbox }) => {
  const engine = (token: string): Engine => new Engine(token, configOf({ sandbox: sandbox(), dialect }));

  /** The requests of an operation, sorted: the order of parallel requests is not significant. */
  const requests = async (operation: () => Promise<unknown>): Promise<string[]> =>
    (await sentBy(sandbox(), operation)).sent.map((request) => request.replace(`/v1/${mount}/`, "")).sort();

  test("a set reads each role that it adopts a second time", async () => {
    for (const name of ["one", "two"]) await engine("secrets:SchedulerRole").up({ name, policies: ["a"] });
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
