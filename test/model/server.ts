// The server's part of a rekey, as observed on Vault and OpenBao.

/** The name of an attempt, a verification or a set of shares: `#n1`, `#v2`, `#s3.2`. After the dot is the threshold of the set. */
export type Name = string;
/** A share of a set: `#s3.2/0`. */
export type Share = string;

/** `ours` has the parameters of the rekey, although another client may have started it, and `probe` the throw-away key of the stack. */
export type Kind = "ours" | "probe" | "foreign";

export interface Attempt {
  nonce: Name;
  kind: Kind;
  /** `late` is a start of the provider that the server applied after the run had ended. */
  by: "us" | "late" | "others";
  /** The current shares submitted so far. */
  given: Share[];
  candidate?: Name;
  verification?: Name;
  verified: Share[];
}

export interface Server {
  live: Name;
  attempt?: Attempt;
  /** The encrypted shares that the last attempt with a backup made. */
  backup?: { nonce: Name; set: Name };
}

export interface Settings {
  /** Holders with PGP keys, who bring shares in separate runs. Otherwise, one operator whose state holds the new shares. */
  holders: boolean;
  /** OpenBao cancels whichever attempt is in progress, and counts a new share twice. */
  openBao: boolean;
  backup: boolean;
  /** Without it, the last current share commits. */
  verification: boolean;
  /** The threshold of the first set, and that of new ones. */
  from: number;
  to: number;
}

export type Request =
  | { op: "status" | "restart" | "backup" }
  | { op: "start"; kind: Kind }
  | { op: "cancel"; nonce: Name }
  | { op: "submit" | "verify"; nonce: Name; share: Share };

export interface Reply {
  is:
    | ("none" | "attempt" | "started" | "exists" | "canceled" | "wrong" | "lost")
    | ("counted" | "repeated" | "rejected" | "made" | "complete" | "restarted" | "backup");
  nonce?: Name;
  kind?: Kind;
  count?: number;
  required?: number;
  verification?: Name;
  verified?: number;
  set?: Name;
}

export const thresholdOf = (set: Name): number => Number(set.split(".")[1]);
export const setOf = (share: Share): Name => share.split("/")[0]!;
export const sharesOf = (set: Name, count = thresholdOf(set)): Share[] => Array.from({ length: count }, (_, index) => `${set}/${index}`);

/** Applies a request. `fresh` returns a new name. */
export function serve(server: Server, settings: Settings, by: Attempt["by"], request: Request, fresh: (kind: string) => Name): Reply {
  const { attempt } = server;
  switch (request.op) {
    case "status":
      return statusOf(server);
    case "backup":
      return { is: "backup", ...server.backup };
    case "start": {
      if (attempt) return { is: "exists" };
      const nonce = fresh("n");
      server.attempt = { nonce, kind: request.kind, by, given: [], verified: [] };
      return { is: "started", nonce, required: thresholdOf(server.live) };
    }
    case "cancel":
      if (attempt && attempt.nonce !== request.nonce && !settings.openBao) return { is: "wrong" };
      server.attempt = undefined;
      return { is: "canceled" };
    case "restart":
      if (!attempt?.candidate) return { is: "none" };
      restartVerification(attempt, fresh);
      return { is: "restarted", verification: attempt.verification };
    case "submit":
      return submit(server, settings, request, fresh);
    case "verify":
      return verify(server, settings, request, fresh);
  }
}

function statusOf({ live, attempt }: Server): Reply {
  const required = thresholdOf(live);
  if (!attempt) return { is: "none", required };
  const { nonce, kind, given, verification, verified } = attempt;
  return { is: "attempt", nonce, kind, count: given.length, required, verification, verified: verified.length };
}

function restartVerification(attempt: Attempt, fresh: (kind: string) => Name): void {
  attempt.verification = fresh("v");
  attempt.verified = [];
}

/** Shares are checked at the threshold, and only there. */
function submit(server: Server, settings: Settings, { nonce, share }: { nonce: Name; share: Share }, fresh: (kind: string) => Name): Reply {
  const { attempt, live } = server;
  if (!attempt) return { is: "none" };
  if (attempt.nonce !== nonce || attempt.candidate) return { is: "wrong" };
  if (attempt.given.includes(share)) return { is: "repeated" };
  attempt.given.push(share);
  if (attempt.given.length < thresholdOf(live)) return { is: "counted", count: attempt.given.length };
  const isAccepted = attempt.given.every((each) => setOf(each) === live);
  attempt.given = [];
  if (!isAccepted) return { is: "rejected" };
  const isOurs = attempt.kind === "ours";
  const set = `${fresh("s")}.${isOurs ? settings.to : attempt.kind === "foreign" ? settings.from : 1}`;
  if (settings.backup && isOurs) server.backup = { nonce, set };
  if (isOurs && !settings.verification) {
    Object.assign(server, { live: set, attempt: undefined });
    return { is: "made", set };
  }
  attempt.candidate = set;
  restartVerification(attempt, fresh);
  return { is: "made", set, verification: attempt.verification };
}

/** The last new share commits. A wrong or repeated one among them restarts the verification. */
function verify(server: Server, settings: Settings, { nonce, share }: { nonce: Name; share: Share }, fresh: (kind: string) => Name): Reply {
  const { attempt } = server;
  if (!attempt?.candidate) return { is: "none" };
  if (attempt.verification !== nonce) return { is: "wrong" };
  const { candidate, verified } = attempt;
  if (verified.includes(share) && !settings.openBao) return { is: "repeated" };
  verified.push(share);
  if (verified.length < thresholdOf(candidate)) return { is: "counted", count: verified.length };
  if (verified.every((each, index) => setOf(each) === candidate && verified.indexOf(each) === index)) {
    Object.assign(server, { live: candidate, attempt: undefined });
    return { is: "complete" };
  }
  restartVerification(attempt, fresh);
  return { is: "rejected" };
}
