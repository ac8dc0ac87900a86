const { FAULTS, TESTS } = process.env;

/** True with TESTS=all: runs all tests that a change must pass, not only those of `npm test`. */
export const isWhole = TESTS === "all";

/**
 * With FAULTS=all, as each night, every fault meets every request. Otherwise each request meets a fifth of the 14 faults, and the next request
 * other ones. So the stride must not divide their number.
 */
export const stride = FAULTS === "all" ? 1 : 5;

/** The number of random cases: all of them with TESTS=all, otherwise a fifth. */
export const draws = (count: number): number => Math.ceil(count / (isWhole ? 1 : 5));
