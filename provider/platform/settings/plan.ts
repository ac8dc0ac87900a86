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

// The plan of a write: capture original values, and restore attributes that were removed from the program.

/** The state before a write. */
export interface Basis extends Managed, NamesWriteOnly {
  /** The values on the server, as far as they are known, with write-only ones. */
  known: Values;
  isFirst: boolean;
}

export interface Plan extends NamesWriteOnly {
  declared: Values;
  managed: string[];
  originalValues: Managed["originalValues"];
  changes: Values;
  /** The values on the server after the write. */
  after: Values;
  /** The attributes that were removed from the program and cannot be restored. */
  lost: string[];
}

/** The value of an attribute before its first write; undefined if the server does not return it. */
function capture(kind: Kind, name: string, known: Values): { value?: unknown } | undefined {
  const isMasked = secrets(kind).includes(name) && hasMask(known[name]);
  return writeOnly(kind).includes(name) || !(name in known) || isMasked ? undefined : held(known[name]);
}

/** The original values of an import. They stay even if a value changes outside Pulumi before the first write. */
export const originalsOf = (kind: Kind, known: Values): Managed["originalValues"] =>
  Object.fromEntries(Object.keys(known).flatMap((name) => [capture(kind, name, known)].flatMap((value) => (value ? [[name, value]] : []))));

/** The values that restore attributes. If one cannot be restored, the settings are disabled, since they might not work without it. */
export function restoration(
  kind: Kind,
  leaving: readonly string[],
  last: Managed & NamesWriteOnly,
  known: Values,
): { values: Values; lost: string[] } {
  const values: Values = {};
  const { originalValues } = last;
  // The API rejects null for a string.
  const nothing = (name: string): unknown => (typeof known[name] === "string" ? "" : undefined);
  for (const name of leaving) if (originalValues[name]) values[name] = originalValues[name].value ?? nothing(name);
  // The server does not hold an attribute that it should return and does not.
  const lost = leaving.filter((name) => !originalValues[name] && (!extraName(name) || isExtraWriteOnly(kind, name, last)));
  if (lost.length > 0 && ("enabled" in values ? values.enabled : known.enabled)) values.enabled = false;
  return { values, lost };
}

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
  // Enabled settings must already have their write-only attributes.
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

/** Check failures for a plan that the server would reject. */
export function refusals({ requiredWhenEnabled }: Kind, { changes, after }: Plan): CheckFailure[] {
  const missing = Object.keys(changes).length > 0 ? (requiredWhenEnabled?.(after) ?? []) : [];
  if (missing.length === 0) return [];
  return [
    {
      path: "enabled",
      rule: "missing-attributes",
      reason: `needs ${missing.join(", ")}, which neither the program nor the server sets`,
    },
  ];
}

/** Notes for the preview of an update. */
export function notesOf(kind: Kind, inputs: NamesWriteOnly, last: Managed & NamesWriteOnly): PlanNote[] {
  const plan = planOf(kind, inputs, { ...last, known: knownIn(kind, last), isFirst: false });
  const leaving = last.managed.filter(
    (name) => !(name in plan.declared) && name in plan.changes && name in last.originalValues && !secrets(kind).includes(name),
  );
  return [
    ...refusals(kind, plan).map(({ path, reason }) => ({ path, text: reason })),
    ...leaving.map((name) => ({
      path: name,
      text: `removed from the program, so restored to ${shown(last.originalValues[name]?.value)}`,
    })),
  ];
}

/** An original value in a message. A string or a number may have been a secret in an earlier program, so it is not printed. */
const shown = (value: unknown): string =>
  value === undefined ? "an empty value" : typeof value === "boolean" ? String(value) : "its original value";
