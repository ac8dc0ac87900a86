import { attemptRows } from "../../provider/secrets/rekey/attempt/resource";
import { commitRows } from "../../provider/secrets/rekey/commit/rows";
import { lineOf, Row, Step } from "../../provider/secrets/rekey/protocol/rows";
import { sharesRows } from "../../provider/secrets/rekey/shares/resource";

export interface TableRow extends Pick<Row<never, object>, "holds" | "server" | "log"> {
  step: Step | "holders";
  /** The line that a run prints. */
  line: string;
}

const ofStep = (step: TableRow["step"], rows: readonly Pick<TableRow, "holds" | "server" | "log">[]): TableRow[] =>
  rows.map(({ holds, server, log }) => ({ step, holds, server, log, line: lineOf({ log }) }));

/** The rows of the three steps of a rekey. */
export const rekeyRows: readonly TableRow[] = [
  ...ofStep("attempt", attemptRows),
  ...ofStep("shares", sharesRows),
  ...ofStep("holders", commitRows),
  ...ofStep("commit", commitRows),
];
