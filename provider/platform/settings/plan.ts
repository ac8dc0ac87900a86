import { PlanNote } from "../../definition";
import { CheckFailure } from "../../errors";
import {
  declaredIn,
  differing,
  extraName,
  held,
  isExtraWriteOnly,
  Kind,
  knownIn,
  NamesWriteOnly,
  secrets,
  Values,
  writeOnly,
} from "./kind";
import { hasMask } from "./mask";
import { Managed } from "./state";

// What a write would do: what was there before is captured, and what leaves the program is put back.

/** What a write stands on. @internal */
export interface Basis extends Managed, NamesWriteOnly {
  /** What the server holds, as far as it is known, with what it does not show. */
  known: Values;
  isFirst: boolean;
}

/** @internal */
export interface Plan extends NamesWriteOnly {
  declared: Values;
  managed: string[];
  originalValues: Managed["originalValues"];
  changes: Values;
  /** What the server will hold. */
  after: Values;
  /** What left the program and cannot be put back. */
  lost: string[];
}

/** The value of an attribute before its first write; undefined where the server does not show it. */
function capture(kind: Kind, name: string, known: Values): { value?: unknown } | undefined {
  const isMasked = secrets(kind).includes(name) && hasMask(known[name]);
  return writeOnly(kind).includes(name) || !(name in known) || isMasked ? undefined : held(known[name]);
}

/** The original values of an import. A change outside Pulumi before the first write of an attribute does not replace them. @internal */
export const originalsOf = (kind: Kind, known: Values): Managed["originalValues"] =>
  Object.fromEntries(Object.keys(known).flatMap((name) => [capture(kind, name, known)].flatMap((value) => (value ? [[name, value]] : []))));

/** The values that put attributes back. What cannot be put back leaves the whole disabled: half of it would not work. @internal */
export function restoration(
  kind: Kind,
  leaving: readonly string[],
  last: Managed & NamesWriteOnly,
  known: Values,
): { values: Values; lost: string[] } {
  const values: Values = {};
  const { originalValues } = last;
  // The API refuses null for a string.
  const nothing = (name: string): unknown => (typeof known[name] === "string" ? "" : undefined);
  for (const name of leaving) if (originalValues[name]) values[name] = originalValues[name].value ?? nothing(name);
  // The server holds no attribute that it should show and does not.
  const lost = leaving.filter((name) => !originalValues[name] && (!extraName(name) || isExtraWriteOnly(kind, name, last)));
  if (lost.length > 0 && ("enabled" in values ? values.enabled : known.enabled)) values.enabled = false;
  return { values, lost };
}

/** @internal */
export function planOf(kind: Kind, inputs: NamesWriteOnly, basis: Basis): Plan {
  const { known, managed: before, originalValues, isFirst } = basis;
  const declared = declaredIn(kind, inputs);
  const managed = Object.keys(declared).sort();
  const captured = managed.map((name) => [
    name,
    before.includes(name) ? originalValues[name] : (originalValues[name] ?? capture(kind, name, known)),
  ]);
  const left = before.filter((name) => !(name in declared));
  const { values, lost } = restoration(kind, left, basis, known);
  const wanted = { ...values, ...declared };
  const after = { ...known, ...wanted };
  // If the settings were in use, somebody has set what the server does not show.
  if (!isFirst || known.enabled) for (const name of writeOnly(kind)) after[name] ??= "not shown";
  return {
    declared,
    managed,
    originalValues: Object.fromEntries(captured.filter(([, value]) => value)),
    changes: differing(kind, wanted, known),
    after,
    lost,
    extraWriteOnly: [...new Set([...(basis.extraWriteOnly ?? []), ...(inputs.extraWriteOnly ?? [])])],
  };
}

/** What the server would refuse of a plan. @internal */
export function refusals({ requiredWhenEnabled }: Kind, { changes, after }: Plan): CheckFailure[] {
  const missing = Object.keys(changes).length > 0 ? (requiredWhenEnabled?.(after) ?? []) : [];
  if (missing.length === 0) return [];
  return [
    {
      path: "enabled",
      rule: "missing-attributes",
      reason: `needs ${missing.join(", ")}, which neither the program declares nor the server shows`,
    },
  ];
}

/** What an update will do. @internal */
export function notesOf(kind: Kind, inputs: NamesWriteOnly, last: Managed & NamesWriteOnly): PlanNote[] {
  const plan = planOf(kind, inputs, { ...last, known: knownIn(kind, last), isFirst: false });
  const leaving = last.managed.filter(
    (name) => !(name in plan.declared) && name in plan.changes && name in last.originalValues && !secrets(kind).includes(name),
  );
  return [
    ...refusals(kind, plan).map(({ path, reason }) => ({ path, text: reason })),
    ...leaving.map((name) => ({ path: name, text: `is declared no more, and is put back to ${shown(last.originalValues[name]?.value)}` })),
  ];
}

/** An original value in a sentence. A string or a number may be what a program has declared as a secret before. */
const shown = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "boolean" ? String(value) : "its original value";
