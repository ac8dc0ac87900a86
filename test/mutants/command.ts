import { MutatedFile } from "./mutant";

const suites = ["test/command/discover.test", "test/command/discover-servers"];
const commandLine = ["test/end-to-end/discover"];

export const command: readonly MutatedFile[] = [
  {
    file: "command/discover/search.ts",
    suites,
    commandLine,
    mutants: [
      ["an incomplete search counts as complete", "!refusals.includes(explained.code)", "false"],
      ["an error does not name the missing permission", "(await definition.diagnose?.(operation, error)) ?? error", "error"],
      ["an id that cannot be parsed is written", "if (parseId(definition, id)) resources", "if (true) resources"],
      [
        "the resources of another connection are written, and read from the default one",
        "if (!isDefault) return say",
        "if (false) return say",
      ],
      ["a secret that an import writes in plaintext causes no warning", "...(readable.length > 0", "...(readable.length > 9"],
    ],
  },
  {
    file: "command/discover/import-file.ts",
    suites,
    commandLine,
    mutants: [
      ["two resources get the same name", "if (this.taken.has(identifier)) continue;", ""],
      ["an existing file is replaced", "if (overwrite || !existsSync(path)) return;", "return;"],
    ],
  },
  {
    file: "provider/secrets/scheduler-mounts.ts",
    suites,
    commandLine,
    mutants: [
      ["engines of other types are searched", "mount.type === mountType", "true"],
      [
        "the mounts are listed for each type of resource",
        'cached(operation.run.cache, ["scheduler mounts", operation.server.id], () => listMounts(operation))',
        "listMounts(operation)",
      ],
    ],
  },
];
