/** A Markdown table. All columns after the first `leftAligned` ones are numbers. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], leftAligned = 1): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map((_, column) => (column < leftAligned ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

export const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
export const fixed = (value: number): string => value.toFixed(2);
