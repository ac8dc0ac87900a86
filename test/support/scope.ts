const { FAULTS, TESTS } = process.env;

/** TESTS=all: what a change has to pass, not only what `npm test` tries. */
export const isWhole = TESTS === "all";

/** With FAULTS=all, as each night, every fault meets every request. Otherwise one of so many combinations is tried. */
export const oneIn = (count: number): number => (FAULTS === "all" ? 1 : count);

/** How many random cases to draw: all of them with TESTS=all, otherwise a fifth. */
export const draws = (count: number): number => Math.ceil(count / (isWhole ? 1 : 5));
