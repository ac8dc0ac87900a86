import { Definition, Objects, OutcomeUnknown } from "../../contract/definition";
import { system } from "../client";
import { ofTarget, RekeyOperation } from "./protocol/operation";
import { Step } from "./protocol/rows";
import { RekeyTarget } from "./protocol/status";

/** The part that the definitions of the three resources share. */
type SharedPart<Inputs, State> = Pick<
  Definition<Inputs, State>,
  "system" | "displayName" | "deleteBeforeReplace" | "objects" | "create" | "update"
>;

/** `up` runs the step, and `remove` ends it. */
export const definitionOf = <Inputs extends { target?: RekeyTarget }, State extends object>(
  step: Step,
  up: (operation: RekeyOperation, inputs: Inputs, last: Partial<State> & OutcomeUnknown) => Promise<State>,
  remove: Objects<Inputs, State>["remove"],
): SharedPart<Inputs, State> => ({
  system,
  displayName: "rekey",
  deleteBeforeReplace: true,
  objects: { fields: ["target"], paths: (fields) => [rekeyObjects(fields)[step]], remove },
  create: ({ operation, inputs }) => up(ofTarget(operation, inputs), inputs, {}),
  update: ({ operation, inputs, last }) => up(ofTarget(operation, inputs), inputs, last),
});

/** The objects that the three resources manage. */
export function rekeyObjects(fields: object): { attempt: string; shares: string; commit: string } {
  const { target } = fields as { target?: RekeyTarget };
  const path = target === "recovery" ? "/v1/sys/rekey-recovery-key" : "/v1/sys/rekey";
  return { attempt: `${path}/init`, shares: `${path}/update`, commit: `${path}/verify` };
}
