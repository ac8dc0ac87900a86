export { Duration } from "../contract/comparison";
export * from "./classes";
export { DecryptShareOptions, decryptShare, Rekey, RekeyArgs } from "./rekey";
export { EnvironmentShare, FileShare, OnConflict, OnWaiting, RekeyConfirmation, RekeyInputs, ShareSource } from "./rekey/inputs";
export { RekeyBackup } from "./rekey/protocol/api";
export { EncryptedShare } from "./rekey/protocol/crypto";
export { RekeyEvent, RekeyRecordEntry } from "./rekey/protocol/record";
export { RekeyPhase, RekeyProgress, RekeyStatus, RekeyTarget } from "./rekey/protocol/status";
export { GetRekeyBackupOptions, GetRekeyStatusOptions, getRekeyBackup, getRekeyStatus } from "./rekey/status";
export { listSchedulerRoles } from "./scheduler-roles";
export {
  ApiOperation,
  GetSpecificationOptions,
  getSpecification,
  Specification,
  SpecificationInfo,
  SpecificationLicense,
} from "./specification";
