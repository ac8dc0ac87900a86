import { HttpError } from "./http-error";

/** The error responses of a rekey in a dialect. */
export interface RekeyErrors {
  inProgress(): HttpError;
  invalidSeal(reason: string): HttpError;
  withRecoveryKeys(): HttpError;
  /** An internal failure of a start, an update or a verification. */
  failed(reason: string): HttpError;
  notStarted(): HttpError;
  finished(nonce: string): HttpError;
  wrongNonce(nonce: string): HttpError;
  repeated(): HttpError;
  notCombined(reason: string): HttpError;
  notRunning(): HttpError;
  notVerifying(): HttpError;
  notVerified(): HttpError;
  noConfiguration(): HttpError;
}

const refused = (message: string): HttpError => new HttpError(400, message);

/** Vault 1.21. */
export const rekeyErrors: RekeyErrors = {
  inProgress: () => refused("rekey already in progress"),
  invalidSeal: (reason) => new HttpError(500, `invalid rekey seal configuration: ${reason}`),
  withRecoveryKeys: () => refused("requiring verification not supported when rekeying the barrier key with recovery keys"),
  failed: (reason) => new HttpError(500, reason),
  notStarted: () => refused("no barrier rekey in progress"),
  finished: (nonce) =>
    refused(`rekey operation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  wrongNonce: (nonce) => refused(`incorrect nonce supplied; nonce for this rekey operation is "${nonce}"`),
  repeated: () => refused("given key has already been provided during this generation operation"),
  notCombined: (reason) => new HttpError(500, `failed to compute root key: ${reason}`),
  notRunning: () => refused("no rekey in progress"),
  notVerifying: () => refused("no rekey verification in progress"),
  notVerified: () => refused("rekey verification failed; incorrect key shares supplied"),
  noConfiguration: () => refused("no rekey configuration found"),
};

/** OpenBao 2.4.4: every refusal is a 400. */
export const rotationErrors: RekeyErrors = {
  inProgress: () => refused("rotation already in progress"),
  invalidSeal: (reason) => refused(`invalid rotate seal configuration: ${reason}`),
  withRecoveryKeys: () => refused("requiring verification not supported when rotating the barrier key with recovery keys"),
  failed: refused,
  notStarted: () => refused("no barrier rotation in progress"),
  finished: (nonce) =>
    refused(`rotation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  wrongNonce: (nonce) => refused(`incorrect nonce supplied; nonce for rotation is "${nonce}"`),
  repeated: () => refused("given key has already been provided during this rotation"),
  notCombined: (reason) => refused(`failed to compute key: ${reason}`),
  notRunning: () => refused("no rotation in progress"),
  notVerifying: () => refused("no rotation verification in progress"),
  notVerified: () => refused("rotation verification failed; incorrect key shares supplied"),
  noConfiguration: () => refused("no rotation configuration found"),
};
