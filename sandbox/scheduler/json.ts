/** `JSON.stringify` that writes a bigint as a number, since JavaScript numbers cannot represent times in nanoseconds. */
export function stringify(value: unknown, indent = "", before = ""): string {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Date) return JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inside = before + indent;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const members = Array.isArray(value)
    ? value.map((item) => stringify(item, indent, inside))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}:${indent && " "}${stringify(member, indent, inside)}`);
  if (members.length === 0) return `${open}${close}`;
  if (!indent) return `${open}${members.join(",")}${close}`;
  return `${open}\n${inside}${members.join(`,\n${inside}`)}\n${before}${close}`;
}
