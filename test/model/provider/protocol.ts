import { Kind, Name, Reply, Request, Settings, Share } from "../server";

// The protocol of a rekey, as sequential code: each step yields its requests, and ends with what Pulumi saves.

/** `live` and `dead` are proven. `refused` is not: a holder may have brought a wrong share. */
export type Outcome = "open" | "unknown" | "refused" | "dead" | "live";

/** The shares that this stack gave to one probe or one verification. The real state holds digests of them. */
export interface Given {
  nonce?: Name;
  shares: Share[];
}

export interface Saved {
  attempt?: { id: Name; triggers: number; nonce?: Name; nonces: Name[] };
  shares?: { id: Name; nonce?: Name; nonces: Name[]; submitted: Share[]; kept: Name[]; candidate?: Name; isFromBackup?: boolean };
  commit?: { candidate: Name; outcome: Outcome; live?: Name; probe?: Given; verified?: Given };
}
export type Attempt = NonNullable<Saved["attempt"]>;
export type Shares = NonNullable<Saved["shares"]>;
export type Commit = NonNullable<Saved["commit"]>;

export interface Context {
  settings: Settings;
  saved: Saved;
  /** The shares that the user brings to this run, as current and as new ones. */
  current: Share[];
  brought: Share[];
  triggers: number;
  /** A name that no other run has. */
  id: Name;
  /** The candidate that this run's deletion has canceled. */
  canceled?: Name;
}

/** A step's state, and why the run ends after it. */
export interface Result {
  save?: Partial<Saved>;
  stop?: string;
  canceled?: Name;
}
export type Protocol<T> = Generator<Request, T, Reply>;

/** Ends the run without saving. */
export class Stop extends Error {}

export type Observed = Reply & {
  server: "none" | "probe" | "collecting" | "verifying" | "abandoned" | "unused" | "foreign";
};

export function* ask(request: Request): Protocol<Reply> {
  return yield request;
}

/** Observes the attempt on the server, for a step that knows these nonces. */
export function* observe({ saved, settings }: Context, nonces: readonly Name[], nonce?: Name): Protocol<Observed> {
  const status = yield* ask({ op: "status" });
  const mayAdopt = settings.verification || (settings.holders && settings.backup);
  const serverState = (): Observed["server"] => {
    if (status.is === "none") return "none";
    // Only the state makes a throw-away key the stack's own, so another client's attempt with one share is not taken for a probe.
    if (status.kind === "probe" && saved.attempt) return "probe";
    if (status.nonce === nonce) return status.verification ? "verifying" : "collecting";
    if (nonces.includes(status.nonce!)) return "abandoned";
    // Adopting an attempt without a share takes nothing from anybody.
    return status.kind === "ours" && !status.verification && status.count === 0 && mayAdopt ? "unused" : "foreign";
  };
  return { ...status, server: serverState() };
}

/** Starts an attempt. The status settles a lost reply. */
export function* start(context: Context, kind: Kind): Protocol<Name> {
  const reply = yield* ask({ op: "start", kind });
  if (reply.is === "started") return reply.nonce!;
  const seen = yield* observe(context, []);
  if (seen.server === (kind === "ours" ? "unused" : kind)) return seen.nonce!;
  throw new Stop(seen.server === "none" ? "again" : "foreign");
}

/** Cancels an attempt of the stack. */
export function* cancel({ nonce, verification }: Observed): Protocol<void> {
  // A provider that outlived its run may still send the last new share: with another verification nonce it cannot commit.
  if (verification && (yield* ask({ op: "restart" })).is !== "restarted") throw new Stop("again");
  // OpenBao cancels whichever attempt is in progress, so the cancel directly follows a look.
  if (verification && (yield* ask({ op: "status" })).nonce !== nonce) throw new Stop("again");
  if ((yield* ask({ op: "cancel", nonce: nonce! })).is !== "lost") return;
  if ((yield* ask({ op: "status" })).nonce === nonce) throw new Stop("again");
}

export const union = (...lists: readonly (readonly Name[])[]): Name[] => [...new Set(lists.flat())];
