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
  {
    file: "command/decrypt.ts",
    suites: ["test/command/decrypt.test"],
    commandLine: [],
    mutants: [["a share that is encrypted to a revoked subkey causes no warning", "if (!isValid)", "if (false)"]],
  },
  {
    file: "command/leftovers.ts",
    suites: ["test/command/drill.test"],
    commandLine: [],
    mutants: [
      [
        "a drill does not cancel what an earlier one left",
        'const all = this.access("read", () => (existsSync(this.folder) ? readdirSync(this.folder) : []));',
        "const all: string[] = [];",
      ],
      ["a second drill disturbs the first", "if (other !== process.pid && isAlive(other))", "if (false)"],
      ["a file that names the process -1 blocks each drill", "([1-9]\\\\d*)-", "(-?[1-9]\\\\d*)-"],
      ["an empty HOME puts the file of a drill into the working folder", "isAbsolute(home) ? home : userInfo().homedir", "home"],
    ],
  },
  {
    file: "command/index.ts",
    suites: ["test/command/drill.test"],
    commandLine: [],
    mutants: [["a notice that nobody reads ends the process", '  stderr.on("error", () => {});\n', ""]],
  },
  {
    file: "command/drill.ts",
    suites: ["test/command/drill.test"],
    commandLine: [],
    mutants: [
      [
        "a drill of many shares does not find the wrong one",
        "[...shares.filter((share) => !misfits.includes(share)), ...misfits]",
        "[...shares]",
      ],
    ],
  },
  {
    file: "command/attempt.ts",
    suites: ["test/command/single-share.test"],
    commandLine: [],
    mutants: [
      ["a holder submits a share to a rekey that hands the whole key to its client", "if (shares > 1) return;", "if (shares > 0) return;"],
    ],
  },
  {
    file: "command/discover/index.ts",
    suites: ["test/command/discover-program.test"],
    commandLine: [],
    mutants: [["a Node.js project with options of its runtime gets no program", "/\\bnodejs\\b/.test(", "/^runtime: nodejs$/m.test("]],
  },
];
