import { createHash } from "node:crypto";
import { isObject, withoutNulls, withSortedKeys } from "../../../text/json";
import { RekeyPhase, RekeyStatus, RekeyTarget } from "./status";

// The record of a rekey, for auditors: what this client did, and what it saw that it did not do. Nothing in it is secret.

/**
 * An event in the record of a rekey:
 *
 * - `started`: this client started the attempt;
 * - `observed`: the attempt changed outside the record, by another client or by a run that was killed;
 * - `submitted`: the server counted a current share;
 * - `created`: the last current share returned the new shares;
 * - `confirmed`: with `confirm: "all"`, a holder confirmed a new share;
 * - `verified`: the server counted a new share;
 * - `restarted`: the verification restarted, so that the server discarded the new shares;
 * - `rejected`: the server rejected a share, or all of them;
 * - `unknown`: a response was lost, so the record cannot show if the request counted;
 * - `tested`: a probe or a drill tested shares;
 * - `committed`: the new shares are valid. After `tested` with shares that holders brought, it is their claim that these are the new ones;
 * - `canceled`: this client canceled the attempt;
 * - `backup-removed`: this client removed a backup.
 */
export type RekeyEvent =
  | "started"
  | "observed"
  | "submitted"
  | "created"
  | "confirmed"
  | "verified"
  | "restarted"
  | "rejected"
  | "unknown"
  | "tested"
  | "committed"
  | "canceled"
  | "backup-removed";

/** An entry in the record of a rekey. The nonce, the phase and the counts are those after the event. */
export interface RekeyRecordEntry {
  /** The time in UTC, by the clock of the client: `2026-11-27T18:00:00.000Z`. */
  time: string;
  /** The event. */
  event: RekeyEvent;
  /** The kind of keys. */
  target: RekeyTarget;
  /** The nonce of the attempt. Empty before the first one. */
  nonce: string;
  /** The phase of the attempt: `submitting` or `verifying`. Undefined before it starts and after it ends. */
  phase?: RekeyPhase;
  /** The number of shares that the server has counted in this phase. */
  count: number;
  /** The number of shares that this phase requires. */
  required: number;
  /** More about the event, in words. */
  detail?: string;
  /**
   * The address of the server, with the namespace if there is one. Only in the first entry, where an attempt begins, and where the server changes, as
   * all that follows.
   */
  server?: string;
  /** The id of the server's cluster, if the client read it. */
  clusterId?: string;
  /** The version of the server, if the client read it. */
  version?: string;
  /** The number of new shares, as the server shows it. */
  shares?: number;
  /** The threshold of the new shares. */
  threshold?: number;
  /** The fingerprints of the keys to whose subkeys the new shares are encrypted. */
  fingerprints?: string[];
  /** True if the server keeps the encrypted new shares. */
  backup?: boolean;
  /** True if new shares must be verified before the commit. */
  verification?: boolean;
  /** The SHA-256 hash of the entry before, in hex. Empty for the first one. */
  previous: string;
}

type Standing = Pick<RekeyRecordEntry, "nonce" | "phase" | "count" | "required">;

const standingOf = (status: RekeyStatus, last: Standing): Standing => {
  const { nonce, progress: count, required, verification: now } = status;
  if (!status.started) return { ...last, ...ended };
  return now
    ? { nonce, phase: "verifying", count: now.progress, required: now.threshold }
    : { nonce, phase: "submitting", count, required };
};

/** No attempt is in progress. */
export const ended = { phase: undefined, count: 0, required: 0 };

/** The JSON of a value, with sorted names: a state or another tool may have sorted them. */
const canonical = (value: unknown): string => JSON.stringify(value, withSortedKeys);

export const hashOf = (entry: RekeyRecordEntry): string => createHash("sha256").update(canonical(entry)).digest("hex");

const link = (record: readonly RekeyRecordEntry[], entry: Omit<RekeyRecordEntry, "previous">): RekeyRecordEntry => {
  const last = record.at(-1);
  return { ...(withoutNulls(entry) as typeof entry), previous: last ? hashOf(last) : "" };
};

/** A record with the entries of another one that it does not have yet, and that it does not explain. */
export function extended(record: readonly RekeyRecordEntry[] = [], more: readonly RekeyRecordEntry[] = []): RekeyRecordEntry[] {
  const key = ({ previous: _, ...entry }: RekeyRecordEntry): string => canonical(entry);
  const known = new Set(record.map(key));
  const all = [...record];
  for (const entry of more) if (!known.has(key(entry)) && !isExplained(entry, all)) all.push(link(all, entry));
  return all;
}

const afterRejection = "The server discarded the shares.";
const unexplained = "No entry above shows who did this: another client, or a request whose response was lost.";

/** True for what a step observed without the entries of the next step, which did it. */
function isExplained({ event, nonce, time, ...entry }: RekeyRecordEntry, all: readonly RekeyRecordEntry[]): boolean {
  if (event !== "observed") return false;
  const before = all.filter((each) => each.nonce === nonce && each.time <= time).at(-1);
  if (!before || before.event === "verified") return false;
  return before.phase === entry.phase && (!entry.phase || before.count === entry.count);
}

/** Makes the entries of one run. The functions of the API call it, so that no step can forget an entry. */
export class Recorder {
  private readonly server: Pick<RekeyRecordEntry, "server" | "clusterId" | "version">;
  /** The nonce of the attempt that this run started and has not seen yet, or an empty string if the response had none. */
  private started: string | undefined;
  private hasVerification = true;
  /** The last entry that this run has added. */
  private own: RekeyRecordEntry | undefined;

  /** `save`: receives each entry at once. */
  constructor(
    private readonly operation: { server: { id: string }; target: RekeyTarget },
    readonly entries: RekeyRecordEntry[],
    private readonly save: (entry: RekeyRecordEntry) => void = () => {},
  ) {
    this.server = { server: operation.server.id };
  }

  add(event: RekeyEvent, changes: Partial<RekeyRecordEntry> = {}): void {
    const { entries, operation, server } = this;
    this.own = link(entries, {
      time: new Date().toISOString(),
      event,
      target: operation.target,
      ...(this.isElsewhere || changes.shares !== undefined ? server : {}),
      ...this.standing,
      ...changes,
    });
    entries.push(this.own);
    this.save(this.own);
  }

  /** The entries so far are about the keys of another server, or of the other kind. */
  private get isElsewhere(): boolean {
    const { server } = this.entries.filter((entry) => entry.server !== undefined).at(-1) ?? {};
    return server !== this.operation.server.id || this.entries.at(-1)?.target !== this.operation.target;
  }

  private get standing(): Standing {
    const { nonce, phase, count, required } = (this.isElsewhere ? undefined : this.entries.at(-1)) ?? { nonce: "", ...ended };
    return { nonce, phase, count, required };
  }

  /** Notes what a response of `sys/seal-status` or `sys/health` shows about the server. Anything of another form could be a share. */
  identify(body: unknown): void {
    const { cluster_id: clusterId, version } = isObject(body) ? body : {};
    if (typeof clusterId === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(clusterId)) this.server.clusterId = clusterId;
    if (typeof version === "string" && /^\d+\.\d+\.\d+([.+-][\w.+-]{0,32})?$/.test(version)) this.server.version = version;
  }

  /** The next status shows the attempt. */
  expectStarted(nonce = ""): void {
    this.started = nonce;
  }

  /** Compares the attempt with the last entry. */
  see(status: RekeyStatus): void {
    const before = this.standing;
    const now = standingOf(status, before);
    const isOwn = status.started && (this.started === "" || this.started === status.nonce);
    if (status.started) this.hasVerification = status.verificationRequired;
    this.started = undefined;
    const isSame = now.nonce === before.nonce && now.phase === before.phase && (!now.phase || now.count === before.count);
    const last = this.entries.at(-1);
    // An earlier run ended before it saw the commit.
    const isUnseen = last?.event === "verified" && !last.phase && last.time !== this.own?.time && !this.isElsewhere;
    if (isSame && !isUnseen) return;
    const { shares, threshold, pgpFingerprints, backup, verificationRequired: verification } = status;
    const fingerprints = pgpFingerprints.map((each) => (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(each) ? each : "no fingerprint"));
    const isNew = status.started && now.nonce !== before.nonce;
    this.add(isOwn ? "started" : "observed", {
      ...now,
      ...(isNew ? { shares, threshold, fingerprints, backup, verification } : {}),
      ...(isOwn ? {} : { detail: last?.event === "rejected" ? afterRejection : unexplained }),
    });
  }

  /** A current share was counted. The last one returns the new shares, which have this threshold. */
  submitted(isLast: boolean, progress: number | undefined, threshold: number): void {
    const { count, required } = this.standing;
    this.add("submitted", { count: isLast ? required : (progress ?? count + 1) });
    if (!isLast) return;
    this.add("created", this.hasVerification ? { phase: "verifying", count: 0, required: threshold } : ended);
    if (!this.hasVerification) this.add("committed");
  }

  /** The server confirmed a cancel, which it does if the attempt is gone, too. */
  canceled(nonce: string): void {
    const mayHaveCommitted = !this.hasVerification && "Unless another client committed it at the same moment, with the last current share.";
    this.add("canceled", { nonce, ...ended, ...(mayHaveCommitted ? { detail: mayHaveCommitted } : {}) });
  }

  /** A new share was counted. */
  verified(isLast: boolean, progress: number | undefined): void {
    const { count, required } = this.standing;
    this.add("verified", isLast ? { count: required, phase: undefined } : { count: progress ?? count + 1 });
  }
}
