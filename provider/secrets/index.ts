export { Duration } from "../comparison";
export * from "./classes";
export { Rekey, RekeyArgs } from "./rekey";
export { DecryptShareOptions, decryptShare } from "./rekey/decrypt-share";
export { EnvironmentShare, FileShare, OnConflict, RekeyInputs, RekeyProof, ShareSource } from "./rekey/inputs";
export { EncryptedShare, RekeyBackup, RekeyStatus } from "./rekey/states";
export { GetRekeyBackupOptions, GetRekeyStatusOptions, getRekeyBackup, getRekeyStatus } from "./rekey/status";
export { ListSchedulerRolesOptions, listSchedulerRoles } from "./scheduler-role-list";
export {
  GetSpecificationOptions,
  getSpecification,
  Operation,
  Specification,
  SpecificationInfo,
  SpecificationLicense,
} from "./specification";
