export { SchedulerAccess, SchedulerAccessArgs, SchedulerAccessInputs, SchedulerAccessState } from "./scheduler-access";
export { Duration, SchedulerLease, SchedulerLeaseArgs, SchedulerLeaseInputs, SchedulerLeaseState } from "./scheduler-lease";
export { RoleAttributes, SchedulerRole, SchedulerRoleArgs, SchedulerRoleInputs, SchedulerRoleState } from "./scheduler-role";
export { ListSchedulerRolesOptions, listSchedulerRoles } from "./scheduler-role-list";
export { SchedulerRoles, SchedulerRolesArgs, SchedulerRolesInputs, SchedulerRolesState } from "./scheduler-roles";
