import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const steps: (() => unknown)[] = [];

/** Does this at the end of the suite, the last one first. A program without suites does it itself. */
export function atEnd(step: () => unknown): void {
  steps.push(step);
}

/** Makes a folder that exists until the end of the suite. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "steward-")));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

if (typeof afterAll === "function")
  afterAll(async () => {
    for (const step of steps.reverse()) await step();
  });
