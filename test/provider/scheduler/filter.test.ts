import { scheduler } from "../../../provider";
import { collect } from "../../support/scheduler";
import { answerList, closeAll, failure, serve } from "./server";

const { filter } = scheduler;
afterEach(closeAll);

test("prints every form of the grammar", () => {
  const status = filter("Status");
  expect(
    [
      status.equals("running"),
      filter("Priority").notEquals(50),
      filter("Stop").equals(false),
      filter("ParentID").isEmpty(),
      filter("Meta").isNotEmpty(),
      filter("Datacenters").contains("dc1"),
      filter("Datacenters").notContains("dc1"),
      filter("Datacenters").includes("dc1"),
      filter("Datacenters").notIncludes("dc1"),
      filter("Name").matches("^web-[0-9]+$"),
      filter("Name").notMatches("x"),
    ].map(String),
  ).toEqual([
    'Status == "running"',
    'Priority != "50"',
    'Stop == "false"',
    "ParentID is empty",
    "Meta is not empty",
    'Datacenters contains "dc1"',
    'Datacenters not contains "dc1"',
    '"dc1" in Datacenters',
    '"dc1" not in Datacenters',
    'Name matches "^web-[0-9]+$"',
    'Name not matches "x"',
  ]);
});

test.each([
  [["Meta", "team"], 'Meta.team == ""'],
  [["Meta", "team.name"], 'Meta["team.name"] == ""'],
  [["TaskGroups", "0", "Name"], 'TaskGroups["0"].Name == ""'],
  [["Meta", 'say "x"'], 'Meta[`say "x"`] == ""'],
  [["Meta", "in"], 'Meta["in"] == ""'],
  [["Meta", ""], 'Meta[""] == ""'],
])("prints the path %j", (path, text) => {
  expect(`${filter(...path).equals("")}`).toBe(text);
});

test.each([
  ["a-b c", '"a-b c"'],
  ["tick`", '"tick`"'],
  ['say "x"', '`say "x"`'],
  ["c:\\new", "`c:\\new`"],
  ["two\nlines", "`two\nlines`"],
  ['both " and `', '"both \\x22 and `"'],
  ["\\ and ` and \r\n", '"\\\\ and ` and \\r\\n"'],
  // Between double quotes these would be the path of another field.
  ["/a", "`/a`"],
  ["/`", '"\\x2f`"'],
])("prints the value %j", (value, quoted) => {
  expect(`${filter("Name").equals(value)}`).toBe(`Name == ${quoted}`);
});

test("keeps the precedence of combined filters", () => {
  const [a, b, c] = ["A", "B", "C"].map((name) => filter(name).equals("1")) as [scheduler.Filter, scheduler.Filter, scheduler.Filter];
  expect(`${a.or(b).and(c)}`).toBe('(A == "1" or B == "1") and C == "1"');
  expect(`${a.and(b.or(c))}`).toBe('A == "1" and (B == "1" or C == "1")');
  expect(`${a.or(b.and(c))}`).toBe('A == "1" or B == "1" and C == "1"');
  expect(`${a.and(b).not().or(c)}`).toBe('not (A == "1" and B == "1") or C == "1"');
  expect(`${a.not().not()}`).toBe('not (not (A == "1"))');
  const foreign = { and: () => a, or: () => a, not: () => a, toString: () => "X or Y" };
  expect(`${a.and(foreign)}`).toBe('A == "1" and (X or Y)');
});

test("rejects an invalid path, value or filter", () => {
  const wrong = [
    () => filter(),
    () => filter("Meta.team"),
    () => filter("not"),
    () => filter("Priority").equals(Number.NaN),
    () => filter("Name").equals({ value: 1 } as never),
    () =>
      filter("A")
        .equals(1)
        .and("B == 1" as never),
  ];
  for (const each of wrong) expect(each).toThrow(/^Cannot make a filter: /);
});

describe("a filter that is not sent", () => {
  const { listJobs, listDeployments, listNodes } = scheduler;
  const refused = async (list: AsyncIterable<unknown>): Promise<string> => {
    const seen = await serve((_, response) => answerList(response, []));
    const { code, message } = await failure(collect(list));
    expect([code, seen.length]).toEqual(["ERR_INVALID_INPUT", 0]);
    return message;
  };

  test.each([
    ["Stop", () => listJobs({ filter: filter("Stop").isEmpty() })],
    ["Priority", () => listJobs({ filter: 'Name == "a" and (Priority is  not empty)' })],
    ["Priority", () => listJobs({ filter: '(Name == "a")and not(Priority is empty)' })],
    ["Periodic", () => listJobs({ filter: filter("ID").equals("a").or(filter("Periodic").isNotEmpty().not()) })],
    ["JobVersion", () => listDeployments({ filter: "JobVersion is empty" })],
    ["DrainStrategy", () => listNodes({ filter: filter("DrainStrategy").isEmpty() })],
  ])("if it asks whether %s is empty", async (field, list) => {
    expect(await refused(list())).toContain(
      `filter: asks whether ${field} is empty, which is neither a string, a list nor a map; compare it with a value instead`,
    );
  });

  test("if it is not a filter, or comes with an unknown option", async () => {
    expect(await refused(listJobs({ filter: " " }))).toContain("filter: must not be empty");
    expect(await refused(listJobs({ filter: 5 as never }))).toContain("filter: must be a text, or made by scheduler.filter()");
    expect(await refused(listJobs({ filter: {} as never }))).toContain("filter: must be a text, or made by scheduler.filter()");
    const both = { filter: "a", prefix: "b" } as never;
    expect(await refused(listJobs(both))).toBe(
      'Cannot list jobs: "prefix" is not known here; known are connection, namespace, region, stale, filter, pageSize, reverse, signal.',
    );
  });

  test("and no other filter is rejected", async () => {
    const fine = [
      'Name == "Stop is empty"',
      "Meta.Stop is empty",
      'Meta["Stop"] is empty',
      "Name == `Stop is empty`",
      "Constraints is empty",
      'not(Name == "Stop is empty")and(Meta["Stop"]is empty)',
    ];
    const seen = await serve((_, response) => answerList(response, []));
    for (const each of fine) await collect(listJobs({ filter: each }));
    expect(seen.map(({ query }) => query.filter)).toEqual(fine);
  });
});

test("a broken connection is not retried if the filter asks whether a field is empty", async () => {
  const seen = await serve(({ request }) => request.socket.destroy());
  const { code, message } = await failure(collect(scheduler.listJobs({ filter: "Periodic.Enabled is empty" })));
  expect([code, seen.length]).toEqual(["ERR_NO_RESPONSE", 1]);
  expect(message).toContain("when a filter asks whether a number, a bool or an object is empty. The filter was: Periodic.Enabled is empty");
});

test("an error contains the server's reason, the filter and the field of the full record", async () => {
  const reason =
    'failed to read result page: error finding value in datum: /Address at part 0: couldn\'t find key: struct field with name "Address"';
  await serve((_, response) => response.writeHead(400, { "content-type": "text/plain" }).end(reason));
  const { message, code, status } = await failure(collect(scheduler.listNodes({ filter: filter("Address").equals("10.0.0.1") })));
  expect([code, status]).toEqual(["ERR_REJECTED", 400]);
  expect(message).toBe(
    `Cannot list nodes: ${reason} (GET /v1/nodes, 400). A filter sees the full record, not the stub that is listed. There \`Address\` is \`HTTPAddr\`. The filter was: Address == "10.0.0.1"`,
  );
});
