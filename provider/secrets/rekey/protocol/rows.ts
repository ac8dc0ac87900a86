import { StewardError } from "../../../contract/errors";
import { RekeyOperation } from "./operation";
import { AttemptIdentity, describeStatus, Observed, observe, ServerState } from "./server-state";
import { stopped } from "./stops";

// Each step of a rekey has a table of what the next `pulumi up` does.

/** The content of a step's state. */
type Holds = "nothing" | "an attempt" | "a nonce" | "no nonce" | "a candidate" | "an unknown outcome";

/** One of the three resources of a rekey. */
export type Step = "attempt" | "shares" | "commit";

/** The action of a step for one content of its state and one state of the server. */
export interface Row<Run, State> {
  /** If omitted, any. */
  holds?: readonly Holds[];
  server: readonly ServerState[];
  /** Printed when the row is taken. */
  log: string;
  /** Returns the state that ends the step. Without one, the step observes the server again. */
  act(run: Run, observed: Observed): Promise<State | undefined>;
}

export const lineOf = ({ log }: { log: string }): string => `rekey: ${log}`;

/** One run of a step. */
export interface StepRun {
  operation: RekeyOperation;
  identity: AttemptIdentity;
}

/**
 * Observes the server and does what the row says, until an action ends the step. A pair without a row stops: it never falls through to a start.
 * A valid set, an invalid set, and an unknown set whose holders' shares are missing are handled before the table.
 */
export async function followRows<Run extends StepRun, State extends object>(
  rows: readonly Row<Run, State>[],
  holds: Holds,
  run: Run,
): Promise<State> {
  for (;;) {
    const observed = await observe(run.operation, run.identity);
    const row = rows.find((each) => (!each.holds || each.holds.includes(holds)) && each.server.includes(observed.server));
    if (!row) throw unexpectedState(run.operation, observed, holds);
    run.operation.run.log.info(lineOf(row));
    const state = await row.act(run, observed);
    if (state) return state;
  }
}

/** A pair of state and server without a row. */
export const unexpectedState = (operation: RekeyOperation, { server, status }: Observed, holds: Holds): StewardError =>
  stopped(
    "unexpected-state",
    `unexpected state: the stack has ${holds}, and ${operation.server.words.service} reports ${status.started ? `the attempt ${status.nonce} (${server}; ${describeStatus(status)})` : server === "noKeys" ? "no recovery keys" : "no attempt"}`,
  );
