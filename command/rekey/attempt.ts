import { isDeepStrictEqual } from "node:util";
import { connect } from "../../provider/connection";
import { StewardError } from "../../provider/contract/errors";
import { isPrivate, noEngine, Operation } from "../../provider/contract/operation";
import { placeOf, system } from "../../provider/secrets/client";
import { getStatus } from "../../provider/secrets/rekey/protocol/api";
import { commandFor, ofTarget, RekeyOperation, SharesOperation } from "../../provider/secrets/rekey/protocol/operation";
import { RekeyStatus, RekeyTarget } from "../../provider/secrets/rekey/protocol/status";
import { keysOf, stopped } from "../../provider/secrets/rekey/protocol/stops";
import { Canceled, logOf, readLine, say, Terminal } from "../terminal";
import { sayOutlived } from "./invited-tokens";
import { recordingTo } from "./record";

// The rekey in progress: its parameters, its confirmation, and the check that it did not change after it was shown.

/** The keys that a command is for. */
export interface TargetOptions {
  target: RekeyTarget;
  /** The file to which the entries of the record are appended. */
  record?: string;
}

/** The connection to Vault or OpenBao from the environment. */
export const service = (terminal: Terminal, options: TargetOptions): Promise<RekeyOperation> =>
  recordingTo(terminal, ofTarget(connection(terminal), options), options.record);

export function connection(terminal: Terminal): Operation {
  const { environment } = terminal;
  const sources = { config: () => undefined, environment, cache: new Map(), engine: noEngine, log: logOf(terminal) };
  try {
    return connect(system, "default", sources);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "ERR_NO_CONNECTION") throw error;
    throw error.with({
      reason: "No address of Vault or OpenBao is set",
      hint: "Export VAULT_ADDR and VAULT_TOKEN, BAO_ADDR and BAO_TOKEN, or SECRETS_ADDR and SECRETS_TOKEN.",
    });
  }
}

/** Throws if shares would be sent over plain HTTP to another machine, unless that is allowed. */
export function assertPrivate(operation: SharesOperation, { allowHttp }: { allowHttp?: boolean }): void {
  if (allowHttp || isPrivate(operation.server)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `shares or tokens would be sent to ${operation.server.address} in plaintext`,
    hint: "Use https, or set --allow-http.",
  });
}

/** The part of a status that each attempt has. */
export type Attempt = Pick<RekeyStatus, "started" | "nonce"> & Partial<Pick<RekeyStatus, "backup">>;

/** The phase that a command acts on: the attempt while it takes current shares, its verification, or the attempt in any state. */
export interface Round<Status extends Attempt = RekeyStatus> {
  /** The attempt in messages. */
  name: string;
  /** The shares that the phase counts. */
  shares: "current" | "new";
  read(operation: SharesOperation): Promise<Status>;
  describe(status: Status, operation: SharesOperation): string[];
  /** The properties that must not change once they were shown, with their names in messages. */
  decisive: { readonly [property in keyof Status]?: string };
  /** The progress; undefined if the command has nothing to do. */
  at(status: Status): Standing | undefined;
  /** The error if the command has nothing to do. */
  missing(status: Status, operation: SharesOperation): StewardError;
  /** Throws if no holder may take part. */
  assertAllowed?(status: Status, nonce: string | undefined, operation: SharesOperation): void;
  /** The status codes with which the server rejects a share and keeps the others. */
  refusals: readonly number[];
  /** The error if what the last share created may have been lost with the response. */
  lost?(operation: SharesOperation, now: Standing | undefined, before: Standing, reason: string): StewardError | undefined;
}

export interface Standing {
  nonce: string;
  progress: number;
  required: number;
}

const ofRekey = {
  name: "rekey",
  read: (operation: RekeyOperation) => getStatus(operation),
  describe: (status: RekeyStatus, operation: RekeyOperation) => describe(status, operation),
  decisive: {
    nonce: "its nonce",
    shares: "the number of new shares",
    threshold: "their threshold",
    pgpFingerprints: "the keys",
    backup: "the backup",
    verificationRequired: "verification",
  },
  missing(this: Round, status: RekeyStatus, operation: RekeyOperation): StewardError {
    const fail = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
    if (!status.started) {
      const other = operation.target === "unseal" ? " On a server with auto-unseal, add --target recovery." : "";
      const reason = `no rekey of the ${keysOf[operation.target].name} is in progress on ${placeOf(operation)}`;
      const own = ` If it is complete, store your new share: \`${commandFor(operation, "backup")}\`, then \`pulumi-steward rekey decrypt --store\`.`;
      return stopped("attempt-missing", reason, `Nothing was sent.${other}${this.shares === "new" ? own : ""}`);
    }
    return this.shares === "current"
      ? fail("all current shares are submitted, and the new ones are created", `${verifyHint(operation, "your new share")}.`)
      : fail(
          "there is nothing to verify: the new shares do not exist yet",
          `${status.progress} of ${status.required} current shares are submitted. Submit one with \`${commandFor(operation, "submit")}\`.`,
        );
  },
  refusals: [400],
};

export const submitting = {
  ...ofRekey,
  shares: "current",
  at: (status) => (status.started && !status.verification ? status : undefined),
  assertAllowed({ shares }) {
    if (shares > 1) return;
    // The client that started it gets the whole key.
    throw stopped(
      "single-share",
      "this rekey creates a single share, which is the whole key, for the client that started it",
      "Nothing was sent. To rekey to one share, pass your current share to the stack.",
    );
  },
} satisfies Round;
export const verifying = {
  ...ofRekey,
  shares: "new",
  at: ({ verification: now }) => now && { ...now, required: now.threshold },
  assertAllowed({ nonce, verification }, given, operation) {
    if (given !== nonce || given === verification?.nonce) return;
    throw stopped(
      "nonce-mismatch",
      `--nonce is the nonce of the rekey, but its verification has its own, ${verification?.nonce}`,
      `Nothing was sent. Check \`${commandFor(operation, "status")}\`, and use the nonce of the verification.`,
    );
  },
} satisfies Round;
export const canceling = {
  ...ofRekey,
  shares: "current",
  at: (status) => (status.started ? status : undefined),
} satisfies Round;

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

/** The attempt that a holder expects. */
export interface Expectation<Status extends Attempt> {
  /** The hint if the server rejects the token. */
  revoked: string;
  /** The facts that are not in the status, one per line. */
  describe(): string[];
  /** Throws if the attempt is another one. */
  assertMet(status: Status): void;
}

/** Throws unless the person at the terminal answers yes. Hidden: a share that is typed too early stays off the screen. */
export async function confirm(terminal: Terminal, prompt: string): Promise<void> {
  if (!/^\s*y(es)?\s*$/i.test(await readLine(terminal, `${prompt} [y/N] `, { hidden: true }))) throw new Canceled();
}

/** Shows the attempt, and throws unless the holder confirms it. Instead, its nonce was passed or, without a terminal, it is the expected one. */
export async function agree<Status extends Attempt>(
  terminal: Terminal,
  operation: SharesOperation,
  round: Round<Status>,
  prompt: string,
  nonce?: string,
  expected?: Expectation<Status>,
): Promise<Status> {
  const status = await round.read(operation).catch((error) => {
    throw expected && error instanceof StewardError && error.status === 403 ? error.with({ hint: expected.revoked }) : error;
  });
  sayOutlived(terminal, operation, status.nonce);
  expected?.assertMet(status);
  const now = round.at(status);
  if (!now) throw round.missing(status, operation);
  for (const line of [...round.describe(status, operation), ...(expected?.describe() ?? [])]) say(terminal, line);
  round.assertAllowed?.(status, nonce, operation);
  if (nonce !== undefined && nonce !== now.nonce)
    throw stopped(
      "nonce-mismatch",
      `--nonce does not match the ${round.shares === "new" ? "verification" : round.name} in progress, ${now.nonce}`,
      `Nothing was sent. Find out whose ${round.name} it is.`,
    );
  if (nonce === undefined && (terminal.stdin.isTTY || !expected)) await confirm(terminal, prompt);
  return status;
}

/** The names of the decisive properties that differ. */
export function differences<Status extends Attempt>({ decisive }: Round<Status>, status: Status, other: Partial<Status>): string[] {
  const fields = Object.keys(decisive) as (keyof Status)[];
  return fields.filter((field) => !isDeepStrictEqual(status[field], other[field])).map((field) => decisive[field] as string);
}

/** Reads the status again, immediately before a share is sent: a changed attempt must not receive one. */
export async function assertUnchanged<Status extends Attempt>(
  operation: SharesOperation,
  round: Round<Status>,
  agreed: Status,
): Promise<Standing> {
  const status = await round.read(operation);
  const changed = differences(round, status, agreed);
  const [then, now] = [round.at(agreed), round.at(status)];
  if (now && now.nonce === then?.nonce && changed.length === 0) return now;
  const what = !status.started
    ? "it is gone"
    : !now
      ? `it now collects ${round.shares === "current" ? "new" : "current"} shares`
      : changed.join(", ") || "the nonce of its verification";
  throw stopped(
    "attempt-changed",
    `the ${round.name} has changed since it was shown (${what}); nothing was sent`,
    `Check \`${commandFor(operation, "status")}\`, and find out who changed it.`,
  );
}
