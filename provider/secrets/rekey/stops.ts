import { ErrorCode, PartialState, StewardError } from "../../errors";

// The ways in which a rekey stops. Each has an id, which ends its message: [rekey/foreign-attempt]. docs/rekey.md explains them in this order.

/** @internal */
export const stopIds = [
  // Nothing was sent.
  "checkpoints-skipped",
  "invalid-share",
  // The service does not answer as it should.
  "unexpected-response",
  "cancel-ineffective",
  "auto-unseal",
  "no-shares-returned",
  // The attempt.
  "foreign-attempt",
  "tampered-attempt",
  "attempt-lost-at-start",
  "attempt-lost",
  "attempt-replaced",
  "attempt-restarted",
  "attempt-abandoned",
  "attempt-taken-over",
  "attempt-resumed",
  // The current shares are submitted.
  "shares-missing",
  "shares-refused",
  "share-count-unknown",
  "share-count-unknown-with-others",
  "share-count-unknown-restarted",
  "new-shares-lost",
  "new-shares-incomplete",
  "foreign-backup",
  "backup-saved",
  // The new shares are made, and not committed.
  "new-shares-missing",
  "new-shares-not-proven",
  "new-shares-refused",
  "verification-disturbed",
  "verification-endless",
  // Whether the new shares are live is not known.
  "outcome-unknown",
  "outcome-unknown-shares-missing",
  "probe-disturbed",
  "former-shares-missing",
  "no-set-accepted",
  "not-committed",
  // Complete, and afterwards.
  "cleanup-failed",
  "unexpected-state",
  // A delete.
  "only-copy",
  "outcome-unsettled",
  "shares-unsettled",
] as const;

/** @internal */
export type StopId = (typeof stopIds)[number];

/** What stands in the message. */
const printed = (id: StopId): string => `rekey/${id}`;

/** @internal */
export const stopped = (id: StopId, reason: string, hint?: string, code: ErrorCode = "ERR_INCOMPLETE"): StewardError =>
  new StewardError({ code, reason, hint, rule: printed(id) });

/** Stops and saves what the run has done, from which the next run continues. @internal */
export const unfinished = ({ state }: { state: object }, id: StopId, reason: string, hint: string): StewardError =>
  new PartialState({ ...state, outcomeUnknown: true }, { reason, hint, rule: printed(id) });

/** A delete that would take shares along. @internal */
export const unsettled = (id: StopId, reason: string): StewardError =>
  stopped(id, reason, "Run `pulumi up` until it is settled; or set discardShares: true, run `pulumi up`, and delete then.");

/** An error of an exchange, which is a stop of its own. @internal */
export const identified = (id: StopId, error: StewardError): StewardError => error.with({ rule: printed(id) });

/** @internal */
export const autoUnseal = (more = ""): StewardError =>
  stopped(
    "auto-unseal",
    `this service unseals itself: its seal keeps the key, and a rekey would make one share, which it does not give out${more}`,
    "Its recovery keys have an API of their own, which this resource does not serve.",
    "ERR_REJECTED",
  );

/** @internal */
export const keptBySeal =
  "the service rotated its key and gave out no share: its seal must hold the key. If shares unseal it, keep it unsealed and restore it from a backup: nobody knows the new key";

/** @internal */
export const noShares = {
  reason: "the service rotated its key and gave out no shares: its seal keeps the key itself",
  hint: "There is nothing to keep: remove this resource from the program.",
};
