import { extraName, held, isExtraWriteOnly, Kind, NamesWriteOnly, OnDelete, readable, same, secrets, Values } from "./kind";
import { mayBe } from "./mask";

// What the state keeps of settings.

/** What the state keeps of the attributes that are managed, beside their values. @internal */
export interface Managed {
  managed: string[];
  /** The value of each managed attribute before its first write; `{}` where there was none. Missing: it could not be read. */
  originalValues: Record<string, { value?: unknown }>;
  /** What the server made of what was written, where that is something else: cleaned HTML, an attribute that it ignores. */
  serverNormalized?: Record<string, { value?: unknown }>;
}

/** What the state keeps for the provider. @internal */
export interface StoredState extends Managed, NamesWriteOnly {
  /** What a write sent that nobody answered. */
  sent?: Values;
  onDelete?: OnDelete;
}

/** What is shown, with the known value in the place of one that means the same, of a mask, and of what the server made of it. @internal */
export function recognized(kind: Kind, shown: Values, known: Values, serverNormalized: Managed["serverNormalized"] = {}): Values {
  const isKnown = (name: string, value: unknown): boolean =>
    name in known &&
    (same(kind, name, value, known[name]) ||
      (secrets(kind).includes(name) && mayBe(value, known[name])) ||
      (name in serverNormalized && same(kind, name, value, serverNormalized[name]?.value)));
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, isKnown(name, value) ? known[name] : value]));
}

/**
 * The values that the server keeps in the place of those that were sent. Once written they count as the sent ones, or every `up` would send
 * these again. @internal
 */
export function serverNormalizations(kind: Kind, shown: Values, changes: Values, known: Values): NonNullable<Managed["serverNormalized"]> {
  const recognizable = recognized(kind, shown, known);
  const names = Object.keys(changes).filter((name) => name in shown && recognizable[name] !== known[name]);
  return Object.fromEntries(names.map((name) => [name, held(shown[name])]));
}

/** @internal */
export function stateOf<State>(kind: Kind, shown: Values, known: Values, last: Partial<Managed> & NamesWriteOnly): State {
  const { managed = [], originalValues = {}, serverNormalized = {} } = last;
  const values = recognized(kind, shown, known, serverNormalized);
  // What the server never shows is known as it was written.
  for (const name of managed) if (!(name in values) && isExtraWriteOnly(kind, name, last)) values[name] = known[name];
  const extra = Object.entries(values).flatMap(([name, value]) => (extraName(name) ? [[extraName(name), value]] : []));
  return {
    ...Object.fromEntries(readable(kind).map((name) => [name, values[name] ?? undefined])),
    extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
    managed,
    originalValues,
    serverNormalized: Object.keys(serverNormalized).length > 0 ? serverNormalized : undefined,
  } as State;
}
