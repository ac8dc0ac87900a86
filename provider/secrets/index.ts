export { Duration } from "../comparison";
export * from "./classes";
export { Rekey, RekeyArgs } from "./rekey";
export { DecryptShareOptions, decryptShare } from "./rekey/decrypt-share";
export { OnConflict, RekeyInputs, RekeyProof } from "./rekey/inputs";
export { EnvironmentShare, FileShare, ShareSource } from "./rekey/share-sources";
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
