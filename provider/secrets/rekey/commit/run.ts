import { StewardError } from "../../../contract/errors";
import { availableShares, invalidShare, ProgramShare, ShareField } from "../inputs";
import { redacting, Share, ShareSet, setsOf, shareDigest } from "../protocol/crypto";
import { commandFor } from "../protocol/operation";
import { RekeyProgress } from "../protocol/status";
import { unfinished } from "../protocol/stops";
import { Outcome, remember, SharesRun, SharesState, Submission } from "../submission/state";
import { waitForHolders } from "../submission/waiting";

// Holders bring their new shares, which are encrypted to them. A share goes to the server only, and the state has digests. Without PGP keys, the state has
// all new shares, and one run commits them.

/** A run with the new shares that it can send. */
export interface CommitRun extends SharesRun {
  shares: readonly Share[];
  /** The number of new shares in the program, with those that only confirm. */
  supplied: number;
  /** The previous set, which is valid until the new one is, if the new one is in plaintext. */
  live?: ShareSet;
}

export const candidateOf = ({ state }: SharesRun): ShareSet => state.submission.candidate as ShareSet;

/** True if the state has the new shares, which are not encrypted. */
export const isPlain = (run: SharesRun): boolean => candidateOf(run).encrypted.length === 0;

/** True for the first keys of a service: no current shares made them. */
export const areFirst = ({ source, excluded }: Submission): boolean => source === "reply" && excluded.length === 0;

/** True if the new shares are not valid, or may not be, and the run has a current share, which will show what is. First keys need none. */
export function beginsAnew(run: SharesRun): boolean {
  const { outcome } = run.state.submission;
  if (outcome === "dead" && areFirst(run.state.submission)) return true;
  if (outcome !== "dead" && outcome !== "not accepted") return false;
  const has = (field: ShareField): boolean => availableShares(run.inputs, field).shares.length > 0;
  return has("currentShares") && (outcome === "dead" || !has("newShares"));
}

export const digestOf = (run: SharesRun, share: Share): string => shareDigest(candidateOf(run).nonce, share);

/** Reads the new shares, and takes out those that only confirm. Throws before anything is sent if one cannot be a new share. */
export function withNewShares(run: SharesRun): CommitRun {
  const { submission } = run.state;
  const candidate = candidateOf(run);
  const { shares } = availableShares(run.inputs, "newShares");
  for (const share of shares) assertNew(run, share);
  const labeled = shares.map((share) => ({ ...share, label: labelOf(share, run.inputs.newShares?.length, candidate) }));
  const confirms = run.inputs.confirm === "all" && submission.outcome === "open";
  const fresh = confirms ? labeled.filter((share) => !submission.confirmed.includes(digestOf(run, share))) : labeled;
  const now = confirms ? fresh.slice(0, Math.max(0, toConfirm(run) - submission.confirmed.length)) : [];
  const confirmed = [...submission.confirmed, ...now.map((share) => digestOf(run, share))];
  remember(run, { confirmed });
  if (now.length > 0)
    run.operation.record?.add("confirmed", { detail: `${confirmed.length} of ${toConfirm(run)} holders have confirmed.` });
  const operation = redacting(run.operation, [{ shares: labeled }]);
  return { ...run, operation, shares: fresh.slice(now.length), supplied: labeled.length };
}

/** A share in a list with one for each key is that of its holder. */
function labelOf({ label, index }: ProgramShare, count: number | undefined, { encrypted }: ShareSet): string {
  const fingerprint = encrypted[index]?.fingerprint;
  return fingerprint && count === encrypted.length ? `the share of ${fingerprint}` : label;
}

function assertNew(run: SharesRun, share: ProgramShare): void {
  const { excluded, shareLength } = run.state.submission;
  const reason = excluded.includes(digestOf(run, share))
    ? "is a previous share, and not a new one"
    : shareLength !== undefined && share.bytes.length !== shareLength
      ? `has ${share.bytes.length} bytes, and a new share has ${shareLength}`
      : undefined;
  if (reason) throw invalidShare(`newShares[${share.index}]`, "not-new", `${share.label} ${reason}`);
}

/** The digests of the shares that the verification, or the probe, with this nonce got from this rekey. */
export function givenTo({ state }: SharesRun, nonce: string): string[] {
  const { given } = state.submission;
  return given?.nonce === nonce ? given.digests : [];
}

export const noteGiven = (run: SharesRun, nonce: string, share: Share): void =>
  remember(run, { given: { nonce, digests: [...givenTo(run, nonce), digestOf(run, share)] } });

/** The sets of a whole threshold in this run. Any threshold of a plain set is as good as another. */
export async function wholeSets({ shares, ...run }: CommitRun): Promise<Share[][]> {
  const { threshold } = candidateOf(run);
  return isPlain(run) ? [shares.slice(0, threshold)] : setsOf(shares, threshold);
}

/** The outcome is known or unknown, and the shares given so far do not count any more. */
export const setOutcome = (run: SharesRun, outcome: Outcome): void => remember(run, { outcome, given: undefined });

/** The status is the same after a commit, a seal, a failover and a cancel. */
export function unknownOutcome(run: SharesRun, reason: string): StewardError {
  setOutcome(run, "unknown");
  return unfinished(
    run,
    "outcome-unknown",
    `${reason}: it is not yet known whether the new shares are valid. Keep the previous shares, too`,
    isPlain(run)
      ? "Run `pulumi up` again: it tests which of them are valid."
      : "Each holder runs `pulumi up` with their new share again: once a threshold of them has, a probe shows whether they are valid.",
  );
}

/** Saves the new shares, which their holders decrypt. */
export function waitForNewShares(run: SharesRun, submittedBefore: readonly string[]): SharesState {
  const { candidate, outcome, source, submitted } = run.state.submission;
  // Those before the last one, whose response had the new shares.
  const others = submitted.filter((digest) => !submittedBefore.includes(digest)).length;
  const phase = outcome === "unknown" ? "testing" : toConfirm(run) > 0 ? "confirming" : "verifying";
  const required = phase === "confirming" ? toConfirm(run) : (candidate?.threshold ?? 0);
  return endRun(run, { phase, count: 0, required }, source === "reply" ? others + 1 : undefined);
}

/** The number of holders who only confirm. */
export function toConfirm(run: SharesRun): number {
  const { encrypted, threshold } = candidateOf(run);
  return run.inputs.confirm === "all" ? encrypted.length - threshold : 0;
}

/** Ends a run after which the next holder continues. */
export function endRun(
  run: SharesRun,
  progress: RekeyProgress,
  accepted: number | undefined,
  details: readonly string[] = [],
): SharesState {
  const backup = run.identity.parameters.backup ? `, or with \`${commandFor(run.operation, "backup")}\`` : "";
  const next = `Each holder takes the new share from the output encryptedShares${backup}, decrypts and stores it, and runs \`pulumi up\` with it as newShares.`;
  return waitForHolders(run, { id: "new-shares-missing", accepted, progress, details, next });
}
