/** Lower-case names that a generated program uses for something else, or with which the generation fails. */
const reserved = [
  ...["pulumi", "steward", "secrets", "platform", "scheduler", "config", "ctx", "err"],
  // Pulumi parses these as values and then generates no program.
  ...["null", "true", "false"],
  // Pulumi writes these unchanged into a Node.js module, which then does not compile or does not start.
  ...["arguments", "eval", "exports", "let", "module", "object", "require", "static"],
];

/**
 * Unique names for resources. The generated program derives an identifier from each name. So a name begins with a letter, and no two names
 * differ only in case or in characters that identifiers cannot contain.
 */
export class Names {
  private readonly taken = new Set(reserved);

  /** Returns an unused name: `called` or, if that is taken, `id`. Both are made valid. */
  choose(called: string, id: string): string {
    const candidate = (count: number): string => nameOf(count === 1 ? called : count === 2 ? id : `${id}-${count}`);
    return firstUnused(this.taken, candidate, (name) => name.toLowerCase().replace(/[^a-z0-9]/g, ""));
  }
}

/** Returns the first candidate whose key is not taken, and takes it. */
function firstUnused(taken: Set<string>, candidate: (count: number) => string, keyOf = (name: string): string => name): string {
  for (let count = 1; ; count++) {
    const name = candidate(count);
    const key = keyOf(name);
    if (taken.has(key)) continue;
    taken.add(key);
    return name;
  }
}

function nameOf(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_]+/g, "-").replace(/^[-_]+|[-_]+$/g, "");
  return /^[A-Za-z]/.test(name) ? name : `resource-${name}`;
}

/** Unique names of environment variables: the mounts `team/nomad` and `team-nomad` have one variable each. */
export class Variables {
  private readonly taken = new Set<string>();

  choose(called: string): string {
    // A shell accepts no digit at the beginning.
    const valid = called.replace(/^\d/, "_$&");
    return firstUnused(this.taken, (count) => (count === 1 ? valid : `${valid}_${count}`));
  }
}
