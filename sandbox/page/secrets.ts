import { createHash } from "node:crypto";
import { Attempt, Records } from "../secrets/records";
import { routeFiles } from "../secrets/routes";
import { Key } from "../secrets/seal";
import { Block, Cell, fields, row, Section, table, time } from "../view";

export function secretsView(records: Records, now: Date, url: string): Section {
  const mounts = [...records.mounts.values()].flatMap((mount) => routeFiles.flatMap(({ view }) => view?.(mount) ?? []));
  const others = routeFiles.flatMap(({ serviceView }) => serviceView?.(records) ?? []);
  const ofKeys = [keys(records), ...rekeys(records), ...backups(records)];
  return { note: url, blocks: [...ofKeys, ...mounts, ...others, leases(records, now)] };
}

/** The secrets that the page must hide everywhere. */
export function secretsOf(records: Records): string[] {
  const { tokens, mounts, key, attempts } = records;
  const shares = [...key.shares, ...Object.values(attempts).flatMap((attempt) => attempt?.candidate?.shares ?? [])];
  return [
    ...tokens.keys(),
    ...[...mounts.values()].flatMap((mount) => routeFiles.flatMap(({ secrets }) => secrets?.(mount) ?? [])),
    ...routeFiles.flatMap(({ serviceSecrets }) => serviceSecrets?.(records) ?? []),
    ...shares.flatMap((share) => [share, Buffer.from(share, "base64").toString("hex")]),
  ];
}

function keys({ sealed, seal, key, unsealing }: Records): Block {
  const values: Record<string, Cell> = {
    seal: sealed ? { text: "sealed", tone: "bad" } : { text: "unsealed", tone: "good" },
    "kept by": seal === "stored" ? "the seal itself" : "the holders of its shares",
    shares: ofKey(key.shares.length, key.threshold),
    fingerprint: fingerprint(key),
  };
  if (unsealing) values.given = { filled: unsealing.parts.length, of: key.threshold };
  return fields(seal === "stored" ? "Recovery keys" : "Unseal keys", values);
}

/** A hash that identifies a key. A key is 32 random bytes, so the hash does not reveal it. */
function fingerprint({ secret }: Key): string {
  return createHash("sha256").update(secret).digest("hex").slice(0, 12);
}

function ofKey(shares: number, threshold: number): string {
  return `${shares} (threshold ${threshold})`;
}

function rekeys({ attempts, key }: Records): Block[] {
  const { unseal, recovery } = attempts;
  return [
    unseal ? rekey("Rekey", unseal, key) : fields("Rekey", undefined, "No rekey in progress."),
    ...(recovery ? [rekey("Rekey of the recovery keys", recovery, key)] : []),
  ];
}

function rekey(title: string, attempt: Attempt, key: Key): Block {
  const { candidate, verification, threshold, holders } = attempt;
  return fields(title, {
    phase: { text: candidate ? "the new shares are being verified" : "the current shares are being submitted", tone: "warn" },
    "current shares": { filled: candidate ? key.threshold : attempt.submitted.length, of: key.threshold },
    "new shares": verification ? { filled: attempt.proven.length, of: threshold } : "are not verified",
    "new key": ofKey(attempt.shares, threshold),
    "encrypted to": holders.length > 0 ? holders.map((holder) => holder.fingerprint).join(", ") : "nobody",
    backup: attempt.backup ? "requested" : "none",
    started: time(attempt.startedAt),
  });
}

function backups({ backups }: Records): Block[] {
  return Object.entries(backups).flatMap(([kind, backup]) => {
    if (!backup) return [];
    const rows = backup.messages.map(({ fingerprint, message }, at) => row(`${at}`, fingerprint, `${message.length} bytes, encrypted`));
    return [table(`Backup of new ${kind === "recovery" ? "recovery keys" : "shares"}`, ["Holder's key", "Message"], rows)];
  });
}

/** The generated tokens by accessor. The token that requested one is a secret. */
function leases({ leases }: Records, now: Date): Block {
  const live = [...leases.values()].filter(({ expires }) => expires > now.getTime());
  const rows = live.map(({ id, accessor, expires }) => row(id, id, accessor, time(new Date(expires))));
  return table("Leases of generated tokens", ["Lease", "Accessor", "Until"], rows.reverse());
}
