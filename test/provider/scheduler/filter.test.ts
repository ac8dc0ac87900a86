import { scheduler } from "../../../provider";
import { invalidInputs, refusal } from "../../support/refusal";
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
  const wrong = {
    path: [() => filter(), () => filter("Meta.team"), () => filter("not")],
    value: [() => filter("Priority").equals(Number.NaN), () => filter("Name").equals({ value: 1 } as never)],
    filter: [
      () =>
        filter("A")
          .equals(1)
          .and("B == 1" as never),
    ],
  };
  for (const [rule, each] of Object.entries(wrong)) for (const make of each) expect(make).toThrow(refusal("ERR_INVALID_INPUT", { rule }));
});

describe("a filter that is not sent", () => {
  const { listJobs, listDeployments, listNodes } = scheduler;
  const refused = async (list: AsyncIterable<unknown>): Promise<Error> => {
    const seen = await serve((_, response) => answerList(response, []));
    const error = await failure(collect(list));
    expect(seen).toEqual([]);
    return error;
  };

  test.each([
    ["Stop", () => listJobs({ filter: filter("Stop").isEmpty() })],
    ["Priority", () => listJobs({ filter: 'Name == "a" and (Priority is  not empty)' })],
    ["Priority", () => listJobs({ filter: '(Name == "a")and not(Priority is empty)' })],
    ["Periodic", () => listJobs({ filter: filter("ID").equals("a").or(filter("Periodic").isNotEmpty().not()) })],
    ["JobVersion", () => listDeployments({ filter: "JobVersion is empty" })],
    ["DrainStrategy", () => listNodes({ filter: filter("DrainStrategy").isEmpty() })],
  ])("if it asks whether %s is empty", async (field, list) => {
    const error = await refused(list());
    expect(error).toEqual(invalidInputs("filter: never-empty"));
    expect(error.message).toContain(field);
  });

  test("if it is not a filter, or comes with an unknown option", async () => {
    expect(await refused(listJobs({ filter: " " }))).toEqual(invalidInputs("filter: empty"));
    expect(await refused(listJobs({ filter: 5 as never }))).toEqual(invalidInputs("filter: filter"));
    expect(await refused(listJobs({ filter: {} as never }))).toEqual(invalidInputs("filter: filter"));
    const both = { filter: "a", prefix: "b" } as never;
    expect(await refused(listJobs(both))).toEqual(invalidInputs("unrecognized-keys"));
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
  expect(message).toContain("Periodic.Enabled is empty");
});

test("an error contains the server's reason, the filter and the field of the full record", async () => {
  const reason =
    'failed to read result page: error finding value in datum: /Address at part 0: couldn\'t find key: struct field with name "Address"';
  await serve((_, response) => response.writeHead(400, { "content-type": "text/plain" }).end(reason));
  expect(await failure(collect(scheduler.listNodes({ filter: filter("Address").equals("10.0.0.1") })))).toMatchObject({
    ...{ code: "ERR_REJECTED", method: "GET", path: "/v1/nodes", status: 400 },
    details: { reason, hint: expect.stringMatching(/`Address` .*`HTTPAddr`.* Address == "10\.0\.0\.1"$/) },
  });
});
