/** The tests that fail without a fix: a suite or a folder of suites below `test/`, and a part of a title in it. Without a title, all of its tests. */
export type Proof = readonly [suite: string, title?: string];

/** A way in which the package once broke a promise, or could have. */
export interface Attack {
  attack: string;
  result: string;
  proofs: readonly Proof[];
  /** The mutants in `test/mutants` that a proof detects. */
  mutants?: readonly string[];
  /** A proof that is no suite, as the page shows it. */
  otherwise?: string;
}

/** A section of the page. */
export interface Section {
  title: string;
  attacks: readonly Attack[];
}
