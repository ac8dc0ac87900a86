/** One line without control and format characters: names and server responses may contain commands to a terminal. @internal */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");

/** Prints a line in the output of `pulumi up`. @internal */
export const log = (line: string): void => console.log(printable(line));

/** How often the progress of long work is printed, in milliseconds. @internal */
export const progress = { interval: 10_000 };

/** Returns the same work. While it runs, prints every ten seconds how much of it is done: `<name>: 250 of 1000 <verb>`. @internal */
export function withProgress<Part>(work: Promise<Part>[], name: string, verb: string): Promise<Part>[] {
  let done = 0;
  const timer = setInterval(() => log(`${name}: ${done} of ${work.length} ${verb}`), progress.interval).unref();
  const count = (): void => {
    done++;
    if (done === work.length) clearInterval(timer);
  };
  for (const part of work) part.then(count, count);
  if (work.length === 0) clearInterval(timer);
  return work;
}

/** The first ten, and how many more there are. @internal */
export const shortened = (items: readonly string[]): string[] => [
  ...items.slice(0, 10),
  ...(items.length > 10 ? [`and ${items.length - 10} more`] : []),
];
