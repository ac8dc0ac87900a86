import { StewardError } from "../../../contract/errors";
import { isFromService } from "../../client";
import * as api from "./api";
import { Share, ShareSet } from "./crypto";
import { log, RekeyOperation } from "./operation";
import { matches } from "./server-state";
import { RekeyStatus } from "./status";
import { stopped } from "./stops";

/** A set whose shares are available. */
export interface ProbedSet {
  shares: Share[];
  threshold: number;
  /** The set in the state. Undefined for the new shares and for the current ones. */
  set?: ShareSet;
}

/** True if enough shares of the set are available to unseal a service that requires `required`. */
export const isComplete = ({ shares, threshold }: ProbedSet, required: number): boolean =>
  threshold === required && shares.length >= required;

export const probeDisturbed = (reason: string): StewardError =>
  stopped("probe-disturbed", `the probe could not test which shares are valid: ${reason}`);

/** Tests which of these sets is valid, without changing any key. */
export function firstValid(operation: RekeyOperation, key: ProbeKey, sets: readonly ProbedSet[]): Promise<ProbedSet | undefined> {
  log(operation, "testing with a probe which shares are valid");
  return firstAccepted(operation, key, sets, (set, required) => (isComplete(set, required) ? set.shares.slice(0, required) : undefined));
}

/** The throw-away key of a probe. */
export interface ProbeKey {
  key: string;
  fingerprint: string;
}

type ProbeVerdict = "accepted" | "refused" | "not combined" | "counted";
type SharesOf<Set> = (set: Set, required: number) => readonly Share[] | undefined;

/** A probe in progress. */
interface Probe {
  operation: RekeyOperation;
  parameters: api.Requested;
  nonce: string;
  required: number;
}

/**
 * Returns the first of these sets that the server accepts, without changing any key. A throw-away attempt takes the shares of each set as the current
 * ones, until the server accepts one, and is canceled. Its new share is encrypted to a key that nobody has. If another client submits a share to the
 * probe, the probe is canceled without a result. `sharesOf` returns the shares to submit, if the server requires so many.
 */
export async function firstAccepted<Set>(
  operation: RekeyOperation,
  key: ProbeKey,
  sets: readonly Set[],
  sharesOf: SharesOf<Set>,
): Promise<Set | undefined> {
  const probe = await startProbe(operation, key);
  const { accepted, untested } = await submitSets(probe, sets, sharesOf).catch(async (error) => {
    await cancelIfCurrent(probe).catch(() => {});
    throw error;
  });
  await cancelIfCurrent(probe);
  const isTestable = untested.some((set) => sharesOf(set, probe.required));
  return isTestable ? firstAccepted(operation, key, untested, sharesOf) : accepted;
}

/** The parameters of a probe for this throw-away key, whose new share nobody can read. */
const probeParameters = ({ key, fingerprint }: ProbeKey): api.Requested => ({
  shares: 1,
  threshold: 1,
  pgpKeys: [key],
  fingerprints: [fingerprint],
  backup: false,
  verification: true,
});

/** The probe in progress. */
export const probeIn = (operation: RekeyOperation, key: ProbeKey, { nonce, required }: RekeyStatus): Probe => ({
  operation,
  parameters: probeParameters(key),
  nonce,
  required,
});

export async function startProbe(operation: RekeyOperation, key: ProbeKey): Promise<Probe> {
  const parameters = probeParameters(key);
  const started = await api.startAttempt(operation, parameters).catch((error) => {
    throw api.isReplyLost(error) ? probeDisturbed("the start of the probe got no response") : error;
  });
  const status = await api.getStatus(operation);
  const probe = probeIn(operation, key, status);
  const isOwn = status.started && (started.nonce === undefined || started.nonce === status.nonce);
  // On a service that drops the verification, the last share of the probe would replace all keys.
  if (isOwn && matches(status, parameters)) return probe;
  if (isOwn && started.nonce) await cancelIfCurrent(probe);
  throw probeDisturbed("the probe no longer exists, or its parameters differ from the requested ones");
}

/** Another client may have ended the probe and started an attempt, which a cancel without a nonce would end. A probe that stays is canceled by a later run. */
export async function cancelIfCurrent({ operation, nonce }: Probe): Promise<void> {
  if ((await api.getStatus(operation)).nonce === nonce) await api.cancelAttempt(operation, nonce);
}

/** Submits one set after the other. OpenBao keeps shares that it cannot combine: with them in it, the probe tests no other set. */
async function submitSets<Set>(
  probe: Probe,
  sets: readonly Set[],
  sharesOf: SharesOf<Set>,
): Promise<{ accepted?: Set; untested: readonly Set[] }> {
  for (const [index, set] of sets.entries()) {
    const shares = sharesOf(set, probe.required);
    const verdict = shares && (await submitSet(probe, shares));
    if (verdict === "accepted") return { accepted: set, untested: [] };
    if (verdict === "counted") throw probeDisturbed(`${probe.operation.server.words.service} requires more shares than it reported`);
    if (verdict === "not combined") return { untested: sets.slice(index + 1) };
  }
  return { untested: [] };
}

/** Submits shares to a probe that has counted this number of them. */
export async function submitSet(
  { operation, parameters, nonce, required }: Probe,
  shares: readonly Share[],
  counted = 0,
): Promise<ProbeVerdict> {
  for (const [index, share] of shares.entries()) {
    const submitted = counted + index;
    const assertUndisturbed = async (): Promise<true> => {
      const before = await api.getStatus(operation);
      const isUnchanged = before.nonce === nonce && before.required === required && matches(before, parameters);
      if (isUnchanged && !before.verification && before.progress === submitted) return true;
      throw probeDisturbed("another client changed the probe");
    };
    await assertUndisturbed();
    const isLast = submitted + 1 === required;
    try {
      const send = () => api.submitShare(operation, { nonce, share: share.text }, parameters);
      const { set, progress } = await api.retryAfter429(operation, send, assertUndisturbed);
      // A set that is complete before its last share has one of another client.
      if (set ? !isLast : progress !== undefined && progress !== submitted + 1)
        throw probeDisturbed("another client submitted a share to the probe");
      if (set) return "accepted";
    } catch (error) {
      if (!(error instanceof StewardError) || error.code === "ERR_INCOMPLETE" || error.status === undefined || api.wasNotCounted(error))
        throw error;
      // Shares that do not fit are refused at the threshold, and only there; the count then restarts.
      const after = await api.getStatus(operation);
      const isJudged = after.nonce === nonce && !after.verification && isLast && !api.isUnchecked(error);
      // The count of a threshold of one does not show whether the server itself refused the share.
      if (isJudged && after.progress === 0 && (required > 1 || isFromService(error))) return "refused";
      if (isJudged && after.progress === required && [400, 500].includes(error.status)) return "not combined";
      throw error.status >= 500 || api.isUnchecked(error) ? probeDisturbed(error.details.reason) : error;
    }
  }
  return "counted";
}
