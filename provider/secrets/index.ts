export { Duration } from "../comparison";
export {
  DecryptShareOptions,
  decryptShare,
  GetRekeyBackupOptions,
  GetRekeyStatusOptions,
  getRekeyBackup,
  getRekeyStatus,
  Rekey,
  RekeyArgs,
} from "./rekey";
export { RekeyInputs, ShareSource } from "./rekey/inputs";
export { EncryptedShare, RekeyBackup, RekeyStatus } from "./rekey/states";
export { SchedulerAccess, SchedulerAccessArgs, SchedulerAccessInputs, SchedulerAccessState } from "./scheduler-access";
export { SchedulerLease, SchedulerLeaseArgs, SchedulerLeaseInputs, SchedulerLeaseState } from "./scheduler-lease";
export { RoleAttributes, RoleState, SchedulerRole, SchedulerRoleArgs, SchedulerRoleInputs, SchedulerRoleState } from "./scheduler-role";
export { ListSchedulerRolesOptions, listSchedulerRoles } from "./scheduler-role-list";
export { SchedulerRoles, SchedulerRolesArgs, SchedulerRolesInputs, SchedulerRolesState } from "./scheduler-roles";
export { SchedulerToken, SchedulerTokenArgs, SchedulerTokenInputs, SchedulerTokenState } from "./scheduler-token";
export { GetSpecificationOptions, getSpecification, Operation, Specification } from "./specification";
