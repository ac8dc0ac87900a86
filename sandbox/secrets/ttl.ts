/** What the system gives when nobody asks for less, and the most that it gives: 32 days. */
const systemTtl = 2_764_800;

/** Everything that has a say in how long a lease or a token lives, in seconds; 0 has none. */
export interface Terms {
  /** What was asked for. */
  ttl: number;
  maxTtl: number;
}

/** How long from now, in whole seconds, and what the service says about it. `issued` and `now` in milliseconds. undefined: its time is over. */
export function timeToLive({ ttl, maxTtl }: Terms, issued: number, now: number): { seconds: number; warnings: string[] } | undefined {
  const limit = maxTtl > 0 ? Math.min(maxTtl, systemTtl) : systemTtl;
  const wanted = ttl || systemTtl;
  const left = Math.floor(issued / 1000) + limit - Math.floor(now / 1000);
  if (left <= 0) return undefined;
  if (wanted <= left) return { seconds: wanted, warnings: [] };
  const warning = `TTL of "${spelled(wanted)}" exceeded the effective max_ttl of "${spelled(left)}"; TTL value is capped accordingly`;
  return { seconds: left, warnings: [warning] };
}

/** As Go writes a duration, without parts that are zero at its end: "768h", "1h30m", "90s" is "1m30s". */
function spelled(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = seconds % 60;
  return [hours && `${hours}h`, minutes && `${minutes}m`, rest && `${rest}s`].filter(Boolean).join("") || "0s";
}
