import { Output, output, secret, unsecret } from "@pulumi/pulumi/output";
import { ComponentResource, ComponentResourceOptions } from "@pulumi/pulumi/resource";
import { invalidInput } from "../../contract/errors";
import { checkFailures, str, strictObject } from "../../contract/inputs";
import { lostParts } from "../../program/plain-inputs";
import { Args } from "../../program/resource";
import { rekeyAttempt } from "./attempt/resource";
import { RekeyAttempt, RekeyAttemptArgs, RekeyCommit, RekeyCommitArgs, RekeyShares, RekeySharesArgs } from "./classes";
import { rekeyCommit } from "./commit/resource";
import { inputsOf, inspectShares, RekeyInputs } from "./inputs";
import { decryptMessage, EncryptedShare } from "./protocol/crypto";
import { RekeyRecordEntry } from "./protocol/record";
import { RekeyProgress } from "./protocol/status";
import { rekeyShares } from "./shares/resource";

/** Arguments of {@link Rekey}. */
export interface RekeyArgs extends Args<RekeyInputs> {}

/**
 * Replaces the unseal key shares or the recovery key shares of Vault or OpenBao.
 *
 * The *current shares* unseal the server before the rekey, and the *new shares* unseal it afterwards. A server with auto-unseal has recovery keys
 * instead, which only authorize operations such as generate-root and a rekey. Set `target` to the kind of keys that the server has. With a connection
 * to a namespace of OpenBao 2.6 or later, the keys are the unseal keys of that namespace.
 *
 * With `pgpKeys`, no share enters Pulumi: current and new shares are passed by reference, and the provider sends them only to the server.
 * Each holder runs `pulumi up` with their own share. A run that waits for the next holder succeeds with a warning, and the output `complete`
 * is false until a threshold of new shares is verified.
 *
 * Without `pgpKeys`, all new shares are stored in the state, which you must allow with `keepSharesInState: true`.
 *
 * `Rekey` is a component of three resources, so that Pulumi saves the state after each step. The *attempt* starts the rekey, the *shares*
 * submit the current shares and save the new ones, and the *commit* outputs them once they are valid.
 *
 * If a run is interrupted, the valid shares are either the previous ones or those that the state has, encrypted to their holders with
 * `pgpKeys`. The next `pulumi up` continues. A lost response can lose the new keys only with `requireVerification: false`.
 * `docs/rekey/errors.md` explains each error.
 *
 * If an OpenBao server has no recovery keys yet, the rekey creates the first ones without a current share, so set `currentShares: []`.
 *
 * A finished rekey runs again only after you change `triggers`, `secretShares`, `secretThreshold` or `pgpKeys`, which the preview
 * announces.
 *
 * If the rekey stops, it fails with `ERR_INCOMPLETE` and reports the reason. It fails with `ERR_CONFLICT` while another client's
 * attempt is in progress, and with `ERR_REJECTED` if the server has keys of the other kind.
 *
 * @example Three holders, each with a PGP key
 * ```ts
 * const rekey = new secrets.Rekey("unseal", {
 *   secretShares: 3,
 *   secretThreshold: 2,
 *   pgpKeys: ["ada", "grace", "mary"].map((holder) => fs.readFileSync(`keys/${holder}.asc`, "utf8")),
 *   backup: true,
 *   currentShares: [{ env: "SHARE" }],
 *   newShares: [{ env: "NEW_SHARE" }],
 * });
 * export const complete = rekey.complete;
 * export const progress = rekey.progress; // { phase: "verifying", count: 1, required: 2 }
 * export const encryptedShares = rekey.encryptedShares;
 * ```
 * @example The recovery keys of a server with auto-unseal
 * ```ts
 * const recovery = new secrets.Rekey("recovery", {
 *   target: "recovery",
 *   secretShares: 5,
 *   secretThreshold: 3,
 *   pgpKeys: ["ada", "grace", "mary", "joan", "radia"].map((holder) => fs.readFileSync(`keys/${holder}.asc`, "utf8")),
 *   backup: true,
 *   currentShares: [{ env: "SHARE" }],
 *   newShares: [{ env: "NEW_SHARE" }],
 *   confirm: "all", // all five holders have decrypted their new shares before the commit
 * });
 * export const complete = recovery.complete;
 * export const progress = recovery.progress;
 * export const encryptedShares = recovery.encryptedShares;
 * ```
 * @example One share of a test server, which the state keeps
 * ```ts
 * const rekey = new secrets.Rekey("test", {
 *   secretShares: 1,
 *   secretThreshold: 1,
 *   currentShares: [{ env: "SHARE" }],
 *   keepSharesInState: true,
 * });
 * export const shares = rekey.shares;
 * ```
 * @see [Vault: `sys/rekey`](https://developer.hashicorp.com/vault/api-docs/system/rekey) and
 * [`sys/rekey-recovery-key`](https://developer.hashicorp.com/vault/api-docs/system/rekey-recovery-key)
 * @requests
 * - Start: `PUT /v1/sys/rekey/init`, after `GET /v1/sys/seal-status` unless the connection has a namespace.
 * - Each current share: `PUT /v1/sys/rekey/update`, after `GET /v1/sys/rekey/backup` with `backup`.
 * - Each new share: `PUT /v1/sys/rekey/verify`. `DELETE /v1/sys/rekey/verify` restarts the verification.
 * - Each new share after an unknown outcome: `PUT /v1/sys/rekey/update`, to a probe that is started and canceled like an attempt.
 * - Before each request above: `GET /v1/sys/rekey/init`, and `GET /v1/sys/rekey/verify` during the verification.
 * - `removeBackup`: `DELETE /v1/sys/rekey/backup`.
 * - Refresh of a finished rekey: `GET /v1/sys/rekey/init`.
 * - Delete: `GET /v1/sys/rekey/init`, and `DELETE /v1/sys/rekey/init` if an attempt of this rekey is left.
 *
 * For recovery keys, the paths begin with `/v1/sys/rekey-recovery-key`, and the backup is `/v1/sys/rekey/recovery-key-backup`. On OpenBao,
 * the paths begin with `/v1/sys/rotate/recovery`.
 *
 * With the dialect `openbao`, the paths begin with `/v1/sys/rotate/root`, and each `PUT` is a `POST`. `GET /v1/sys/health` follows each
 * status without an attempt, because a standby does not know the attempt of the active node.
 * @permissions [Vault up to 1.21](../../reference/compatibility.md#tokens-for-a-rekey) requires a token only for the backup. OpenBao requires one
 * for each request to `sys/rotate/root`. Vault 2.x is documented to require one for each request to `sys/rekey`, unless its configuration has
 * `enable_unauthenticated_access = ["rekey"]`. This package is tested with Vault 1.21 behind a proxy that requires these tokens, but not with Vault 2.x.
 *
 * The token of a stack, on Vault:
 * ```hcl
 * path "sys/rekey/init" { capabilities = ["read", "update", "delete"] }
 * path "sys/rekey/update" { capabilities = ["update"] }
 * path "sys/rekey/verify" { capabilities = ["read", "update", "delete"] }
 * path "sys/rekey/backup" { capabilities = ["read", "delete"] }
 * ```
 * The token of a holder who uses the [command line](../../rekey/command-line.md), on Vault:
 * ```hcl
 * path "sys/rekey/init" { capabilities = ["read"] }
 * path "sys/rekey/update" { capabilities = ["update"] }
 * path "sys/rekey/verify" { capabilities = ["read", "update"] }
 * path "sys/rekey/backup" { capabilities = ["read"] }
 * ```
 * The token of a stack, on OpenBao:
 * ```hcl
 * path "sys/rotate/root/init" { capabilities = ["read", "update", "delete"] }
 * path "sys/rotate/root/update" { capabilities = ["update"] }
 * path "sys/rotate/root/verify" { capabilities = ["read", "update", "delete"] }
 * path "sys/rotate/root/backup" { capabilities = ["read", "delete"] }
 * ```
 * The token of a holder, on OpenBao:
 * ```hcl
 * path "sys/rotate/root/init" { capabilities = ["read"] }
 * path "sys/rotate/root/update" { capabilities = ["update"] }
 * path "sys/rotate/root/verify" { capabilities = ["read", "update"] }
 * path "sys/rotate/root/backup" { capabilities = ["read"] }
 * ```
 * For recovery keys, replace the paths as in the [requests](#requests).
 *
 * The `backup` lines are for rekeys with `backup: true`, and their `delete` is for `removeBackup`. A stack uses `delete` on `init` to cancel its own
 * attempt. To start, restart or cancel a rekey, holders need [further capabilities](../../rekey/command-line.md#get-a-token). A holder who runs the
 * stack uses the token of the stack.
 * @unreadable The shares, so a refresh only compares their threshold with the number of shares that the server requires.
 */
export class Rekey extends ComponentResource {
  /** The new shares in base64, which are a secret, or an empty list with `pgpKeys`. */
  readonly shares: Output<string[]>;
  /**
   * The new shares, each encrypted for its holder, or an empty list without `pgpKeys`. They exist before the commit, and are valid once
   * `complete` is true.
   */
  readonly encryptedShares: Output<EncryptedShare[]>;
  /** The PGP key fingerprints for `encryptedShares`, in the same order. */
  readonly fingerprints: Output<string[]>;
  /** The phase of the rekey, and the number of shares in it so far. */
  readonly progress: Output<RekeyProgress>;
  /**
   * True once the new shares are valid. After an unknown outcome, the server has accepted what holders brought as their new shares: keep the previous
   * ones until a drill has passed. With several holders, `dependsOn` a rekey does not wait for it.
   */
  readonly complete: Output<boolean>;
  /** The actions and observations of all runs, for [auditors](../../rekey/record.md). They contain no share. */
  readonly record: Output<RekeyRecordEntry[]>;

  constructor(name: string, args: RekeyArgs, opts?: ComponentResourceOptions) {
    const reason = "must not be set, since Pulumi would then drop the shares in the state without calling the provider";
    const unguarded = (["retainOnDelete", "deletedWith"] as const).filter((option) => opts?.[option]);
    const failures = [...unguarded.map((path) => ({ path, rule: "unguarded-delete", reason })), ...lostParts(args, [])];
    if (failures.length > 0) throw invalidInput(failures, { operation: `Cannot declare rekey "${name}"` });
    super("steward:secrets:Rekey", name, {}, opts);
    const inspected = output(args).apply((known) => inspectShares(known as RekeyInputs));
    const { currentShares, shareReferences } = inspected;
    const newShares = args.newShares && inspected.apply((known) => known.newShares ?? []);
    // They contain neither a share nor the name of a reference.
    const shareFindings = unsecret(inspected.shareFindings);
    const child = { parent: this };
    const attemptInputs = inputsOf<RekeyAttemptArgs>(rekeyAttempt, args);
    const { attempt } = new RekeyAttempt(`${name}-attempt`, { ...attemptInputs, shareReferences, shareFindings }, child);
    const sharesInputs = inputsOf<RekeySharesArgs>(rekeyShares, args);
    const { submission } = new RekeyShares(`${name}-shares`, { ...sharesInputs, currentShares, newShares, attempt }, child);
    const commitInputs = inputsOf<RekeyCommitArgs>(rekeyCommit, args);
    const commit = new RekeyCommit(`${name}-commit`, { ...commitInputs, currentShares, submission }, child);
    this.shares = secret(commit.shares);
    this.encryptedShares = commit.encryptedShares;
    this.fingerprints = commit.fingerprints;
    this.progress = commit.progress;
    this.complete = commit.complete;
    this.record = commit.record;
    const { shares, encryptedShares, fingerprints, progress, complete, record } = this;
    this.registerOutputs({ shares, encryptedShares, fingerprints, progress, complete, record });
  }
}

/** Options of {@link decryptShare}. */
export interface DecryptShareOptions {
  /** The PGP message: hex, as in `encryptedShares` of a rekey, base64, or armored. */
  share: string;
  /** The holder's private key, armored or the base64 of its binary form. */
  privateKey: string;
  /** The passphrase of the private key, if it is locked. */
  passphrase?: string;
}

const decryptOptions = strictObject({ share: str, privateKey: str, passphrase: str.optional() });

/**
 * Decrypts a new share for its holder, in the program's own process and without sending anything. The result is the share as a Pulumi
 * secret. The state stores it, so a rekey accepts it as one of `newShares` only with `keepSharesInState: true`. To keep it out of Pulumi,
 * decrypt it on the command line and pass a reference to it.
 *
 * The function throws `ERR_INVALID_INPUT` if the message, the key or the passphrase is invalid, or if they do not match.
 */
export async function decryptShare(options: DecryptShareOptions): Promise<Output<string>> {
  const { error } = decryptOptions.safeParse(options);
  if (error) throw invalidInput(checkFailures(error, options), { operation: "Cannot decrypt share" });
  const { share, privateKey, passphrase } = options;
  const { text } = await decryptMessage({ share, privateKey, passphrase: async () => passphrase });
  return secret(text);
}
