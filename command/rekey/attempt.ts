import { isDeepStrictEqual } from "node:util";
import { connect } from "../../provider/connection";
import { StewardError } from "../../provider/contract/errors";
import { isPrivate, noEngine } from "../../provider/contract/operation";
import { placeOf, system } from "../../provider/secrets/client";
import { getStatus, RekeyStatus } from "../../provider/secrets/rekey/protocol/api";
import { commandFor, ofTarget, RekeyOperation, RekeyTarget } from "../../provider/secrets/rekey/protocol/operation";
import { keysOf, stopped } from "../../provider/secrets/rekey/protocol/stops";
import { Canceled, logOf, readLine, say, Terminal } from "../terminal";

// The rekey in progress: its parameters, its confirmation, and the check that it did not change after it was shown.

/** The keys that a command is for. */
export interface TargetOptions {
  target: RekeyTarget;
}

/** The connection to Vault or OpenBao from the environment. */
export function service(terminal: Terminal, options: TargetOptions): RekeyOperation {
  const { environment } = terminal;
  const sources = { config: () => undefined, environment, cache: new Map(), engine: noEngine, log: logOf(terminal) };
  try {
    return ofTarget(connect(system, "default", sources), options);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "ERR_NO_CONNECTION") throw error;
    throw error.with({
      reason: "No address of Vault or OpenBao is set",
      hint: "Export VAULT_ADDR and VAULT_TOKEN, BAO_ADDR and BAO_TOKEN, or SECRETS_ADDR and SECRETS_TOKEN.",
    });
  }
}

/** Throws if shares would be sent over plain HTTP to another machine, unless that is allowed. */
export function assertPrivate(operation: RekeyOperation, { allowHttp }: { allowHttp?: boolean }): void {
  if (allowHttp || isPrivate(operation.server)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `shares would be sent to ${operation.server.address} in plaintext`,
    hint: "Use https, or set --allow-http.",
  });
}

/** The phase that a command acts on: the attempt while it takes current shares, its verification, or the attempt in any state. */
export interface Round {
  /** The shares that the phase counts. */
  shares: "current" | "new";
  /** The progress; undefined if the command has nothing to do. */
  at(status: RekeyStatus): Standing | undefined;
  /** Throws if no holder may take part. */
  assertAllowed?(status: RekeyStatus): void;
}

export interface Standing {
  nonce: string;
  progress: number;
  required: number;
}

const submitStanding = ({ nonce, progress, required }: RekeyStatus): Standing => ({ nonce, progress, required });
const verifyStanding = ({ verification: now }: RekeyStatus): Standing | undefined =>
  now && { nonce: now.nonce, progress: now.progress, required: now.threshold };

export const submitting: Round = {
  shares: "current",
  at: (status) => (status.started && !status.verification ? submitStanding(status) : undefined),
  assertAllowed({ shares }) {
    if (shares > 1) return;
    // The client that started it gets the whole key.
    throw stopped(
      "single-share",
      "this rekey creates a single share, which is the whole key, for the client that started it",
      "Nothing was sent. To rekey to one share, pass your current share to the stack.",
    );
  },
};
export const verifying: Round = { shares: "new", at: verifyStanding };
export const canceling: Round = {
  shares: "current",
  at: (status) => (status.started ? submitStanding(status) : undefined),
};

/** The attempt, one property per line. */
export function describe(status: RekeyStatus, operation: RekeyOperation): string[] {
  const { name } = keysOf[operation.target];
  const place = placeOf(operation);
  if (!status.started) return [`no rekey of the ${name} in progress on ${place}`];
  const { nonce, shares, threshold, progress, required, pgpFingerprints, backup, verificationRequired, verification } = status;
  const rows: [label: string, value: string][] = [
    ["server", place],
    ["keys", name],
    ["nonce", nonce],
    ["new shares", `${shares}, threshold ${threshold}`],
    ["current shares", verification ? "all submitted: the new shares are created" : `${progress} of ${required} submitted`],
    [
      "verification",
      verification
        ? `${verification.progress} of ${verification.threshold} new shares verified, nonce ${verification.nonce}`
        : verificationRequired
          ? "required: nothing is committed before new shares are verified"
          : "none: the last current share commits",
    ],
    [
      "encrypted to",
      pgpFingerprints.length === 0 ? "none: the last current share returns all new shares in plaintext" : "a subkey of each of these keys",
    ],
    ["backup", backup ? `${operation.server.words.service} stores the encrypted new shares` : "none"],
  ];
  const lines = rows.map(([label, value]) => `${label.padEnd(16)}${value}`.trimEnd());
  const keys = pgpFingerprints.map((fingerprint, index) => `  share ${index + 1}`.padEnd(16) + fingerprint);
  return [...lines.slice(0, 7), ...keys, ...lines.slice(7)];
}

/** The next step for new shares. A stack does not count shares verified here, and the server does not tell whether a stack runs the rekey. */
export const verifyHint = (operation: RekeyOperation, them: string, nonce?: string): string =>
  `If a stack runs this rekey, pass ${them} to the stack as newShares. If none does, verify ${them}: ${commandFor(operation, `verify${nonce ? ` --nonce ${nonce}` : ""}`)}`;

const missing = (round: Round, status: RekeyStatus, operation: RekeyOperation): StewardError => {
  const fail = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
  if (!status.started) {
    const other = operation.target === "unseal" ? " On a server with auto-unseal, add --target recovery." : "";
    const reason = `no rekey of the ${keysOf[operation.target].name} is in progress on ${placeOf(operation)}`;
    return stopped("attempt-missing", reason, `Nothing was sent.${other}`);
  }
  return round.shares === "current"
    ? fail("all current shares are submitted, and the new ones are created", `${verifyHint(operation, "your new share")}.`)
    : fail(
        "there is nothing to verify: the new shares do not exist yet",
        `${status.progress} of ${status.required} current shares are submitted. Submit one with \`${commandFor(operation, "submit")}\`.`,
      );
};

/** Shows the attempt, and throws unless its nonce was passed or the holder confirms it. */
export async function agree(
  terminal: Terminal,
  operation: RekeyOperation,
  round: Round,
  prompt: string,
  nonce?: string,
): Promise<RekeyStatus> {
  const status = await getStatus(operation);
  const now = round.at(status);
  if (!now) throw missing(round, status, operation);
  for (const line of describe(status, operation)) say(terminal, line);
  round.assertAllowed?.(status);
  if (round.at === verifyStanding && nonce === status.nonce && nonce !== now.nonce)
    throw stopped(
      "nonce-mismatch",
      `--nonce is the nonce of the rekey, but its verification has its own, ${now.nonce}`,
      `Nothing was sent. Check \`${commandFor(operation, "status")}\`, and use the nonce of the verification.`,
    );
  if (nonce !== undefined && nonce !== now.nonce)
    throw stopped(
      "nonce-mismatch",
      `--nonce does not match the ${round.at === verifyStanding ? "verification" : "rekey"} in progress, ${now.nonce}`,
      "Nothing was sent. Find out whose rekey it is.",
    );
  // Hidden: a share that is typed too early stays off the screen.
  if (nonce === undefined && !/^\s*y(es)?\s*$/i.test(await readLine(terminal, `${prompt} [y/N] `, { hidden: true }))) throw new Canceled();
  return status;
}

const decisive = {
  nonce: "its nonce",
  shares: "the number of new shares",
  threshold: "their threshold",
  pgpFingerprints: "the keys",
  backup: "the backup",
  verificationRequired: "verification",
} as const;

/** Reads the status again, immediately before a share is sent: a changed attempt must not receive one. */
export async function assertUnchanged(operation: RekeyOperation, round: Round, agreed: RekeyStatus): Promise<Standing> {
  const status = await getStatus(operation);
  const fields = Object.keys(decisive) as (keyof typeof decisive)[];
  const changed = fields.filter((field) => !isDeepStrictEqual(status[field], agreed[field])).map((field) => decisive[field]);
  const [then, now] = [round.at(agreed), round.at(status)];
  if (now && now.nonce === then?.nonce && changed.length === 0) return now;
  const what = !status.started
    ? "it is gone"
    : !now
      ? `it now collects ${round.shares === "current" ? "new" : "current"} shares`
      : changed.join(", ") || "the nonce of its verification";
  throw stopped(
    "attempt-changed",
    `the rekey has changed since it was shown (${what}); nothing was sent`,
    `Check \`${commandFor(operation, "status")}\`, and find out who changed it.`,
  );
}
