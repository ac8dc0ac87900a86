/** A table in Markdown; all columns but the first `texts` are numbers. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column < texts ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
export const fixed = (value: number): string => value.toFixed(2);
