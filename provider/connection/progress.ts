import { Operation } from ".";

/** Returns the same promises, and prints their progress every ten seconds: `<name>: 250 of 1000 <verb>`. */
export function withProgress<Part>({ run }: Operation, name: string, work: Promise<Part>[], verb: string): Promise<Part>[] {
  let done = 0;
  const report = (): void => run.log.info(`${name}: ${done} of ${work.length} ${verb}`);
  const timer = setInterval(report, run.limits.progressInterval).unref();
  const count = (): void => void done++;
  for (const part of work) part.then(count, count);
  void Promise.allSettled(work).then(() => clearInterval(timer));
  return work;
}
