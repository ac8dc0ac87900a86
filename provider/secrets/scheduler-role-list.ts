import { z } from "zod";
import { Connection } from "../connection";
import { connectionInput, strictObject } from "../inputs";
import { isTexts } from "../json";
import { ask } from "../program";
import { Connected } from "../resource";
import { apiPath, defaultMount, readData, system, unexpectedAnswer } from "./client";
import { Mounted, mountInput, trimMount } from "./mount";
import { explainRefusal } from "./refusal";

/** The names of all roles at a mount; an engine without roles answers 404. @internal */
export async function listRoleNames(connection: Connection, mount: string): Promise<string[]> {
  const path = apiPath(mount, "role");
  const data = await readData(connection, path, { query: { list: "true" } });
  if (!data) return [];
  const { keys } = data;
  if (!isTexts(keys)) throw unexpectedAnswer(path);
  return keys;
}

/** What {@link listSchedulerRoles} takes. */
export interface ListSchedulerRolesOptions extends Connected, Mounted {}

const schema: z.ZodType<ListSchedulerRolesOptions> = strictObject({ connection: connectionInput, mount: mountInput });

/**
 * The names of all roles at a mount, in the service's order; none when the engine has none: `GET <mount>/role?list=true`.
 * Reads in a preview as well. Throws {@link StewardError}.
 */
export function listSchedulerRoles(options: ListSchedulerRolesOptions = {}): Promise<string[]> {
  return ask("Cannot list the scheduler roles", system, { schema, given: options }, (connection) =>
    listRoleNames(connection, trimMount(options.mount ?? defaultMount(connection))).catch(async (error) => {
      throw await explainRefusal(connection, error);
    }),
  );
}
