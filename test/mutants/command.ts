import { MutatedFile } from "./mutant";

const suites = ["test/command/discover.test", "test/command/discover-servers", "test/command/discover-program"];
const commandLine = ["test/end-to-end/discover"];

export const command: readonly MutatedFile[] = [
  {
    file: "command/discover/search.ts",
    suites,
    commandLine,
    mutants: [
      ["an incomplete search counts as complete", "!refusals.includes(explained.code)", "false"],
      ["an error does not name the missing permission", "(await definition.diagnose?.(operation, error)) ?? error", "error"],
      ["an id that cannot be parsed is written", "if (parseId(definition, id))", "if (true)"],
    ],
  },
  {
    file: "command/discover/index.ts",
    suites,
    commandLine,
    mutants: [
      [
        "the resources of another connection are written, and read from the default one",
        "if (isElsewhere) return say",
        "if (false) return say",
      ],
      ["a CLI that cannot import a state is not refused", "if (!isNative) await assertImportsState(terminal);", ""],
      ["a Python project gets a TypeScript program", " || !isNodeProject();", ";"],
    ],
  },
  {
    file: "command/discover/report.ts",
    suites,
    commandLine,
    mutants: [
      [
        "a secret that an import writes in plaintext causes no warning",
        "...(readable.length > 0\n        ?",
        "...(readable.length > 9\n        ?",
      ],
    ],
  },
  {
    file: "command/discover/state.ts",
    suites,
    commandLine,
    mutants: [
      ["an object that the search has read is read again", "discovered.isRead ? discovered.state", "false ? discovered.state"],
      ["a secret that the server shows is written by default", "if (!withSecrets || hasMask(object[name]))", "if (hasMask(object[name]))"],
      ["an output without a value that can be secret is not in the file", "{ ...empty, ...state }", "{ ...state }"],
      ["a mask is written as a secret", "if (!withSecrets || hasMask(object[name]))", "if (!withSecrets)"],
      ["a value that a program cannot declare is written", "if (rejected.length === 0) return", "if (true) return"],
      ["a secret is written in plaintext", "const isPublic = !encrypt ||", "const isPublic = true ||"],
    ],
  },
  {
    file: "command/discover/names.ts",
    suites,
    commandLine,
    mutants: [["two resources get the same name", "if (taken.has(key)) continue;", ""]],
  },
  {
    file: "command/discover/files.ts",
    suites,
    commandLine,
    mutants: [
      ["an existing file is replaced", "if (existing.length === 0) return;", "return;"],
      ["others can read the files", "chmodSync(path, 0o600);", "chmodSync(path, 0o644);"],
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
