import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { StewardError } from "../../provider/contract/errors";
import { Properties } from "../../provider/lifecycle/properties";

/** A resource in the file for `pulumi import --file`. */
export interface ImportEntry {
  /** The type token, such as `steward:secrets:SchedulerRole`. */
  type: string;
  name: string;
  id: string;
  /** With inputs and outputs, Pulumi does not ask the provider. */
  inputs?: Properties;
  outputs?: Properties;
}

/** Throws if a file exists, unless it may be overwritten, and if two are the same. */
export function assertWritable(paths: readonly string[], { overwrite }: { overwrite?: boolean }): void {
  if (new Set(paths.map((path) => resolve(path))).size < paths.length)
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: "--output and --program are the same file; nothing was searched",
      hint: "Choose two files.",
    });
  const existing = paths.filter((path) => !overwrite && existsSync(path));
  if (existing.length === 0) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `the file ${existing.join(" and the file ")} already exists; nothing was searched`,
    hint: "Choose a different file with --output or --program, or set --overwrite.",
  });
}

/** Writes a file that only its owner can read, since it may contain secrets of the installation. */
export function write(path: string, text: string, { overwrite }: { overwrite?: boolean }): void {
  try {
    // A dangling symbolic link passes `existsSync` and fails here.
    writeFileSync(path, text, { flag: overwrite ? "w" : "wx", mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: `the file ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      hint: "Choose a new file, or an existing one with --overwrite, in a folder with enough space.",
    });
  }
}
