import { PlanNote } from "../../contract/definition";
import { CheckFailure } from "../../contract/errors";
import { Secret } from "../../contract/secret";
import { declaredAttributes, differing, missingIn, same, secrets, storedValues, wrap, writeOnly } from "./attributes";
import { hasMask } from "./mask";
import { SettingsInputs, SettingsPage, Values } from "./page";
import { Managed, Wrapped } from "./state";

// The plan of a write: capture original values, and restore attributes that were removed from the program.

/** The state before a write. */
export interface Prior extends Managed {
  /** The values on the server, as far as they are known, with write-only ones. */
  current: Values;
  isFirst: boolean;
}

export type Plan = ReturnType<typeof planOf>;

/** The value of an attribute before its first write; undefined if the server does not return it. */
function capture(page: SettingsPage, name: string, current: Values): { value?: unknown } | undefined {
  const value = current[name];
  const isMasked = value instanceof Secret && hasMask(value.reading().value);
  return writeOnly(page).includes(name) || !(name in current) || isMasked ? undefined : wrap(value);
}

/** The original values of an import. They stay even if a value changes outside Pulumi before the first write. */
export const originalsOf = (page: SettingsPage, current: Values): Wrapped =>
  Object.fromEntries(
    Object.keys(current).flatMap((name) => [capture(page, name, current)].flatMap((value) => (value ? [[name, value]] : []))),
  );

/** The attributes whose original value is not restored. */
export interface Unrestored {
  /** Those without an original value in the state. */
  lost: string[];
  /** Those whose original value the server no longer accepts, so that they keep the current one. */
  revoked: string[];
}

/** The values that restore attributes. If one is lost, the settings are disabled, since they might not work without it. */
export function restoration(page: SettingsPage, leaving: string[], last: Managed, current: Values): Unrestored & { values: Values } {
  const values: Values = {};
  const lost: string[] = [];
  const revoked: string[] = [];
  // Most pages reject null for a string.
  const isString = (value: unknown): boolean => typeof value === "string" || value instanceof Secret;
  const nothing = (name: string): unknown => (isString(current[name]) && !page.isClearedByNull ? "" : undefined);
  for (const name of leaving) {
    if (page.lostWhenDisabled && name === "enabled") continue;
    const original = last.originalValues[name];
    if (original?.value && page.isRevoked?.(name, original.value, current)) {
      revoked.push(name);
      continue;
    }
    // An original secret that equals a reference is not in the state. While the reference has that value, there is nothing to restore.
    const isLost = !original || (original.value instanceof Secret && original.value.reading().value === undefined);
    if (!isLost) values[name] = original.value ?? nothing(name);
    else if (!original || !same(page, name, original.value, current[name])) lost.push(name);
  }
  if (lost.length > 0 && ("enabled" in values ? values.enabled : current.enabled)) values.enabled = false;
  return { values, lost, revoked };
}

export function planOf(page: SettingsPage, inputs: SettingsInputs, prior: Prior) {
  const { current, managed: before, originalValues, isFirst } = prior;
  const declared = declaredAttributes(page, inputs);
  const managed = Object.keys(declared).sort();
  const captured = managed.map((name) => [
    name,
    before.includes(name) ? originalValues[name] : (originalValues[name] ?? capture(page, name, current)),
  ]);
  const left = before.filter((name) => !(name in declared));
  const { values, ...unrestored } = restoration(page, left, prior, current);
  const desired = { ...values, ...declared };
  const after = { ...current, ...desired };
  // Enabled settings must already have their write-only attributes.
  if (!isFirst || current.enabled) for (const name of writeOnly(page)) after[name] ??= "not shown";
  return {
    declared,
    managed,
    originalValues: Object.fromEntries(captured.filter(([, value]) => value)) as Wrapped,
    changes: differing(page, desired, current),
    /** The values on the server after the write. */
    after,
    /** True if the enabled settings lack only the object that others may stand in for. */
    lacksObject: missingIn(page, after).join() === page.object?.attribute,
    /** The removed attributes whose original value is not restored. */
    ...unrestored,
  };
}

/** Check failures for a plan that the server would reject. */
export function refusals(page: SettingsPage, { changes, after }: Plan): CheckFailure[] {
  const missing = Object.keys(changes).length > 0 ? missingIn(page, after) : [];
  const reason = `requires ${missing.join(", ")}, which neither the program nor the server sets: declare them, or leave the settings disabled`;
  return missing.length > 0 ? [{ path: "enabled", rule: "missing-attributes", reason }] : [];
}

/** Notes for the preview of an update. */
export function notesOf(page: SettingsPage, inputs: SettingsInputs, last: Managed): PlanNote[] {
  const plan = planOf(page, inputs, { ...last, current: storedValues(page, last), isFirst: false });
  const leaving = last.managed.filter(
    (name) => !(name in plan.declared) && name in plan.changes && name in last.originalValues && !secrets(page).includes(name),
  );
  return [
    // A preview does not know the other objects.
    ...(plan.lacksObject ? [] : refusals(page, plan)),
    ...leaving.map((name) => ({
      path: name,
      reason: `removed from the program, so restored to ${describeOriginal(last.originalValues[name]?.value)}`,
    })),
  ];
}

/** A note on values that a write takes over and that no destroy can restore. */
export function notesOnLost(page: SettingsPage, inputs: SettingsInputs, managed: readonly string[] = []): PlanNote[] {
  const lost = writeOnly(page).filter((name) => name in declaredAttributes(page, inputs) && !managed.includes(name));
  if (lost.length === 0 || inputs.onDelete === "retain") return [];
  const reason = 'a destroy cannot restore the previous value, so it disables enabled settings unless onDelete is "retain"';
  return [{ path: lost.join(", "), reason, isInformation: true }];
}

/** A note on settings that a write would disable, with everything that depends on them. */
export const notesOnDisabled = ({ lostWhenDisabled }: SettingsPage, { enabled }: Values, last?: Values): PlanNote[] =>
  lostWhenDisabled && enabled === false && last?.enabled !== false ? [{ path: "enabled", reason: lostWhenDisabled }] : [];

/** An original value in a message. A string or a number may have been a secret in an earlier program, so it is not printed. */
const describeOriginal = (value: unknown): string =>
  value === undefined ? "an empty value" : typeof value === "boolean" ? String(value) : "its original value";
