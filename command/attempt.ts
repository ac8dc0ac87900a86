import { isDeepStrictEqual } from "node:util";
import { Connection, connect, isPrivate, noEngine } from "../provider/connection";
import { StewardError } from "../provider/errors";
import { system } from "../provider/secrets/client";
import { getStatus } from "../provider/secrets/rekey/api";
import { RekeyStatus } from "../provider/secrets/rekey/states";
import { ask, Cancelled, say, Terminal } from "./terminal";

// The rekey in progress: which one it is, what it will make, and whether it still is the one that was shown.

/** The secrets service of the environment. */
export function service(terminal: Terminal): Connection {
  const { environment } = terminal;
  const tell = (line: string): void => say(terminal, line);
  try {
    return connect(system, "default", { config: () => undefined, environment, cache: new Map(), engine: noEngine, say: tell });
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "ERR_NO_CONNECTION") throw error;
    throw error.with({
      reason: "The environment names no secrets service",
      hint: "Set SECRETS_ADDR and SECRETS_TOKEN, or VAULT_ADDR and VAULT_TOKEN.",
    });
  }
}

/** A share in clear text is everybody's. */
export function assertPrivate(connection: Connection, { allowHttp }: { allowHttp?: boolean }): void {
  if (allowHttp || isPrivate(connection)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `shares would go to ${connection.address} in clear text`,
    hint: "Give it https, or say --accept-plaintext.",
  });
}

/** What a command is about: the attempt while it takes current shares, its verification, or the attempt at any time. */
export interface Round {
  /** Whose shares are counted. */
  shares: "current" | "new";
  /** Where it stands; undefined when there is nothing for the command to do. */
  at(status: RekeyStatus): Standing | undefined;
}

export interface Standing {
  nonce: string;
  progress: number;
  required: number;
}

const collecting = ({ nonce, progress, required }: RekeyStatus): Standing => ({ nonce, progress, required });
const verifying = ({ verification: now }: RekeyStatus): Standing | undefined =>
  now && { nonce: now.nonce, progress: now.progress, required: now.threshold };

export const submitting: Round = {
  shares: "current",
  at: (status) => (status.started && !status.verification ? collecting(status) : undefined),
};
export const giving: Round = { shares: "new", at: verifying };
export const cancelling: Round = {
  shares: "current",
  at: (status) => (status.started ? collecting(status) : undefined),
};

/** The attempt, for a person. */
export function describe(status: RekeyStatus, { address }: Connection): string[] {
  if (!status.started) return [`no rekey in progress on ${address}`];
  const { nonce, shares, threshold, progress, required, pgpFingerprints, backup, verificationRequired, verification } = status;
  const rows: [label: string, value: string][] = [
    ["server", address],
    ["nonce", nonce],
    ["new shares", `${shares}, threshold ${threshold}`],
    ["current shares", verification ? "all given: the new shares are made" : `${progress} of ${required} given`],
    [
      "verification",
      verification
        ? `${verification.progress} of ${verification.threshold} new shares given back; its nonce: ${verification.nonce}`
        : verificationRequired
          ? "required: nothing is committed before new shares are given back"
          : "none: the last current share commits",
    ],
    ["encrypted to", pgpFingerprints.length === 0 ? "nobody: the last current share brings all new shares in clear text" : ""],
    ["backup", backup ? "the service keeps the encrypted new shares" : "none"],
  ];
  const lines = rows.map(([label, value]) => `${label.padEnd(16)}${value}`.trimEnd());
  const keys = pgpFingerprints.map((fingerprint, index) => `  share ${index + 1}`.padEnd(16) + fingerprint);
  return [...lines.slice(0, 6), ...keys, ...lines.slice(6)];
}

/** A stack verifies what its own state holds, and cannot see what was verified here. Which of the two runs a rekey, no service tells. */
export const giveBack = (them: string, nonce?: string): string =>
  `If a stack runs this rekey, bring ${them} there, as newShares. If none does, give ${them} back: pulumi-steward rekey verify${nonce ? ` --nonce ${nonce}` : ""}`;

const missing = (round: Round, status: RekeyStatus, { address }: Connection): StewardError => {
  const fail = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
  if (!status.started) return fail(`no rekey is in progress on ${address}`, "Nothing was sent.");
  return round.shares === "current"
    ? fail("the current shares are all given, and the new ones are made", `${giveBack("your new share")}.`)
    : fail(
        "there is nothing to verify: the new shares are not made yet",
        `${status.progress} of ${status.required} current shares are given; give one with \`pulumi-steward rekey submit\`.`,
      );
};

/** Shows the attempt, and goes on only with the one that is meant: named by its nonce, or confirmed. */
export async function agree(
  terminal: Terminal,
  connection: Connection,
  round: Round,
  question: string,
  nonce?: string,
): Promise<RekeyStatus> {
  const status = await getStatus(connection);
  const now = round.at(status);
  if (!now) throw missing(round, status, connection);
  for (const line of describe(status, connection)) say(terminal, line);
  const refuse = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_CONFLICT", reason, hint });
  if (round.at === verifying && nonce === status.nonce && nonce !== now.nonce)
    throw refuse(
      `--nonce is the rekey's own; that of its verification is ${now.nonce}`,
      "Nothing was sent: look at it with `pulumi-steward rekey status`, and give that one.",
    );
  if (nonce !== undefined && nonce !== now.nonce)
    throw refuse(
      `--nonce is not that of the ${round.at === verifying ? "verification" : "rekey"} in progress, ${now.nonce}`,
      "Nothing was sent: find out whose it is.",
    );
  if (nonce === undefined && !/^\s*y(es)?\s*$/i.test(await ask(terminal, `${question} [y/N] `, { hidden: false }))) throw new Cancelled();
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

/** Looks once more, immediately before something is sent: whoever changed the attempt would get a share for another one. */
export async function lookAgain(connection: Connection, round: Round, shown: RekeyStatus): Promise<Standing> {
  const status = await getStatus(connection);
  const fields = Object.keys(decisive) as (keyof typeof decisive)[];
  const changed = fields.filter((field) => !isDeepStrictEqual(status[field], shown[field])).map((field) => decisive[field]);
  const [then, now] = [round.at(shown), round.at(status)];
  if (now && now.nonce === then?.nonce && changed.length === 0) return now;
  const what = !status.started ? "it is gone" : !now ? "it takes other shares now" : changed.join(", ") || "the nonce of its verification";
  throw new StewardError({
    code: "ERR_CONFLICT",
    reason: `the rekey is no longer the one that was shown (${what}); nothing was sent`,
    hint: "Look at it with `pulumi-steward rekey status`, and find out who changed it.",
  });
}
