/** Polls a condition. Fails after 60 seconds, which is less than a suite may take, so that the error names what did not happen. */
export async function until(what: string, isSo: () => unknown): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isSo()); ) {
    if (Date.now() > end) throw new Error(`Timed out before ${what}.`);
    await new Promise((next) => setTimeout(next, 5));
  }
}
