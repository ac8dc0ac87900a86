import { Connection } from "../connection";
import { StewardError, Unfinished } from "../errors";
import { SettingsDocument } from "./settings-document";
import { Fields, Settings, Values } from "./settings-fields";
import { Basis, Plan } from "./settings-plan";
import { States } from "./settings-state";

/** What becomes of writes that fail. @internal */
export interface Failures {
  /** The error of a write that failed, with what it has left behind: read back where it may have been stored. */
  failure(connection: Connection, error: unknown, basis: Basis, planned: Plan): Promise<unknown>;
  /** Whether what a write sent is there, although nobody answered it; of what the server does not show, nothing is known by itself. */
  cameThrough(last: { sent?: Values }, now: Values): boolean;
}

/** @internal */
export function failuresOf<State>(
  of: Pick<Settings<never>, "verdicts">,
  { same }: Fields,
  { fetch, stateOf }: Pick<SettingsDocument, "fetch"> & Pick<States<State>, "stateOf">,
): Failures {
  async function failure(connection: Connection, error: unknown, basis: Basis, planned: Plan): Promise<unknown> {
    if (!(error instanceof StewardError)) return error;
    const verdict = of.verdicts?.[error.status ?? 0];
    if (!verdict && !error.facts.outcomeUnknown) return error;
    const { changes, declared } = planned;
    const reason = verdict ? `${verdict}: ${error.facts.reason}` : error.facts.reason;
    // What leaves the program is ours until it is known to have been put back.
    const remembered = {
      managed: [...new Set([...basis.managed, ...planned.managed])].sort(),
      heldBefore: { ...basis.heldBefore, ...planned.heldBefore },
      changedByServer: basis.changedByServer,
      extraWriteOnly: planned.extraWriteOnly,
    };
    const inDoubt = (advice: string): Unfinished<State> =>
      new Unfinished(
        { ...stateOf(basis.known, basis.known, remembered), unfinished: true, sent: changes },
        { ...error.facts, reason, advice },
      );
    let now: Values;
    try {
      now = await fetch(connection);
    } catch (second) {
      // Then it was our own token that was refused, not what we wrote.
      if (!error.facts.outcomeUnknown && second instanceof StewardError && second.code === "ERR_FORBIDDEN") return error;
      return inDoubt("Whether the settings were stored could not be read back either: the next `pulumi up` reads them first.");
    }
    const seen = Object.keys(changes).filter((field) => field in now);
    if (seen.some((field) => !same(field, now[field], basis.known[field]))) {
      const advice = `The settings were stored all the same${verdict ? "; no further mail is sent before something changes" : ", and the next `pulumi up` goes on from them"}.`;
      return new Unfinished(stateOf(now, { ...basis.known, ...declared }, remembered), { ...error.facts, reason, advice });
    }
    if (seen.length === 0 && Object.keys(changes).length > 0)
      return inDoubt(
        `The server does not show whether it stored ${Object.keys(changes).join(", ")}: the next \`pulumi up\` sends it again.`,
      );
    return error.with({
      reason,
      code: verdict ? "ERR_REFUSED" : error.code,
      outcomeUnknown: false,
      advice: "The server holds what it held before: `pulumi up` tries again.",
    });
  }

  function cameThrough({ sent = {} }: { sent?: Values }, now: Values): boolean {
    const seen = Object.keys(sent).filter((field) => field in now);
    return seen.length > 0 && seen.every((field) => same(field, now[field], sent[field]));
  }

  return { failure, cameThrough };
}
