import { Definition } from "./definition";
import { schedulerAccess } from "./secrets/scheduler-access";
import { schedulerLease } from "./secrets/scheduler-lease";
import { schedulerRole } from "./secrets/scheduler-role";
import { schedulerRoles } from "./secrets/scheduler-roles";

/** Every resource of the package. @internal */
// biome-ignore lint/suspicious/noExplicitAny: what a definition takes and gives is known to its own file alone.
export const definitions: readonly Definition<any, any>[] = [schedulerAccess, schedulerLease, schedulerRole, schedulerRoles];
