import { mayBe } from "./mask";
import { extraName, Fields, held, NamesWriteOnly, Values } from "./settings-fields";
import { Managed } from "./settings-plan";

/** What the server made of what was written, where that is something else. @internal */
export type ChangedByServer = NonNullable<Managed["changedByServer"]>;

/** What the state keeps of what the server shows. @internal */
export interface States<State> {
  /** What is shown, with what we know in the place of what means the same, of a mask, and of what the server made of it. */
  recognised(shown: Values, known: Values, changedByServer: ChangedByServer): Values;
  /** What the server made something else of. Once written it is as good as what was sent, or every `up` would send it again. */
  remade(shown: Values, changes: Values, known: Values): ChangedByServer;
  stateOf(shown: Values, known: Values, last: Partial<Managed> & NamesWriteOnly): State;
}

/** @internal */
export function statesOf<State>({ readable, secrets, isExtraWriteOnly, same }: Fields): States<State> {
  function recognised(shown: Values, known: Values, changedByServer: ChangedByServer): Values {
    const isOurs = (field: string, value: unknown): boolean =>
      field in known &&
      (same(field, value, known[field]) ||
        (secrets.includes(field) && mayBe(value, known[field])) ||
        (field in changedByServer && same(field, value, changedByServer[field]?.value)));
    return Object.fromEntries(Object.entries(shown).map(([field, value]) => [field, isOurs(field, value) ? known[field] : value]));
  }

  function remade(shown: Values, changes: Values, known: Values): ChangedByServer {
    const recognisable = recognised(shown, known, {});
    const fields = Object.keys(changes).filter((field) => field in shown && recognisable[field] !== known[field]);
    return Object.fromEntries(fields.map((field) => [field, held(shown[field])]));
  }

  function stateOf(shown: Values, known: Values, last: Partial<Managed> & NamesWriteOnly): State {
    const { managed = [], heldBefore = {}, changedByServer = {} } = last;
    const values = recognised(shown, known, changedByServer);
    // Of the product's own attributes, what it never shows is known as what was written.
    for (const field of managed) if (!(field in values) && isExtraWriteOnly(field, last)) values[field] = known[field];
    const extra = Object.entries(values).flatMap(([field, value]) => (extraName(field) ? [[extraName(field), value]] : []));
    return {
      ...Object.fromEntries(readable.map((field) => [field, values[field] ?? undefined])),
      extra: extra.length > 0 ? Object.fromEntries(extra) : undefined,
      managed,
      heldBefore,
      changedByServer: Object.keys(changedByServer).length > 0 ? changedByServer : undefined,
    } as State;
  }

  return { recognised, remade, stateOf };
}
