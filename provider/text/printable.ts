/**
 * One line without control and format characters, since names and responses may contain terminal escape sequences. Pulumi takes `<{%` as the beginning of
 * a color, and panics if it does not know the color.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").replaceAll("<{%", "<{ %");

/** The first ten items, and the number of further ones. */
export const shortened = (items: readonly string[]): string[] => [
  ...items.slice(0, 10),
  ...(items.length > 10 ? [`and ${items.length - 10} more`] : []),
];
