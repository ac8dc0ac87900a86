import { StewardError } from "../../../contract/errors";
import { RekeyInputs } from "../inputs";
import { getBackup, isReplyLost, RekeyBackup, RekeyParameters, returnsFirstKeys, startAttempt } from "../protocol/api";
import { commandFor, log, RekeyOperation } from "../protocol/operation";
import { AttemptIdentity, describeStatus, matches, observe } from "../protocol/server-state";
import { lossCauses, runAgain, stopped, wrongTarget } from "../protocol/stops";
import { inProgress, waitOr } from "./conflict";

/** Throws if no start can return the first recovery keys, or if its response would be their only copy. */
export function assertMakesFirst(operation: RekeyOperation, { verification }: Pick<RekeyParameters, "verification">): void {
  const { service } = operation.server.words;
  if (!returnsFirstKeys(operation))
    throw stopped(
      "wrong-dialect",
      `${service} has no recovery keys yet, and only OpenBao (sys/rotate/recovery) creates the first ones`,
      'Nothing was sent. Set the connection\'s dialect to "openbao".',
    ).with({ code: "ERR_REJECTED" });
  if (verification) return;
  const reason = `${service} has no recovery keys yet: without verification the start makes them valid, and the response is their only copy`;
  throw stopped("first-keys-unverified", reason);
}

export const withNonce = (nonces: readonly string[], nonce: string): string[] => [...new Set([...nonces, nonce])];

/**
 * Starts an attempt and reads the status back, which also resolves a lost response. Another client may have started the attempt that it then shows, so
 * `nonces` gets its nonce only after a response.
 */
export async function newAttempt(operation: RekeyOperation, identity: AttemptIdentity): Promise<{ nonce: string; nonces: string[] }> {
  const { parameters } = identity;
  let lost: unknown;
  const { nonce } = await startAttempt(operation, parameters).catch((error) => {
    if (!isReplyLost(error)) throw error;
    lost = error;
    return { nonce: undefined };
  });
  const { server, status } = await observe(operation, { ...identity, nonce });
  if (server === "none") throw lost ?? stopped("attempt-lost", `the new attempt no longer exists: ${lossCauses}`, runAgain);
  // Its nonce is known, so it is the new attempt, although other holders may have submitted shares to it.
  const hasNonce = server === "collecting" || server === "verifying";
  const isFresh = matches(status, parameters) && !status.verification && status.progress === 0;
  // Without verification, a matching attempt of unknown origin could be there to obtain the shares.
  if (hasNonce || (isFresh && (server === "matchingUnused" || !(lost || nonce)))) {
    log(operation, `started attempt ${status.nonce}: ${describeStatus(status)}`);
    return { nonce: status.nonce, nonces: lost ? [...identity.nonces] : withNonce(identity.nonces, status.nonce) };
  }
  if (!lost && status.shares === 1 && parameters.shares > 1)
    throw wrongTarget(
      operation.target,
      operation.server.words,
      `; cancel the attempt ${status.nonce} with \`${commandFor(operation, "cancel")}\``,
    );
  throw inProgress(status, waitOr(server === "matchingInUse"));
}

/** The backup of another rekey, which the last share of this one would overwrite. */
export async function findForeignBackup(
  operation: RekeyOperation,
  { parameters, nonces }: Pick<AttemptIdentity, "parameters" | "nonces">,
): Promise<RekeyBackup | undefined> {
  const backup = parameters.backup ? await getBackup(operation) : undefined;
  return backup && !nonces.includes(backup.nonce) ? backup : undefined;
}

/** Throws before a start that would leave an attempt behind, since no share may be submitted to it. */
export async function assertNoForeignBackup(
  operation: RekeyOperation,
  identity: AttemptIdentity,
  inputs: Pick<RekeyInputs, "replaceBackup">,
): Promise<void> {
  const backup = inputs.replaceBackup ? undefined : await findForeignBackup(operation, identity);
  if (backup) throw foreignBackup(operation, backup);
}

const replaceIt = " Or set replaceBackup: true, which keeps its ciphertext in the state.";
/** `more`: another remedy. */
export const foreignBackup = (operation: RekeyOperation, { nonce }: RekeyBackup, more = replaceIt): StewardError =>
  stopped(
    "foreign-backup",
    `${operation.server.words.service} stores a backup of a different rekey, ${nonce}, which this rekey would overwrite`,
    `Fetch it with \`${commandFor(operation, "backup")}\`, and remove it with \`${commandFor(operation, `backup --delete --nonce ${nonce}`)}\`.${more}`,
  );
