import { scheduler } from "../../../provider";
import { invalidInputs, refusal } from "../../support/refusal";
import { collect } from "../../support/scheduler";
import { answerList, closeAll, failure, serve } from "./server";

const { filter } = scheduler;
afterEach(closeAll);

// test/troubles/fuzz/filter.test.ts proves the paths, values and precedence of every other filter.
test("prints what the scheduler reads, with another filter in parentheses", () => {
  const a = filter("Meta", "team.name").equals('say "x"');
  expect(`${a}`).toBe('Meta["team.name"] == `say "x"`');
  // Nomad parses some words as operators in the position of a name. The sandbox's parser does not.
  expect(`${filter("Meta", "in").equals("")}`).toBe('Meta["in"] == ""');
  const foreign = { and: () => a, or: () => a, not: () => a, toString: () => "X or Y" };
  expect(`${filter("Priority").notEquals(50).and(foreign)}`).toBe('Priority != "50" and (X or Y)');
});

test("rejects an invalid path, value or filter", () => {
  const wrong = {
    path: [() => filter(), () => filter("Meta.team"), () => filter("not")],
    value: [
      () => filter("Priority").equals(Number.NaN),
      () => filter("Name").equals({ value: 1 } as never),
      // Half of a surrogate pair, which would join with the closing quote.
      () => filter("Name").equals("\ud83d"),
      () => filter("Meta", "\ude00").isEmpty(),
    ],
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
  const { listJobs } = scheduler;
  const refused = async (list: AsyncIterable<unknown>): Promise<Error> => {
    const seen = await serve((_, response) => answerList(response, []));
    const error = await failure(collect(list));
    expect(seen).toEqual([]);
    return error;
  };

  test("if it is not a filter, or has an unknown option", async () => {
    expect(await refused(listJobs({ filter: " " }))).toEqual(invalidInputs("filter: empty"));
    expect(await refused(listJobs({ filter: 5 as never }))).toEqual(invalidInputs("filter: filter"));
    expect(await refused(listJobs({ filter: {} as never }))).toEqual(invalidInputs("filter: filter"));
    const both = { filter: "a", prefix: "b" } as never;
    expect(await refused(listJobs(both))).toEqual(invalidInputs("unrecognized-keys"));
  });

  test("and all other filters are", async () => {
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

test("a broken connection is not retried if the filter tests whether a field is empty", async () => {
  const seen = await serve(({ request }) => request.socket.destroy());
  const { code, message } = await failure(collect(scheduler.listJobs({ filter: "Periodic.Enabled is empty" })));
  expect([code, seen.length]).toEqual(["ERR_NO_RESPONSE", 1]);
  expect(message).toContain("Periodic.Enabled is empty");
});
