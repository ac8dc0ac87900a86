/** One wrong line: its name says what an operator would notice. `from` stands exactly once in the file. */
export type Mutant = readonly [name: string, from: string, to: string];

/** The mutants of one file, and the suites that may notice them. */
export interface MutatedFile {
  file: string;
  /** Suites that run in one process. */
  suites: readonly string[];
  /** Suites that run the real command line, for what survives the others. */
  commandLine: readonly string[];
  mutants: readonly Mutant[];
}
