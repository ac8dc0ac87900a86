import { Operation } from ".";

/** Returns the same promises, and prints their progress every ten seconds: `<name>: 250 of 1000 <verb>`. */
export function withProgress<Part>(
  { run: { limits, log } }: Operation,
  work: Promise<Part>[],
  name: string,
  verb: string,
): Promise<Part>[] {
  let done = 0;
  const timer = setInterval(() => log.info(`${name}: ${done} of ${work.length} ${verb}`), limits.progressInterval).unref();
  const count = (): void => {
    done++;
    if (done === work.length) clearInterval(timer);
  };
  for (const part of work) part.then(count, count);
  if (work.length === 0) clearInterval(timer);
  return work;
}
