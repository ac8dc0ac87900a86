import { ErrorCode, ErrorDetails, PartialState, StewardError } from "../../../contract/errors";
import { Words } from "../../../contract/operation";

// The reasons for which a rekey stops. Each id ends its message: [rekey/foreign-attempt]. docs/rekey/errors.md explains them.

/** A way in which a rekey stops. */
interface Stop {
  /** The remedy. Undefined if it depends on the case. */
  hint?: string;
  /** The default is `ERR_INCOMPLETE`. */
  code?: ErrorCode;
}

export const runAgain = "Run `pulumi up` again: it continues from the current status.";
const untilKnown =
  "Run `pulumi up` until the outcome is known. To discard the shares, set discardShares: true, run `pulumi up`, and then delete the resource.";
/** The nonce of a new attempt is saved before a share is submitted to it. */
const allBringAgain = "Nothing is committed. Each holder runs `pulumi up` with their new share again.";
const submitAgain = "Run `pulumi up` again with the current shares.";

const stops = {
  // Nothing was sent.
  "checkpoints-skipped": { hint: "Run again without PULUMI_SKIP_CHECKPOINTS.", code: "ERR_INVALID_INPUT" },
  "invalid-share": { hint: "No share was sent. Correct this share and run again.", code: "ERR_INVALID_INPUT" },
  // The server responds unexpectedly.
  "wrong-dialect": { code: "ERR_INVALID_INPUT" },
  "wrong-target": { code: "ERR_REJECTED" },
  "wrong-namespace": { hint: "Nothing was sent. Use a connection without a namespace.", code: "ERR_INVALID_INPUT" },
  standby: {
    hint: "Set the connection's address to the active node, or to a load balancer whose health check is /v1/sys/health.",
    code: "ERR_UNAVAILABLE",
  },
  "unexpected-response": {},
  "cancel-ineffective": {},
  "no-shares-returned": { hint: "Remove this resource from the program: there are no shares to keep.", code: "ERR_REJECTED" },
  // The attempt.
  "foreign-attempt": { code: "ERR_CONFLICT" },
  "tampered-attempt": {
    hint: 'Find out who changed it. To start over, set onConflict: "cancel" and change triggers.',
    code: "ERR_CONFLICT",
  },
  "attempt-lost": {},
  "attempt-restarted": { hint: submitAgain },
  "attempt-adopted": { hint: submitAgain },
  // The current shares are submitted.
  "shares-missing": {},
  "shares-refused": {},
  "shares-not-checked": { hint: "Remove the cause, such as an unavailable KMS. Then all holders submit their current shares again." },
  "shares-not-combined": {},
  "key-rejected": {},
  "share-count-unknown": { hint: runAgain },
  "share-count-unknown-with-others": {
    hint: 'To start over, set onConflict: "cancel" and change triggers, and ask the other holders to submit their shares again.',
  },
  "first-keys-unverified": { hint: "Nothing was sent. Remove requireVerification: false.", code: "ERR_INVALID_INPUT" },
  "first-keys-lost": { hint: "Run `pulumi up` again: it cancels the attempt and starts a new one." },
  "new-shares-lost": { hint: submitAgain },
  "new-shares-incomplete": { hint: submitAgain },
  "new-shares-other-subkey": { hint: submitAgain },
  "foreign-backup": {},
  "backup-saved": { hint: "Run `pulumi up` again to continue." },
  // The new shares are made, and not committed.
  "new-shares-missing": {},
  "new-shares-not-proven": {},
  "new-shares-rejected": { hint: "Nothing is committed. Each holder checks their new share, and runs `pulumi up` with it again." },
  "verification-restarted": { hint: allBringAgain },
  "verification-disturbed": { hint: "This run committed nothing. Run `pulumi up` again to continue the verification." },
  // The outcome is unknown.
  "outcome-unknown": {},
  "probe-disturbed": { hint: "Nothing was changed. Run `pulumi up` again." },
  "not-accepted": {
    hint: "To test the new shares again, each holder runs `pulumi up` with theirs. To start over, run it with a current share: the server then shows which shares are valid.",
  },
  "previous-shares-missing": {
    hint: "Run `pulumi up` again with the current shares that were submitted, or change triggers to start over. The state keeps the new shares.",
  },
  "no-set-accepted": {
    hint: "Do not seal or restart the server before you have read docs/rekey/errors.md#no-set-accepted in the package. The state keeps the new shares.",
  },
  "not-committed": {},
  // Complete, and afterwards.
  "cleanup-failed": {},
  "unexpected-state": {
    hint: "Nothing was sent, and the state is kept. See docs/rekey/errors.md#unexpected-state in the package.",
    code: "ERR_CONFLICT",
  },
  // Only on the command line.
  "attempt-missing": { code: "ERR_CONFLICT" },
  "attempt-changed": { code: "ERR_CONFLICT" },
  "nonce-mismatch": { code: "ERR_CONFLICT" },
  "single-share": { code: "ERR_REJECTED" },
  "share-refused": {},
  // A delete.
  "only-copy": {
    hint: "Save them (`pulumi stack output --show-secrets`), set discardShares: true, run `pulumi up`, and then delete the resource.",
  },
  "shares-unsettled": { hint: untilKnown },
} satisfies Record<string, Stop>;

export type StopId = keyof typeof stops;

export const stopIds = Object.keys(stops) as StopId[];

const printed = (id: StopId): string => `rekey/${id}`;

/** The error of a stop. `hint`: the remedy, if it depends on the case. */
export function stopped(id: StopId, reason: string, hint?: string): StewardError {
  const stop: Stop = stops[id];
  return new StewardError({ code: stop.code ?? "ERR_INCOMPLETE", reason, hint: hint ?? stop.hint, rule: printed(id) });
}

/** Stops and saves what the run has done, from which the next run continues. */
export const unfinished = (
  { state }: { state: object },
  id: StopId,
  reason: string,
  hint?: string,
  { method, path, status }: Partial<ErrorDetails> = {},
): StewardError => new PartialState({ ...state, outcomeUnknown: true }, { ...stopped(id, reason, hint).details, method, path, status });

/** Adds an id to the error of a request. */
export const identified = (id: StopId, error: StewardError): StewardError => error.with({ rule: printed(id) });

/** The keys of each kind in messages, and what they do. */
export const keysOf = {
  unseal: { name: "unseal keys", can: ({ service }: Words): string => `unseal ${service}` },
  recovery: { name: "recovery keys", can: (): string => "authorize operations such as generate-root" },
} as const;

/** The server has keys of the other kind. */
export const wrongTarget = (target: keyof typeof keysOf, { service }: Words, more = ""): StewardError =>
  stopped(
    "wrong-target",
    target === "unseal"
      ? `${service} uses auto-unseal: its seal stores the key, and its shares are recovery keys${more}`
      : `${service} has unseal keys and no recovery keys`,
    target === "unseal" ? 'Set target: "recovery", or --target recovery.' : 'Set target: "unseal", or --target unseal.',
  );

/** The possible causes of an attempt that is gone. */
export const lossCauses = "it was lost in a seal or a failover, or another client canceled or completed it";

export const keptBySeal =
  "the key was rotated, but no share was returned, so the seal must store the key. If shares unseal the server, the new key is lost: keep the server unsealed, and restore it from a backup";

export const noShares = "the key was rotated, but no shares were returned: the seal stores the key";
