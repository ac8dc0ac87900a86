import { Connection } from "../../connection";
import { PartialState, StewardError } from "../../errors";
import { fetchSettings } from "./document";
import { Kind, same, Values } from "./kind";
import { Basis, Plan } from "./plan";
import { stateOf } from "./state";

// What becomes of writes that fail.

/** The error of a write that failed, with what it has left behind: read back where it may have been stored. @internal */
export async function afterFailure(kind: Kind, connection: Connection, error: unknown, basis: Basis, planned: Plan): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  const mailError = kind.mailErrors?.[error.status ?? 0];
  if (!mailError && !error.details.outcomeUnknown) return error;
  const { changes, declared } = planned;
  const reason = mailError ? `${mailError}: ${error.details.reason}` : error.details.reason;
  // What leaves the program stays managed until it is known to have been put back.
  const remembered = {
    managed: [...new Set([...basis.managed, ...planned.managed])].sort(),
    originalValues: { ...basis.originalValues, ...planned.originalValues },
    serverNormalized: basis.serverNormalized,
    extraWriteOnly: planned.extraWriteOnly,
  };
  const inDoubt = (rule: string, hint: string): PartialState<object> =>
    new PartialState(
      { ...stateOf<object>(kind, basis.known, basis.known, remembered), outcomeUnknown: true, sent: changes },
      { ...error.details, rule, reason, hint },
    );
  let now: Values;
  try {
    now = await fetchSettings(kind, connection);
  } catch (second) {
    // Then the platform refused the token, not what was written.
    if (!error.details.outcomeUnknown && second instanceof StewardError && second.code === "ERR_FORBIDDEN") return error;
    return inDoubt("unread", "Whether the settings were stored could not be read back either: the next `pulumi up` reads them first.");
  }
  const seen = Object.keys(changes).filter((name) => name in now);
  if (seen.some((name) => !same(kind, name, now[name], basis.known[name]))) {
    const hint = `The settings were stored all the same${mailError ? "; no further mail is sent before something changes" : ", and the next `pulumi up` goes on from them"}.`;
    return new PartialState(stateOf(kind, now, { ...basis.known, ...declared }, remembered), {
      ...error.details,
      rule: "applied",
      reason,
      hint,
    });
  }
  if (seen.length === 0 && Object.keys(changes).length > 0)
    return inDoubt(
      "unconfirmed",
      `The server does not show whether it stored ${Object.keys(changes).join(", ")}: the next \`pulumi up\` sends it again.`,
    );
  return error.with({
    rule: "not-applied",
    reason,
    code: mailError ? "ERR_REJECTED" : error.code,
    outcomeUnknown: false,
    hint: "The server holds what it held before: `pulumi up` tries again.",
  });
}

/** Tells if a write without a response was applied. Of what the server does not show, nothing is known by itself. @internal */
export function writeWasApplied(kind: Kind, { sent = {} }: { sent?: Values }, now: Values): boolean {
  const seen = Object.keys(sent).filter((name) => name in now);
  return seen.length > 0 && seen.every((name) => same(kind, name, now[name], sent[name]));
}
