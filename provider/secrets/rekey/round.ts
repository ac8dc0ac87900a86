import { StewardError } from "../../errors";
import { Share, shareDigest, shareOf } from "./crypto";
import { Observed, RekeyStatus, ShareSet } from "./states";
import { StopId } from "./stops";

// Decides which current share to submit next, and when to stop. submit.ts runs the commands.

/** A set of shares to submit: the program's own, or one that the state keeps. */
export interface Offer {
  shares: readonly Share[];
  /** The kept set. Undefined for the program's own shares. */
  set?: ShareSet;
}

/** The progress of the submission. */
export interface Round {
  /** The current offer, followed by those to try next. */
  readonly offers: readonly [Offer, ...Offer[]];
  /** The index of the current share in the current offer. */
  readonly position: number;
  /** The number of shares of the current offer that the service has counted since its count last restarted. */
  readonly counted: number;
  /** The number of the program's own shares that an earlier run submitted. */
  readonly repeated: number;
  /** True if the response to the current share was lost once. */
  readonly isRetry: boolean;
  /** True if the service has restarted its count in this run, so that all shares were submitted again. */
  readonly isRestarted: boolean;
  /** The reasons for which the service refused single shares. */
  readonly refusals: readonly string[];
  /** Digests of the shares that this attempt has. Saved in the state. */
  readonly submitted: readonly string[];
  /** Nonces of the kept sets that this attempt refused. Saved in the state. */
  readonly refused: readonly string[];
  /** The progress that was printed last. */
  readonly printed: number;
  readonly isWaitPrinted: boolean;
  readonly context: {
    nonce: string;
    /** Vault refuses a repeated share without loss. Another server may count it twice. */
    refusesRepeatedShares: boolean;
    waitSeconds: number;
    /** Share references that could not be resolved. */
    missing: readonly string[];
    kept: readonly ShareSet[];
    /** The service keeps the encrypted new shares, so any holder may submit the last share. */
    hasBackup: boolean;
  };
}

/** The result of a request. */
export type Event =
  // waits: other holders are awaited.
  | { kind: "observed"; observed: Observed; waits: boolean }
  // status: as it was before the share was sent.
  | { kind: "answered"; answer: Answer; status: RekeyStatus };

export type Answer =
  | { kind: "complete"; set: ShareSet }
  | { kind: "counted" }
  | { kind: "rate limited" }
  | { kind: "share refused"; reason: string }
  | { kind: "all refused"; reason: string }
  | { kind: "unknown"; status: RekeyStatus; error: StewardError };

/** The next thing to do. */
export type Command =
  | { do: "observe" }
  | { do: "wait" }
  | { do: "submit"; share: Share; status: RekeyStatus }
  | { do: "receive"; set: ShareSet; share: Share; offer: Offer; status: RekeyStatus }
  | { do: "recover"; observed: Observed }
  | { do: "attempt lost"; observed: Observed }
  | { do: "start over"; status: RekeyStatus }
  | { do: "count unknown"; status: RekeyStatus; error: StewardError }
  | { do: "stop"; id: StopId; reason: string; hint: string };

export interface Next {
  round: Round;
  command: Command;
  /** The lines to print first. */
  lines: readonly string[];
}

export const begin = (
  context: Round["context"],
  offers: Round["offers"],
  { submitted, refused }: Pick<Round, "submitted" | "refused">,
): Round => ({
  offers,
  position: 0,
  counted: 0,
  repeated: 0,
  isRetry: false,
  isRestarted: false,
  refusals: [],
  submitted,
  refused,
  printed: 0,
  isWaitPrinted: false,
  context,
});

/** The kept sets that may be the current one: with the threshold that the service requires, in plaintext, and not yet refused. */
export const keptOffers = (kept: readonly ShareSet[], refused: readonly string[], required: number): Offer[] =>
  kept
    .filter((set) => set.threshold === required && set.shares.length > 0 && !refused.includes(set.nonce))
    .map((set) => ({ set, shares: set.shares.slice(0, required).map((share) => shareOf(share, `a share of ${set.nonce}`)) }));

export const step = (round: Round, event: Event): Next =>
  event.kind === "observed" ? afterObservation(round, event.observed, event.waits) : afterAnswer(round, event.answer, event.status);

/** The service has discarded all shares. They are submitted again once: a faulty service could discard them forever. */
const restarted = ({ position, isRestarted }: Round): Partial<Round> => ({
  ...discarded,
  position: isRestarted ? position : 0,
  isRestarted: isRestarted || position > 0,
});

/** The progress after the service has discarded all shares. */
const discarded = { counted: 0, repeated: 0, isRetry: false, submitted: [] } as const;

const next = (round: Round, command: Command, ...lines: string[]): Next => ({ round, command, lines });
const observe: Command = { do: "observe" };

function afterObservation(last: Round, observed: Observed, waits: boolean): Next {
  const { server, status } = observed;
  if (server === "verifying") return next(last, { do: "recover", observed });
  if (server !== "collecting") return next(last, { do: "attempt lost", observed });
  const { progress, required } = status;
  // OpenBao keeps shares that it cannot combine: with them in it, no attempt completes.
  if (required > 0 && progress >= required) return next(last, { do: "start over", status });
  const lines = last.printed === progress ? [] : [`${progress} of ${required} current shares submitted`];
  // A lower count means that the service restarted it: it refused all shares together with the last share of another holder.
  const round: Round = { ...last, printed: progress, ...(progress < last.submitted.length ? restarted(last) : {}) };
  const [offer] = round.offers;
  const share = offer.shares[round.position];
  // The last submission returns the new shares: reserve the last share of this run until the others have been submitted.
  const isReservedForLast = waits && round.position === offer.shares.length - 1 && progress < required - 1;
  if (share && !isReservedForLast) {
    if (!isSubmitted(round, share) || round.context.refusesRepeatedShares) return next(round, { do: "submit", share, status }, ...lines);
    const repeated = !offer.set && round.counted === round.repeated ? round.repeated + 1 : round.repeated;
    return next({ ...round, repeated, counted: round.counted + 1, position: round.position + 1 }, observe, ...lines);
  }
  if (!offer.set && waits) {
    if (!round.isWaitPrinted) lines.push(waiting(round.context.waitSeconds));
    return next({ ...round, isWaitPrinted: true }, { do: "wait" }, ...lines);
  }
  // Shares of another set would invalidate the shares that other holders submitted.
  const other = progress <= round.counted ? withNextOffer(round) : undefined;
  if (!other) return next(round, sharesMissing(round, status), ...lines);
  return next(other, observe, ...lines, "too few shares are available: trying those of an earlier rekey from the state");
}

function afterAnswer(round: Round, answer: Answer, status: RekeyStatus): Next {
  const [offer] = round.offers;
  const share = offer.shares[round.position] as Share;
  const wasSubmitted = isSubmitted(round, share);
  const following: Round = { ...round, position: round.position + 1, isRetry: false };
  switch (answer.kind) {
    case "complete":
      return next(round, { do: "receive", set: answer.set, share, offer, status });
    case "rate limited":
      return next(round, observe);
    case "counted": {
      const submitted = wasSubmitted ? round.submitted : [...round.submitted, shareDigest(round.context.nonce, share)];
      return next({ ...following, submitted, counted: round.counted + 1 }, observe);
    }
    case "share refused":
      // The share was refused as a duplicate, so it counts.
      if (wasSubmitted)
        return next({ ...following, counted: round.counted + 1, repeated: offer.set ? round.repeated : round.repeated + 1 }, observe);
      return next({ ...following, refusals: [...round.refusals, `${share.label}: ${answer.reason}`] }, observe);
    case "all refused":
      return afterRefusal(round, answer.reason, status);
    case "unknown":
      // The attempt has new shares, or it is gone.
      if (!answer.status.started || answer.status.verification) return next(round, observe);
      if (round.context.refusesRepeatedShares && !round.isRetry) return next({ ...round, isRetry: true }, observe);
      return next(round, { do: "count unknown", status: answer.status, error: answer.error });
  }
}

/** At the threshold the service refuses all shares together, and restarts its count. */
function afterRefusal(round: Round, reason: string, status: RekeyStatus): Next {
  const [{ set }] = round.offers;
  const isAlone = round.counted + 1 >= status.required;
  // Shares of other holders were among them: the kept set may still be the current one.
  if (set && !isAlone) return next({ ...round, ...discarded, position: 0 }, observe);
  const judged: Round = { ...round, ...discarded, refused: set ? [...round.refused, set.nonce] : round.refused };
  const other = withNextOffer(judged);
  if (!other) return next(judged, sharesRefused(judged, status, reason, isAlone));
  return next(other, observe, "the service refused the submitted shares: trying those of an earlier rekey from the state");
}

const isSubmitted = ({ submitted, context }: Round, share: Share): boolean => submitted.includes(shareDigest(context.nonce, share));

function withNextOffer(round: Round): Round | undefined {
  const [, offer, ...others] = round.offers;
  return offer && { ...round, offers: [offer, ...others], position: 0, counted: 0 };
}

const waiting = (seconds: number): string =>
  `waiting up to ${seconds} s for other holders to submit their shares. Pressing Ctrl-C once does not stop the wait. Pressing it twice stops it immediately and may leave the stack locked. Then run \`pulumi cancel --yes\` and \`pulumi up --refresh\``;

const sharesMissing = ({ repeated, refusals, context }: Round, { progress, required }: RekeyStatus): Command => ({
  do: "stop",
  id: "shares-missing",
  reason: [
    `${progress} of ${required} current shares submitted`,
    ...(repeated > 0 ? [`submitted before: ${repeated} of the available shares`] : []),
    ...(context.missing.length > 0 ? [`unavailable: ${context.missing.join(", ")}`] : []),
    ...refusals.map((refusal) => `refused: ${refusal}`),
  ].join("; "),
  hint: `Run \`pulumi up\` again on a machine that has ${required - progress === 1 ? "the missing share" : "missing shares"}. Other holders may submit theirs in the meantime${context.hasBackup ? "" : ", but `pulumi up` must submit the last share"}.${hintAtKept(context.kept, required)}`,
});

const sharesRefused = ({ context }: Round, { required, nonce }: RekeyStatus, reason: string, isAlone: boolean): Command => ({
  do: "stop",
  id: "shares-refused",
  reason: `the ${required} shares submitted${isAlone ? "" : ", some of them by other holders,"} were rejected (${reason}). The attempt ${nonce} is still in progress, with 0 shares`,
  hint: `At least one of them is wrong. Correct currentShares and run \`pulumi up\` again.${hintAtKept(context.kept, required)}`,
});

/** The hint at an encrypted kept set, which may be the current one. */
function hintAtKept(kept: readonly ShareSet[], required: number): string {
  const set = kept.find(({ encrypted, threshold }) => encrypted.length > 0 && threshold === required);
  return set
    ? ` If the shares of the rekey ${set.nonce} are the live ones, have its holders decrypt them and pass them as currentShares.`
    : "";
}
