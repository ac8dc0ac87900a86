const { TESTS = "", RUNS, SEED = "1" } = process.env;

/** True with TESTS=night or TESTS=real,night: also runs what takes too long for each change. */
export const isNight = TESTS.includes("night");

/** True with TESTS=all or TESTS=night: runs all tests that a change must pass, not only those of `npm test`. */
export const isWhole = isNight || TESTS === "all";

/** Returns 1 each night, so that every fault meets every request. Otherwise one in `count` combinations runs, and about half of them in `npm test`. */
export const oneIn = (count: number): number => (isNight ? 1 : isWhole ? count : 2 * count + 3);

/** The dialects of a suite that takes long: both with TESTS=all, otherwise that of the products. */
export const dialects: readonly ("standard" | "hashicorp")[] = isWhole ? ["standard", "hashicorp"] : ["hashicorp"];

/** The number of random cases: all of them each night, otherwise a fifth. RUNS sets a different number. */
export const draws = (count: number): number => Number(RUNS ?? Math.ceil(count / (isNight ? 1 : 5)));

/** The seed of random cases, which is the same in every run, so that only a change of the code changes results. SEED sets another one. */
export const seed = Number(SEED);
