import { Found, previewLines, takeOver } from "../adoption";
import { Connection } from "../connection";
import { Definition } from "../definition";
import { StewardError } from "../errors";
import { log } from "../log";
import { heldByAnother, isRemoved } from "../ownership";
import { Adopt } from "../resource";
import { Properties } from "./properties";

// What a creation finds on the server: read by the creation or, with `previewReads`, by the check before it.

type Adopting = Pick<Definition<Properties, Properties>, "token" | "objects" | "find">;

const keyOf = ({ token }: Adopting, { server }: Connection, objects: readonly string[]): string =>
  JSON.stringify(["existing", token, server, objects]);

/** Reads what a creation would find, says so, and keeps it for the creation. Fails for nothing: a preview may have no credentials, and a mount may be yet to come. @internal */
export async function lookAhead(definition: Adopting, connection: Connection, inputs: Properties): Promise<void> {
  if (!definition.find) return;
  const objects = definition.objects?.paths(inputs) ?? [];
  try {
    const found = await definition.find(connection, inputs);
    connection.memory.set(keyOf(definition, connection, objects), { found });
    if (found) for (const line of previewLines(connection, inputs.adopt as Adopt | undefined, found)) log(line);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    log(`warning: ${connection.resource}: the read for the preview failed: ${error.message}`);
  }
}

/** Returns what a creation takes over. Fails where it may not, and prints what that changes unless the check has. @internal */
export async function takeOverExisting(
  definition: Adopting,
  connection: Connection,
  inputs: Properties,
): Promise<Found<Properties> | undefined> {
  const objects = definition.objects?.paths(inputs) ?? [];
  const key = keyOf(definition, connection, objects);
  const seen = connection.memory.get(key) as { found: Found<Properties> | undefined } | undefined;
  connection.memory.delete(key);
  // Another resource of this run may have removed or written one of the objects since.
  const isCurrent = seen && !objects.some((object) => isRemoved(connection, object) || heldByAnother(connection, object));
  const found = isCurrent ? seen.found : await definition.find?.(connection, inputs);
  takeOver(connection, inputs.adopt as Adopt | undefined, found, { isSaid: Boolean(isCurrent) });
  return found;
}
