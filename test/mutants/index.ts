import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

/** One wrong line. Its name says what an operator would notice. `from` occurs exactly once in the file. */
export interface Mutant {
  name: string;
  from: string;
  to: string;
}

/** The mutants of one file, and the suites that may detect them. */
export interface MutatedFile {
  file: string;
  /** Suites that run in one process. */
  suites: readonly string[];
  /** Suites that run the real command line, for mutants that survive the others. */
  commandLine?: readonly string[];
  mutants: readonly Mutant[];
}

export const files: readonly MutatedFile[] = parse(readFileSync(join(__dirname, "mutants.yaml"), "utf8"));
