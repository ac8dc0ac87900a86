const { FAULTS, TESTS } = process.env;

/** True with TESTS=all: runs all tests that a change must pass, not only those of `npm test`. */
export const isWhole = TESTS === "all";

/** Returns 1 with FAULTS=all, as each night, so that every fault meets every request. Otherwise one in `count` combinations runs. */
export const oneIn = (count: number): number => (FAULTS === "all" ? 1 : count);

/** The number of random cases: all of them with TESTS=all, otherwise a fifth. */
export const draws = (count: number): number => Math.ceil(count / (isWhole ? 1 : 5));
