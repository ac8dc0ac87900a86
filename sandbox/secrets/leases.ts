import { randomInt } from "node:crypto";
import { HttpError } from "./http-error";
import { Lease, Mount, Records, Token } from "./records";
import { removeToken, Unreachable } from "./scheduler-client";
import { systemTtl, Terms, timeToLive } from "./ttl";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** A lease, the seconds that it has left, and the warnings about them. */
export interface Granted {
  lease: Lease;
  seconds: number;
  warnings: string[];
}

/** The TTLs of new leases: those of the lease configuration, or else of the mount, within the maximum of both. */
function termsOf({ lease, terms }: Mount): Terms {
  const limits = [lease?.maxTtl, terms.maxTtl].filter((limit) => limit) as number[];
  return { ttl: lease?.ttl || Math.min(terms.ttl || systemTtl, terms.maxTtl || systemTtl), maxTtl: Math.min(...limits, systemTtl) };
}

/** Creates a lease for a scheduler token that `token` requested at this path. */
export function grant(records: Records, mount: Mount, path: string, accessor: string, token: Token): Granted {
  const now = records.clock.now().getTime();
  const { seconds, warnings } = timeToLive(termsOf(mount), now, now)!;
  const id = `${path}/${Array.from({ length: 24 }, () => letters[randomInt(letters.length)]).join("")}`;
  const lease: Lease = { id, mount, accessor, token: token.id, issued: now, expires: now + seconds * 1000 };
  records.leases.set(id, lease);
  return { lease, seconds, warnings };
}

/** Renews a lease by the current lease configuration, at most up to its maximum TTL since the lease was issued. `increment`: requested seconds, or 0. */
export function renew(records: Records, id: string, increment: number): Granted {
  const lease = records.leases.get(id);
  const now = records.clock.now().getTime();
  if (!lease) throw new HttpError(400, "lease not found");
  if (lease.expires <= now) throw new HttpError(400, "lease expired");
  const { ttl, maxTtl } = termsOf(lease.mount);
  const life = timeToLive({ ttl: increment > 0 ? increment : ttl, maxTtl }, lease.issued, now);
  if (!life) throw new HttpError(400, "past the max TTL, cannot renew");
  lease.renewed = now;
  lease.expires = now + life.seconds * 1000;
  return { lease, ...life };
}

/** Ends a lease and its token. Throws, and keeps the lease, if the scheduler does not remove the token. */
export function revoke(records: Records, lease: Lease): void {
  try {
    removeToken(records.schedulerPeer, lease.mount.access, lease.accessor);
  } catch (error) {
    throw error instanceof Unreachable
      ? new HttpError(400, `failed to revoke entry: resp: (*logical.Response)(nil) err: ${error.message}`)
      : error;
  }
  records.leases.delete(lease.id);
}

/** Ends a token, its child tokens, and all their leases. */
export function revokeToken(records: Records, token: Token): void {
  records.tokens.delete(token.id);
  for (const child of [...records.tokens.values()]) if (child.parent === token.id) revokeToken(records, child);
  const now = records.clock.now().getTime();
  for (const lease of records.leases.values()) if (lease.token === token.id) lease.expires = Math.min(lease.expires, now);
  expireLeases(records, now);
}

/** Removes a mount and ends its leases. Throws if a lease cannot be ended. */
export function unmount(records: Records, path: string): void {
  const mount = records.mounts.get(path);
  if (!mount) return;
  mount.tainted = true;
  const leases = [...records.leases.values()].filter((lease) => lease.mount === mount);
  for (const [index, lease] of leases.entries()) {
    try {
      revoke(records, lease);
    } catch (error) {
      const count = `(${index + 1} / ${leases.length})`;
      throw error instanceof HttpError ? new HttpError(400, `failed to revoke "${lease.id}" ${count}: ${error.message}`) : error;
    }
  }
  records.mounts.delete(path);
}

/** Ends expired tokens and leases. A sealed service waits until it is unsealed. */
export function expire(records: Records): void {
  if (records.sealed) return;
  const now = records.clock.now().getTime();
  for (const token of [...records.tokens.values()]) if (token.expires !== undefined && token.expires <= now) revokeToken(records, token);
  expireLeases(records, now);
}

/** Ends expired leases. If the scheduler does not remove a token, the next call tries again. */
function expireLeases(records: Records, now: number): void {
  for (const lease of [...records.leases.values()]) {
    if (lease.expires > now) continue;
    try {
      revoke(records, lease);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }
}
