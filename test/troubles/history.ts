import fc from "fast-check";
import { kindNames, Place } from "./kinds";
import { Edit } from "./program";
import { Troubles, troubleNames } from "./wire";

/** A change outside Pulumi, to an object that the program declares. */
export type Outside = { outOfBand: "change" | "remove"; item: number };

/** One run of the command line. Numbers select from the existing items. */
export interface Operation {
  operation: "up" | "up --refresh" | "refresh" | "preview" | "destroy";
  troubles: Troubles;
  /** Stops the run after this many steps have started. */
  stop?: { at: number; how: "interrupt" | "kill"; isSentAll: boolean };
  continueOnError?: boolean;
  targets?: number[];
  replace?: number;
}

export interface Turn {
  edits: Edit[];
  outOfBand?: Outside;
  /** Removes the instances from the state, as if an earlier release wrote it. */
  forgetsInstances?: boolean;
  run: Operation;
}

/** A program over time. */
export interface History {
  dialect: "standard" | "hashicorp";
  turns: Turn[];
}

const some = fc.nat({ max: 11 });
const level = fc.nat({ max: 2 });
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined, freq: 4 });
const place = fc.constantFrom<Place>("home", "home", "home", "twin", "second", "other");
const isSecret = fc.boolean();

const add = fc.record({
  edit: fc.constant("add" as const),
  kind: fc.constantFrom("SchedulerRole", ...kindNames),
  part: some,
  place,
  level,
  isSecret,
  adopt: fc.boolean(),
  exists: rarely(fc.constant(true)),
});
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: add },
  {
    weight: 4,
    arbitrary: fc.record({
      edit: fc.constantFrom("set part" as const, "set part" as const, "drop part"),
      item: some,
      part: some,
      level,
      isSecret,
    }),
  },
  { weight: 3, arbitrary: fc.record({ edit: fc.constant("rename" as const), item: some, isAliased: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("move" as const), item: some, parent: some, isAliased: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ edit: fc.constant("between types" as const), item: some, adopt: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ edit: fc.constant("place" as const), item: some, place }) },
  { weight: 3, arbitrary: fc.record({ edit: fc.constantFrom("twice" as const, "remove", "adopt", "trigger"), item: some }) },
);

const trouble = fc.tuple(
  fc.integer({ min: 1, max: 6 }),
  fc.constantFrom(...troubleNames),
  fc.constantFrom(undefined, undefined, undefined, "read" as const),
);
const run: fc.Arbitrary<Operation> = fc.record(
  {
    operation: fc.oneof(
      { weight: 8, arbitrary: fc.constant("up" as const) },
      { weight: 2, arbitrary: fc.constantFrom("up --refresh" as const, "refresh", "preview") },
      { weight: 1, arbitrary: fc.constant("destroy" as const) },
    ),
    troubles: fc.array(trouble, { maxLength: 2 }),
    stop: rarely(
      fc.record({ at: fc.integer({ min: 1, max: 6 }), how: fc.constantFrom("interrupt" as const, "kill"), isSentAll: fc.boolean() }),
    ),
    continueOnError: rarely(fc.constant(true)),
    targets: rarely(fc.array(some, { minLength: 1, maxLength: 2 })),
    replace: rarely(some),
  },
  { requiredKeys: ["operation", "troubles"] },
);

const outOfBand = fc.record({ outOfBand: fc.constantFrom("change" as const, "remove"), item: some });
const turn: fc.Arbitrary<Turn> = fc.record(
  { edits: fc.array(edit, { maxLength: 4 }), outOfBand: rarely(outOfBand), run },
  { requiredKeys: ["edits", "run"] },
);

export const histories: fc.Arbitrary<History> = fc.record({
  dialect: fc.constantFrom("standard" as const, "hashicorp"),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
});
