import { Adopt, Found, previewLines, sayOnce, takeOver } from "../adoption";
import { Connection } from "../connection";
import { AnyDefinition } from "../definition";
import { StewardError } from "../errors";
import { Properties } from "./properties";

// A creation reads the existing object first. With `previewReads` its check reads as well, so that a preview can say what exists.

type Adopting = Pick<AnyDefinition, "find">;

/** Reads what a creation would find, and says so. Fails for nothing: a preview may have no credentials, and a mount may be yet to come. @internal */
export async function lookAhead(definition: Adopting, connection: Connection, inputs: Properties): Promise<void> {
  try {
    const found = await definition.find?.({ connection, inputs });
    if (found) sayOnce(connection, previewLines(connection, inputs.adopt as Adopt | undefined, found));
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    connection.say(`warning: ${connection.resource}: ${error.message}`);
  }
}

/**
 * Returns what a creation takes over. Fails where it may not, and prints what that changes unless the check has. It reads again, because minutes may have
 * passed since the check, and somebody else may have written the object.
 * @internal
 */
export async function takeOverExisting(
  definition: Adopting,
  connection: Connection,
  inputs: Properties,
): Promise<Found<Properties> | undefined> {
  const found = await definition.find?.({ connection, inputs });
  takeOver(connection, inputs.adopt as Adopt | undefined, found);
  return found;
}
