import { Operation } from "../connection";
import { AnyDefinition, ExistingObject } from "../definition";
import { StewardError } from "../errors";
import { Adopt, logOnce, previewLines, takeOver } from "./adoption";
import { Properties } from "./properties";

// A create reads the existing object first. With `previewReads` its check reads as well, so that a preview can report the object.

type Adopting = Pick<AnyDefinition, "find">;

/** Prints what a create would find. An error is only a warning: a preview may have no credentials, and the mount may not exist yet. */
export async function lookAhead(definition: Adopting, operation: Operation, inputs: Properties): Promise<void> {
  try {
    const found = await definition.find?.({ operation, inputs });
    if (found) logOnce(operation, previewLines(operation, inputs.adopt as Adopt | undefined, found));
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    operation.run.log.warn(`${operation.resource}: ${error.message}`);
  }
}

/**
 * Returns the object that a create adopts. Throws if it may not adopt it, and prints the changes unless the check did. It reads the object again, since it
 * may have changed after the check.
 */
export async function takeOverExisting(
  definition: Adopting,
  operation: Operation,
  inputs: Properties,
): Promise<ExistingObject<Properties> | undefined> {
  const found = await definition.find?.({ operation, inputs });
  takeOver(operation, inputs.adopt as Adopt | undefined, found);
  return found;
}
