import { scheduler } from "../../../provider";
import { refusal } from "../../support/refusal";

const { filter } = scheduler;

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
