import { MutatedFile } from "./mutant";

export const creation: readonly MutatedFile[] = [
  {
    file: "provider/lifecycle/adoption.ts",
    suites: ["test/provider/secrets/adoption", "test/provider/lifecycle/preview-reads"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      ["adoption prints secret values", "secrets.fields.includes(inputOf(path))", 'secrets.fields.includes("")'],
      ["an existing object is taken over without adopt", "if (!adopt && reason)", "if (adopt === null && reason)"],
      [
        'adopt: "unchanged" overwrites what differs',
        'if (adopt === "unchanged" && differences.length > 0)',
        'if (adopt === "unchanged" && differences.length < 0)',
      ],
      [
        "adoption overwrites attributes without a line",
        "  logOnce(operation, adopting(operation, adoptionLines",
        "  void (adopting(operation, adoptionLines",
      ],
    ],
  },
  {
    file: "provider/platform/settings/resource.ts",
    suites: ["test/provider/platform/settings"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      [
        "an attribute that is added to settings is overwritten without a line",
        "adoptExisting(operation, undefined, existingSettings(page, operation, inputs, prior));",
        "",
      ],
    ],
  },
  {
    file: "provider/lifecycle/create.ts",
    suites: ["test/provider/engine/plugin-life"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["adoption prints what was a secret of an earlier program", "hideFields(operation, formerValues(definition, former))", "operation"],
    ],
  },
  {
    file: "provider/lifecycle/adoption.ts",
    suites: ["test/provider/lifecycle/preview-reads"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "a creation overwrites an object that appeared after its check",
        "const existing = await find(definition, operation, inputs);\n  adoptExisting",
        "const existing = undefined;\n  adoptExisting",
      ],
      ["a preview fails where it cannot read", "if (!(error instanceof StewardError)) throw error;", "throw error;"],
    ],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: ["test/provider/secrets/rekey/rate-limit"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      ["a share is retried after a 429 without checking the attempt again", "if (!(await isStillCurrent(error))) throw error;", ""],
      [
        "a share is sent again although it may count twice",
        " && !dialectOf(operation).refusesRepeatedShares) throw error;",
        " && false) throw error;",
      ],
    ],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: ["test/provider/secrets/rekey/refusals"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [["a standby of OpenBao proves that an attempt is gone", "if (!fields.started) await assertActiveNode(operation);", ""]],
  },
  {
    file: "provider/secrets/rekey/api.ts",
    suites: ["test/command/rekey-faults", "test/provider/secrets/rekey/end", "test/sandbox/secrets/rekey-seal"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      [
        "a rekey to several shares succeeds without shares",
        " && shares === 1 && threshold === 1 && fingerprints.length === 0 && !verification",
        "",
      ],
    ],
  },
  {
    file: "provider/scheduler/election.ts",
    suites: ["test/provider/scheduler/(watch|deployment-wait)"],
    commandLine: [],
    mutants: [
      ["an election ends a wait for changes", "if (!hasNoLeader(error) || signal?.aborted) throw error;", "throw error;"],
      ["each attempt during an election prints a line", "if (attempt === 0)", "if (attempt >= 0)"],
    ],
  },
];
