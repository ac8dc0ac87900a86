import { isDeepStrictEqual } from "node:util";
import { Connection } from "../../connection";
import { getStatus, Parameters, RekeyStatus } from "./server";

/**
 * What runs on the server, as one of our resources sees it:
 *
 * - `none`: no attempt;
 * - `collecting`, `verifying`: our attempt, before and after the last current share;
 * - `altered`: our nonce, but not our parameters;
 * - `former`: an attempt of ours that we had given up;
 * - `untouched`: exactly like ours, and nobody has given it a share: taking it over takes nothing from anybody;
 * - `alike`: exactly like ours, but somebody else has given it shares;
 * - `probe`: our throw-away attempt, known by its key;
 * - `stranger`: somebody else's.
 * @internal
 */
export type Kind = "none" | "collecting" | "verifying" | "altered" | "former" | "untouched" | "alike" | "probe" | "stranger";

/** @internal */
export interface Situation {
  kind: Kind;
  status: RekeyStatus;
}

/** What makes an attempt ours. @internal */
export interface Ours {
  /** Of the attempt at work; undefined when there is none. */
  nonce?: string;
  /** Of every attempt that we ever began. */
  nonces: readonly string[];
  parameters: Parameters;
  /** The fingerprint of the throw-away key. */
  probe?: string;
}

/** @internal */
export async function look(connection: Connection, ours: Ours): Promise<Situation> {
  const status = await getStatus(connection);
  return { kind: kindOf(status, ours), status };
}

function kindOf(status: RekeyStatus, { nonce, nonces, parameters, probe }: Ours): Kind {
  if (!status.started) return "none";
  if (isProbe(status, probe)) return "probe";
  const same = matches(status, parameters);
  if (status.nonce === nonce) return !same ? "altered" : status.verification ? "verifying" : "collecting";
  if (nonces.includes(status.nonce)) return "former";
  if (!same || status.verification) return "stranger";
  // Without verification the last share carries the new keys to whoever gives it alone, unless a backup brings them to all.
  if (status.progress === 0 && (parameters.verification || parameters.backup)) return "untouched";
  return parameters.verification ? "alike" : "stranger";
}

const isProbe = (status: RekeyStatus, fingerprint: string | undefined): boolean =>
  fingerprint !== undefined && status.shares === 1 && isDeepStrictEqual(status.pgpFingerprints, [fingerprint]);

/** Whether an attempt is exactly what we asked for: whoever changed it would get our shares for theirs. @internal */
export const matches = (status: RekeyStatus, { shares, threshold, fingerprints, backup, verification }: Parameters): boolean =>
  status.shares === shares &&
  status.threshold === threshold &&
  status.backup === backup &&
  status.verificationRequired === verification &&
  isDeepStrictEqual(status.pgpFingerprints, fingerprints);

/** @internal */
export const sizeOf = (shares: number, threshold: number): string =>
  `${shares} ${shares === 1 ? "share" : "shares"}, threshold ${threshold}`;

/** `7 shares, threshold 4; with verification; 1 of 3 current shares given`. @internal */
export function describe({
  shares,
  threshold,
  verificationRequired,
  pgpFingerprints,
  backup,
  progress,
  required,
  verification,
}: RekeyStatus): string {
  return [
    sizeOf(shares, threshold),
    verificationRequired ? "with verification" : "without verification",
    ...(pgpFingerprints.length > 0 ? [`encrypted to ${pgpFingerprints.join(", ")}`] : []),
    ...(backup ? ["with backup"] : []),
    verification
      ? `${verification.progress} of ${verification.threshold} new shares verified`
      : `${progress} of ${required} current shares given`,
  ].join("; ");
}
