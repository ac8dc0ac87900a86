/** A boolean in the spellings of Go's strconv.ParseBool, which the products accept; undefined for any other string. */
export function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}

const units: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, μs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** A duration in the spelling of Go's time.ParseDuration, such as `1m30s`, in seconds; undefined if invalid. Only 0 needs no unit. */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!/^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)];
  const total = parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (units[unit] ?? 0), 0);
  return text.startsWith("-") ? -total : total;
}
