import { Finding } from "../definition";
import { hasMask } from "./mask";
import { extraName, Fields, held, NamesWriteOnly, Settings, Values } from "./settings-fields";

/** An original value in a sentence. A text or a number may be what a program has declared as a secret before. */
const shown = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "boolean" ? String(value) : "its original value";

// What a write would do: what was there before is captured, and what leaves the program is put back.

/** What the state keeps of the attributes that are managed, beside their values. @internal */
export interface Managed {
  managed: string[];
  /** What each managed attribute held before it was first written; `{}` where that was nothing. Not there: it could not be read. */
  heldBefore: Record<string, { value?: unknown }>;
  /** What the server made of what was written, where that is something else: cleaned HTML, an attribute that it ignores. */
  changedByServer?: Record<string, { value?: unknown }>;
}

/** What a write stands on. @internal */
export interface Basis extends Managed, NamesWriteOnly {
  /** What the server holds, as far as we know, with what we know of what it does not show. */
  known: Values;
  isFirst: boolean;
}

/** What a write is about. @internal */
export interface Plan extends NamesWriteOnly {
  declared: Values;
  managed: string[];
  heldBefore: Managed["heldBefore"];
  changes: Values;
  /** What the server will hold. */
  after: Values;
  /** What left the program and cannot be put back. */
  lost: string[];
}

/** @internal */
export interface Planning {
  plan(inputs: NamesWriteOnly, basis: Basis): Plan;
  /** What the server would refuse. */
  refusal(plan: Plan): Finding[];
  /** What a preview would not say by itself. */
  foresee(inputs: NamesWriteOnly, last: Managed & NamesWriteOnly): Finding[];
  /** What puts attributes back. What cannot be put back leaves the whole disabled, for half of it would not work. */
  restoration(leaving: readonly string[], last: Managed & NamesWriteOnly, known: Values): { values: Values; lost: string[] };
}

/** @internal */
export function planningOf<Inputs>(of: Settings<Inputs>, fields: Fields): Planning {
  const { writeOnly, secrets, isExtraWriteOnly, differing, declaredIn, knownIn } = fields;

  /** What an attribute holds before we write it first; undefined where the server does not show it. */
  function capture(field: string, known: Values): { value?: unknown } | undefined {
    const value = known[field];
    if (writeOnly.includes(field) || !(field in known) || (secrets.includes(field) && hasMask(value))) return undefined;
    return held(value);
  }

  function restoration(leaving: readonly string[], last: Managed & NamesWriteOnly, known: Values): { values: Values; lost: string[] } {
    const values: Values = {};
    const { heldBefore } = last;
    // The API refuses null for a string: nothing is the empty one.
    const nothing = (field: string): unknown => (typeof known[field] === "string" ? "" : undefined);
    for (const field of leaving) if (heldBefore[field]) values[field] = heldBefore[field].value ?? nothing(field);
    // The server holds no attribute that it should show and does not.
    const lost = leaving.filter((field) => !heldBefore[field] && (!extraName(field) || isExtraWriteOnly(field, last)));
    if (lost.length > 0 && ("enabled" in values ? values.enabled : known.enabled)) values.enabled = false;
    return { values, lost };
  }

  function plan(inputs: NamesWriteOnly, basis: Basis): Plan {
    const { known, managed: before, heldBefore, isFirst } = basis;
    const declared = declaredIn(inputs);
    const managed = Object.keys(declared).sort();
    const captured = managed.map((field) => [field, before.includes(field) ? heldBefore[field] : capture(field, known)]);
    const left = before.filter((field) => !(field in declared));
    const { values, lost } = restoration(left, basis, known);
    const wanted = { ...values, ...declared };
    const after = { ...known, ...wanted };
    // What somebody set before us is there, if the settings were in use.
    if (!isFirst || known.enabled) for (const field of writeOnly) after[field] ??= "not shown";
    return {
      declared,
      managed,
      heldBefore: Object.fromEntries(captured.filter(([, value]) => value)),
      changes: differing(wanted, known),
      after,
      lost,
      extraWriteOnly: [...new Set([...(basis.extraWriteOnly ?? []), ...(inputs.extraWriteOnly ?? [])])],
    };
  }

  function refusal({ changes, after }: Plan): Finding[] {
    const missing = Object.keys(changes).length > 0 ? (of.missing?.(after) ?? []) : [];
    if (missing.length === 0) return [];
    return [{ path: "enabled", reason: `needs ${missing.join(", ")}, which neither the program declares nor the server shows` }];
  }

  function foresee(inputs: NamesWriteOnly, last: Managed & NamesWriteOnly): Finding[] {
    const planned = plan(inputs, { ...last, known: knownIn(last), isFirst: false });
    const leaving = last.managed.filter((field) => !(field in planned.declared) && field in last.heldBefore && !secrets.includes(field));
    return [
      ...refusal(planned),
      ...leaving.map((field) => ({
        path: field,
        reason: `is declared no more, and is put back to ${shown(last.heldBefore[field]?.value)}`,
      })),
    ];
  }

  return { plan, refusal, foresee, restoration };
}
