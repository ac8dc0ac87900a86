import * as fc from "fast-check";
import { scheduler } from "../../../provider";
import { Expression } from "../../../sandbox/scheduler/filter/expression";
import { parse } from "../../../sandbox/scheduler/filter/parse";
import { draws } from "../../support/scope";
import { text } from "./values";

type Operator = keyof scheduler.Selector;
type Value = string | number | boolean;
/** A comparison, or a combination of several. */
type Tree =
  | { kind: "match"; path: string[]; operator: Operator; value: Value }
  | { kind: "and" | "or"; left: Tree; right: Tree }
  | { kind: "not"; operand: Tree };

const treesOf = (match: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      match,
      fc.record({ kind: fc.constantFrom("and" as const, "or" as const), left: tie("tree"), right: tie("tree") }),
      fc.record({ kind: fc.constant("not" as const), operand: tie("tree") }),
    ),
  })).tree;

function printed(tree: Tree): scheduler.Filter {
  switch (tree.kind) {
    case "match":
      return scheduler.filter(...tree.path)[tree.operator](tree.value as string);
    case "not":
      return printed(tree.operand).not();
    default:
      return printed(tree.left)[tree.kind](printed(tree.right));
  }
}

/** The filter without spaces next to parentheses and string literals. */
const packed = (filter: string): string => filter.replace(/\s*("[^"]*"|`[^`]*`|[()])\s*/g, "$1");

const read: Record<Operator, [operator: string, negated: boolean]> = {
  equals: ["equal", false],
  notEquals: ["equal", true],
  isEmpty: ["empty", false],
  isNotEmpty: ["empty", true],
  contains: ["in", false],
  notContains: ["in", true],
  includes: ["in", false],
  notIncludes: ["in", true],
  matches: ["matches", false],
  notMatches: ["matches", true],
};
const operators = Object.keys(read) as Operator[];

/** The tree in a normal form, independent of the grouping in a chain of `and` or `or`. */
function shapeOf(tree: Tree): unknown {
  if (tree.kind === "not") return { not: shapeOf(tree.operand) };
  if (tree.kind !== "match") return { [tree.kind]: chain(tree, tree.kind).map(shapeOf) };
  const [operator, negated] = read[tree.operator];
  return { path: tree.path, operator, negated, value: operator === "empty" ? "" : String(tree.value) };
}
function parsedShape(tree: Expression): unknown {
  switch (tree.kind) {
    case "not":
      return { not: parsedShape(tree.operand) };
    case "match":
      return { path: tree.selector.path, operator: tree.operator, negated: tree.negated, value: tree.value };
    case "collection":
      return tree;
    default:
      return { [tree.kind]: chain(tree as Expression, tree.kind).map(parsedShape) };
  }
}
function chain<T extends { kind: string }>(tree: T, kind: string): T[] {
  const { left, right } = tree as unknown as { left: T; right: T };
  return tree.kind === kind ? [...chain(left, kind), ...chain(right, kind)] : [tree];
}

// The sandbox's parser treats this character as the end of input.
const anyText = text.filter((value) => !value.includes("\uffff") && value.length < 10_000);
const words = ["and", "or", "not", "in", "is", "empty", "contains", "matches"];
const names = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,6}$/).filter((name) => !words.includes(name.toLowerCase())),
  fc.constantFrom("any", "all", "as", "android", "Order", "notable", "inner", "isEmpty", "true", "_".padStart(3, "a")),
);

test("a printed filter parses to the same tree, for every path, value and precedence", () => {
  const match = fc.record({
    kind: fc.constant("match" as const),
    path: fc
      .tuple(names, fc.array(fc.oneof(names, anyText, fc.constantFrom(...words)), { maxLength: 3 }))
      .map(([first, rest]) => [first, ...rest]),
    operator: fc.constantFrom(...operators),
    value: anyText,
  });
  const property = fc.property(treesOf(match), (tree) => {
    const filter = String(printed(tree));
    for (const [each, isDocumented] of [
      [filter, false],
      [filter, true],
      [packed(filter), true],
    ] as const)
      expect(parsedShape(parse(each, { isDocumented }))).toEqual(shapeOf(tree));
  });
  fc.assert(property, { numRuns: draws(1_500) });
});

test("numbers and booleans are printed as the scheduler parses them", () => {
  const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), fc.boolean());
  const property = fc.property(value, (value) => {
    const tree: Tree = { kind: "match", path: ["Priority"], operator: "equals", value };
    expect(parsedShape(parse(String(printed(tree)), { isDocumented: false }))).toEqual(shapeOf(tree));
  });
  fc.assert(property, { numRuns: draws(300) });
});
