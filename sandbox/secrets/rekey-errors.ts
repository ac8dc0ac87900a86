import { HttpError } from "./http-error";

/** The error responses of a rekey in a dialect. */
export interface RekeyErrors {
  inProgress(): HttpError;
  invalidSeal(reason: string): HttpError;
  withRecoveryKeys(): HttpError;
  /** An internal failure of a start, an update or a verification. */
  failed(reason: string): HttpError;
  /** The last share completes another key. */
  wrongKey(): HttpError;
  notStarted(): HttpError;
  finished(nonce: string): HttpError;
  wrongNonce(nonce: string): HttpError;
  repeated(): HttpError;
  notCombined(reason: string): HttpError;
  notCombinedNew(reason: string): HttpError;
  notRunning(): HttpError;
  notVerifying(): HttpError;
  notVerified(): HttpError;
  noConfiguration(): HttpError;
  /** Recovery keys on a seal without them. Undefined: the path responds as without an attempt. */
  unsupported(end: "init" | "update" | "verify", method?: string): HttpError | undefined;
}

const refused = (message: string): HttpError => new HttpError(400, message);

/** Vault 1.21. */
export const rekeyErrors: RekeyErrors = {
  inProgress: () => refused("rekey already in progress"),
  invalidSeal: (reason) => new HttpError(500, `invalid rekey seal configuration: ${reason}`),
  withRecoveryKeys: () => refused("requiring verification not supported when rekeying the barrier key with recovery keys"),
  failed: (reason) => new HttpError(500, reason),
  wrongKey: () =>
    new HttpError(
      500,
      "failed to read root key: invalid key: failed to decrypt keys from storage: error decrypting seal wrapped value\nerror decrypting using seal : cipher: message authentication failed",
    ),
  notStarted: () => refused("no barrier rekey in progress"),
  finished: (nonce) =>
    refused(`rekey operation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  wrongNonce: (nonce) => refused(`incorrect nonce supplied; nonce for this rekey operation is "${nonce}"`),
  repeated: () => refused("given key has already been provided during this generation operation"),
  notCombined: (reason) => new HttpError(500, `failed to compute root key: ${reason}`),
  notCombinedNew: (reason) => new HttpError(500, `failed to compute key for verification: ${reason}`),
  notRunning: () => refused("no rekey in progress"),
  notVerifying: () => refused("no rekey verification in progress"),
  notVerified: () => refused("rekey verification failed; incorrect key shares supplied"),
  noConfiguration: () => refused("no rekey configuration found"),
  unsupported: () => undefined,
};

export const recoveryRekeyErrors: RekeyErrors = {
  ...rekeyErrors,
  invalidSeal: (reason) => new HttpError(500, `invalid recovery configuration: ${reason}`),
  notStarted: () => refused("no recovery rekey in progress"),
  repeated: () => refused("given key has already been provided during this rekey operation"),
  notCombined: (reason) => new HttpError(500, `failed to compute recovery key: ${reason}`),
  unsupported: (end) =>
    end === "update"
      ? new HttpError(500, "failed to fetch existing recovery config: recovery not supported")
      : refused("recovery rekeying not supported"),
};

/** OpenBao 2.7 formats some errors with the wrong verb of Go. */
const misprinted = (reason: string, type = "errors.errorString"): string => `%!w(*${type}=&{${reason}})`;
const undecryptable = "failed to decrypt keys from storage: cipher: message authentication failed";

/** OpenBao 2.7.2: every refusal is a 400. */
export const rotationErrors: RekeyErrors = {
  inProgress: () => refused("rotation already in progress"),
  invalidSeal: (reason) => refused(`invalid rotate seal configuration: ${misprinted(reason)}`),
  withRecoveryKeys: () => refused("requiring verification not supported when rotating the barrier key with recovery keys"),
  failed: refused,
  wrongKey: () => refused(`failed to read root key: ${misprinted(undecryptable, "vault.ErrInvalidKey")}`),
  notStarted: () => refused("no rotation in progress"),
  finished: (nonce) =>
    refused(`rotation already finished; verification must be performed; nonce for the verification operation is "${nonce}"`),
  wrongNonce: (nonce) => refused(`incorrect nonce supplied; nonce for rotation is "${nonce}"`),
  repeated: () => refused("given key has already been provided during this rotation"),
  notCombined: (reason) => refused(`failed to compute key: ${misprinted(reason)}`),
  notCombinedNew: (reason) => refused(`failed to compute key for verification: ${misprinted(reason)}`),
  notRunning: () => refused("no rotation in progress"),
  notVerifying: () => refused("no rotation verification in progress"),
  notVerified: () => refused("rotation verification failed; incorrect key shares supplied"),
  noConfiguration: () => refused("no rotation configuration found"),
  unsupported: () => undefined,
};

export const recoveryRotationErrors: RekeyErrors = {
  ...rotationErrors,
  invalidSeal: (reason) => refused(`invalid recovery configuration: ${misprinted(reason)}`),
  unsupported(end, method) {
    const reason = misprinted("recovery not supported");
    if (end === "update") return refused(`failed to fetch existing config: ${reason}`);
    if (end === "verify" || method === "DELETE") return undefined;
    return refused(method === "GET" ? `unable to look up config: ${reason}` : "recovery keys not supported");
  },
};
