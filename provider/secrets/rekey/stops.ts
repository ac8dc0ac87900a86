import { ErrorCode, ErrorDetails, PartialState, StewardError } from "../../errors";

// The reasons for which a rekey stops. Each id ends its message: [rekey/foreign-attempt]. docs/rekey/errors.md explains them in this order.

export const stopIds = [
  // Nothing was sent.
  "checkpoints-skipped",
  "invalid-share",
  // The service responds unexpectedly.
  "wrong-dialect",
  "wrong-target",
  "wrong-namespace",
  "standby",
  "unexpected-response",
  "cancel-ineffective",
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
  "shares-not-combined",
  "share-count-unknown",
  "share-count-unknown-with-others",
  "share-count-unknown-restarted",
  "first-keys-unverified",
  "first-keys-lost",
  "new-shares-lost",
  "new-shares-incomplete",
  "new-shares-other-subkey",
  "foreign-backup",
  "backup-saved",
  // The new shares are made, and not committed.
  "new-shares-missing",
  "new-shares-not-proven",
  "new-shares-refused",
  "verification-disturbed",
  "verification-endless",
  // The outcome is unknown.
  "outcome-unknown",
  "outcome-unknown-shares-missing",
  "probe-disturbed",
  "previous-shares-missing",
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

export type StopId = (typeof stopIds)[number];

const printed = (id: StopId): string => `rekey/${id}`;

export const stopped = (id: StopId, reason: string, hint?: string, code: ErrorCode = "ERR_INCOMPLETE"): StewardError =>
  new StewardError({ code, reason, hint, rule: printed(id) });

/** Stops and saves what the run has done, from which the next run continues. */
export const unfinished = (
  { state }: { state: object },
  id: StopId,
  reason: string,
  hint: string,
  { method, path, status }: Partial<ErrorDetails> = {},
): StewardError => new PartialState({ ...state, outcomeUnknown: true }, { reason, hint, rule: printed(id), method, path, status });

/** The error of a delete that would discard shares. */
export const unresolved = (id: StopId, reason: string): StewardError =>
  stopped(
    id,
    reason,
    "Run `pulumi up` until the outcome is known. To discard the shares, set discardShares: true, run `pulumi up`, and then delete the resource.",
  );

/** Adds an id to the error of a request. */
export const identified = (id: StopId, error: StewardError): StewardError => error.with({ rule: printed(id) });

/** The keys of each kind in messages, and what they do. */
export const keysOf = {
  unseal: { name: "unseal keys", can: "unseal the service" },
  recovery: { name: "recovery keys", can: "authorize operations such as generate-root" },
} as const;

/** The service has keys of the other kind. */
export const wrongTarget = ({ target }: { target: keyof typeof keysOf }, more = ""): StewardError =>
  stopped(
    "wrong-target",
    target === "unseal"
      ? `the service unseals itself: its seal holds the key, and its shares are recovery keys${more}`
      : "the service has unseal keys and no recovery keys",
    target === "unseal" ? 'Set target: "recovery", or --target recovery.' : 'Set target: "unseal", or --target unseal.',
    "ERR_REJECTED",
  );

/** The possible causes of an attempt that is gone. */
export const endedByOthers = "a seal, a failover or another client ended it";

export const keptBySeal =
  "the service rotated its key but returned no share, so its seal must keep the key. If shares unseal the service, the new key is lost: keep the service unsealed, and restore it from a backup";

export const noShares = {
  reason: "the service rotated its key but returned no shares: its seal keeps the key itself",
  hint: "Remove this resource from the program: there are no shares to keep.",
};
