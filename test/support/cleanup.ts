const steps: (() => unknown)[] = [];

/** Does this at the end of the suite, the last one first. A program without suites does it itself. */
export function atEnd(step: () => unknown): void {
  steps.push(step);
}

if (typeof afterAll === "function")
  afterAll(async () => {
    for (const step of steps.reverse()) await step();
  });
