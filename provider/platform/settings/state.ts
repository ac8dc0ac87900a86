import { Secret } from "../../contract/secret";
import { readable, same, wrap } from "./attributes";
import { hasMask, mayBe } from "./mask";
import { OnDelete, SettingsPage, Values } from "./page";

/** Values by name; `{}` for no value. */
export type Wrapped = Record<string, { value?: unknown }>;

/** The data in the state about managed attributes, besides their values. */
export interface Managed {
  managed: string[];
  /** The value of each managed attribute before its first write. An unreadable one is missing. */
  originalValues: Wrapped;
  /** The stored values that differ from the written ones, such as sanitized HTML or a read-only attribute. */
  serverNormalized?: Wrapped;
}

/** The part of the state that only the provider uses. */
export interface StoredState extends Managed {
  /** The values of a write without a response. */
  sent?: Values;
  onDelete?: OnDelete;
}

/** True if the server may have masked the expected secret. */
function isMasked(returned: unknown, expected: unknown): boolean {
  if (!(returned instanceof Secret)) return false;
  const value = expected instanceof Secret ? expected.reading().value : expected;
  return value === undefined ? hasMask(returned.value()) : mayBe(returned.value(), value);
}

/** The returned values, but the expected value instead of an equivalent, a masked or a normalized one. */
export function recognized(page: SettingsPage, returned: Values, expected: Values, serverNormalized: Wrapped = {}): Values {
  const isKnown = (name: string, value: unknown): boolean =>
    name in expected &&
    (same(page, name, value, expected[name]) ||
      isMasked(value, expected[name]) ||
      (name in serverNormalized && same(page, name, value, serverNormalized[name]?.value)));
  return Object.fromEntries(Object.entries(returned).map(([name, value]) => [name, isKnown(name, value) ? expected[name] : value]));
}

/**
 * The stored values that differ from the written ones. They count as equal from then on: otherwise every `up` would write again.
 */
export function serverNormalizations(page: SettingsPage, returned: Values, changes: Values, expected: Values): Wrapped {
  const recognizable = recognized(page, returned, expected);
  const names = Object.keys(changes).filter((name) => name in returned && recognizable[name] !== expected[name]);
  return Object.fromEntries(names.map((name) => [name, wrap(returned[name])]));
}

export function stateOf<State>(page: SettingsPage, returned: Values, expected: Values, last: Partial<Managed>): State {
  const { managed = [], originalValues = {}, serverNormalized = {} } = last;
  const values = recognized(page, returned, expected, serverNormalized);
  return {
    ...Object.fromEntries(readable(page).map((name) => [name, values[name] ?? undefined])),
    managed,
    originalValues,
    serverNormalized: Object.keys(serverNormalized).length > 0 ? serverNormalized : undefined,
  } as State;
}
