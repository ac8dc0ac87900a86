import { existsSync, writeFileSync } from "node:fs";
import { StewardError } from "../../provider/errors";

// The file that `pulumi import --file` takes.

/** A resource to import. */
export interface ImportEntry {
  /** `steward:secrets:SchedulerRole`. */
  type: string;
  name: string;
  id: string;
}

/** Fails before anything is searched. */
export function assertWritable(path: string, { overwrite }: { overwrite?: boolean }): void {
  if (overwrite || !existsSync(path)) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    reason: `the file ${path} exists already; nothing was asked`,
    hint: "Name another one with --output, or set --overwrite.",
  });
}

export function writeImportFile(path: string, resources: readonly ImportEntry[], { overwrite }: { overwrite?: boolean }): void {
  try {
    // A link that leads nowhere exists as well.
    writeFileSync(path, `${JSON.stringify({ resources }, undefined, 2)}\n`, { flag: overwrite ? "w" : "wx" });
  } catch (error) {
    throw new StewardError({
      code: "ERR_INVALID_INPUT",
      reason: `the file of --output cannot be written (${(error as NodeJS.ErrnoException).code})`,
      hint: "It must be a new file, or with --overwrite one that exists, in a folder with room.",
    });
  }
}

/** Names, in lower case, that a generated program uses for something else, or that no program can be generated with. */
const reserved = [
  ...["pulumi", "steward", "secrets", "platform", "scheduler", "config", "ctx", "err"],
  // Pulumi reads these as values, and then writes no program at all.
  ...["null", "true", "false"],
  // Pulumi writes these into a module of Node.js as they are, which does not compile or does not start.
  ...["arguments", "eval", "exports", "let", "module", "object", "require", "static"],
];

/**
 * Gives out names, each once. A program makes an identifier of each, in its own language: so a name begins with a letter, and no two differ only in
 * case or in the characters that an identifier cannot hold.
 */
export class Names {
  private readonly taken = new Set(reserved);

  /** `id` is what distinguishes two of the same name. */
  choose(called: string, id: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? called : count === 2 ? id : `${id}-${count}`;
      const valid = nameOf(name);
      const identifier = valid.toLowerCase().replace(/[^a-z0-9]/g, "");
      if (this.taken.has(identifier)) continue;
      this.taken.add(identifier);
      return valid;
    }
  }
}

function nameOf(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_]+/g, "-").replace(/^[-_]+|[-_]+$/g, "");
  return /^[A-Za-z]/.test(name) ? name : `resource-${name}`;
}
