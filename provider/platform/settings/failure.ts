import { PartialState, StewardError } from "../../contract/errors";
import { Operation } from "../../contract/operation";
import { fetchSettings } from "./api";
import { same } from "./attributes";
import { SettingsPage, Values } from "./page";
import { Plan, Prior } from "./plan";
import { stateOf } from "./state";

/** The error of a failed write, with a partial state if the server may have stored the values. */
export async function afterFailure(page: SettingsPage, operation: Operation, error: unknown, prior: Prior, plan: Plan): Promise<unknown> {
  if (!(error instanceof StewardError)) return error;
  const mailError = page.mailErrors?.[error.status ?? 0];
  if (!mailError && !error.details.outcomeUnknown) return error;
  const { changes, declared } = plan;
  const reason = mailError ? `${mailError}: ${error.details.reason}` : error.details.reason;
  // A removed attribute stays managed until the provider knows that it was restored.
  const stored = {
    managed: [...new Set([...prior.managed, ...plan.managed])].sort(),
    originalValues: { ...prior.originalValues, ...plan.originalValues },
    serverNormalized: prior.serverNormalized,
  };
  const inDoubt = (rule: string, hint: string): PartialState<object> =>
    new PartialState(
      { ...stateOf<object>(page, prior.current, prior.current, stored), outcomeUnknown: true, sent: changes },
      { ...error.details, rule, reason, hint },
    );
  let now: Values;
  try {
    now = await fetchSettings(page, operation);
  } catch (second) {
    // Terraform Enterprise rejected the token, so it stored nothing.
    if (!error.details.outcomeUnknown && second instanceof StewardError && second.code === "ERR_FORBIDDEN") return error;
    return inDoubt("unread", "The settings could not be read after the failed write: the next `pulumi up` reads them first.");
  }
  const seen = Object.keys(changes).filter((name) => name in now);
  if (seen.some((name) => !same(page, name, now[name], prior.current[name]))) {
    const hint = `The settings were stored. ${mailError ? "No further test email is sent until a value changes." : "The next `pulumi up` continues from them."}`;
    return new PartialState(stateOf(page, now, { ...prior.current, ...declared }, stored), {
      ...error.details,
      rule: "applied",
      reason,
      hint,
    });
  }
  if (seen.length === 0 && Object.keys(changes).length > 0)
    return inDoubt(
      "unconfirmed",
      `The server never returns ${Object.keys(changes).join(", ")}: the next \`pulumi up\` sends the value again.`,
    );
  return error.with({
    rule: "not-applied",
    reason,
    code: mailError ? "ERR_REJECTED" : error.code,
    outcomeUnknown: false,
    hint: `The change was not stored. ${mailError ? "Check the mail server and these settings, then run" : "Run"} \`pulumi up\` again.`,
  });
}

/** True if a write without a response was applied, as far as readable attributes tell. */
export function writeWasApplied(page: SettingsPage, { sent = {} }: { sent?: Values }, now: Values): boolean {
  const seen = Object.keys(sent).filter((name) => name in now);
  return seen.length > 0 && seen.every((name) => same(page, name, now[name], sent[name]));
}
