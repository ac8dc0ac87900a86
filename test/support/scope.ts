const { FAULTS, TESTS } = process.env;

/** TESTS=all: what a change has to pass, not only what `npm test` tries. */
export const isWhole = TESTS === "all";

/**
 * With FAULTS=all, as each night, every fault meets every request. Otherwise each request meets a fifth of the 14 faults, and the next request others: the
 * stride must not divide their number.
 */
export const stride = FAULTS === "all" ? 1 : 5;

/** How many random cases to draw: all of them with TESTS=all, otherwise a fifth. */
export const draws = (count: number): number => Math.ceil(count / (isWhole ? 1 : 5));
