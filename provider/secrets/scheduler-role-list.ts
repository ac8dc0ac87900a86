import { z } from "zod";
import { ReadFunction } from "../contract/function";
import { ConnectionArgs, connectionInput, strictObject } from "../contract/inputs";
import { read } from "../program/invoke";
import { defaultMount, system } from "./client";
import { MountArgs, mountInput } from "./mount";
import { normalizeMount } from "./mount-path";
import { listRoleNames } from "./scheduler-role";

/** Options of {@link listSchedulerRoles}. */
export interface ListSchedulerRolesOptions extends ConnectionArgs, MountArgs {}

const schema: z.ZodType<ListSchedulerRolesOptions> = strictObject({ connection: connectionInput, mount: mountInput });

export const schedulerRoleNames: ReadFunction<ListSchedulerRolesOptions, string[]> = {
  token: "secrets:listSchedulerRoles",
  operation: "Cannot list roles",
  system,
  options: schema,
  property: "names",
  run: (operation, { mount }) => listRoleNames(operation, normalizeMount(mount ?? defaultMount(operation)), { mayBeMissing: true }),
};

/**
 * Lists the names of all roles at a mount, in the order of the response to `GET <mount>/role?list=true`. The function also runs in
 * previews, and throws a {@link StewardError} if the request fails.
 */
export function listSchedulerRoles(options: ListSchedulerRolesOptions = {}): Promise<string[]> {
  return read(schedulerRoleNames, options);
}
