/** One line without control and format characters: names and server responses may contain commands to a terminal. @internal */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");

/** The first ten, and how many more there are. @internal */
export const shortened = (items: readonly string[]): string[] => [
  ...items.slice(0, 10),
  ...(items.length > 10 ? [`and ${items.length - 10} more`] : []),
];
