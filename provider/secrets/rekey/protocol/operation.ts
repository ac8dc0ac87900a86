import { Operation } from "../../../contract/operation";
import { Recorder, RekeyRecordEntry } from "./record";
import { RekeyTarget } from "./status";
import { stopped } from "./stops";

/** An operation for which holders submit shares: a rekey, or the generation of a root token. */
export interface SharesOperation extends Operation {
  target: RekeyTarget | "root";
}

/** An operation on one kind of keys. */
export interface RekeyOperation extends SharesOperation {
  target: RekeyTarget;
  /** The record of the rekey. Undefined for a read, a deletion and a probe. */
  record?: Recorder;
}

export const ofTarget = (operation: Operation, { target = "unseal" }: { target?: RekeyTarget }): RekeyOperation => ({
  ...operation,
  target,
});

/** The command of a holder, such as `pulumi-steward rekey submit`. */
export const commandFor = ({ target }: SharesOperation, command: string): string =>
  target === "root"
    ? `pulumi-steward root ${command}`
    : `pulumi-steward rekey ${command}${target === "recovery" ? " --target recovery" : ""}`;

/** Prints what a rekey does in the output of `pulumi up`. */
export const log = (operation: RekeyOperation, message: string): void => operation.run.log.info(`rekey: ${message}`);
export const warn = (operation: RekeyOperation, message: string): void => operation.run.log.warn(`rekey: ${message}`);

/** Throws if the engine does not save the state after each resource. Call it before the first request that changes anything. */
export function assertSavesEachStep(operation: RekeyOperation): void {
  if (operation.run.engine.savesEachStep) return;
  const reason = "PULUMI_SKIP_CHECKPOINTS is set, and a rekey needs the state that Pulumi saves after each resource; nothing was sent";
  throw stopped("checkpoints-skipped", reason);
}

/** An operation whose requests add to a record, which grows until the run ends. */
export function recording(
  operation: RekeyOperation,
  before: readonly RekeyRecordEntry[] = [],
  save?: (entry: RekeyRecordEntry) => void,
): { operation: RekeyOperation; record: RekeyRecordEntry[] } {
  const record = [...before];
  return { operation: { ...operation, record: new Recorder(operation, record, save) }, record };
}
