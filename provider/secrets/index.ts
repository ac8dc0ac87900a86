export { Duration } from "../comparison";
export * from "./classes";
export { GetRekeyBackupOptions, GetRekeyStatusOptions, getRekeyBackup, getRekeyStatus, Rekey, RekeyArgs } from "./rekey";
export { DecryptShareOptions, decryptShare } from "./rekey/decrypt-share";
export { RekeyInputs, ShareSource } from "./rekey/inputs";
export { EncryptedShare, RekeyBackup, RekeyStatus } from "./rekey/states";
export { ListSchedulerRolesOptions, listSchedulerRoles } from "./scheduler-role-list";
export { GetSpecificationOptions, getSpecification, Operation, Specification } from "./specification";
