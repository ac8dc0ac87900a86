/** The default and maximum TTL of the system: 32 days. */
export const systemTtl = 2_764_800;

/** The TTLs of a lease or a token, in seconds. 0: not set. */
export interface Terms {
  ttl: number;
  maxTtl: number;
}

/** The TTL from now in whole seconds, and warnings about it. Undefined if it has expired. `issued` and `now` are in milliseconds. */
export function timeToLive({ ttl, maxTtl }: Terms, issued: number, now: number): { seconds: number; warnings: string[] } | undefined {
  const limit = maxTtl > 0 ? Math.min(maxTtl, systemTtl) : systemTtl;
  const requested = ttl || systemTtl;
  const left = Math.floor(issued / 1000) + limit - Math.floor(now / 1000);
  if (left <= 0) return undefined;
  if (requested <= left) return { seconds: requested, warnings: [] };
  const warning = `TTL of "${spelled(requested)}" exceeded the effective max_ttl of "${spelled(left)}"; TTL value is capped accordingly`;
  return { seconds: left, warnings: [warning] };
}

/** Formats a duration as Go does, without trailing zero parts: "768h", "1h30m", "1m30s". */
function spelled(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = seconds % 60;
  return [hours && `${hours}h`, minutes && `${minutes}m`, rest && `${rest}s`].filter(Boolean).join("") || "0s";
}
