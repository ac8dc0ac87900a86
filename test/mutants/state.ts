import { MutatedFile } from "./mutant";

export const state: readonly MutatedFile[] = [
  {
    file: "provider/lifecycle/ownership.ts",
    suites: ["test/provider/platform/ownership.test"],
    commandLine: [],
    mutants: [
      [
        "a declared workspace is destroyed if its new resource was skipped",
        "claims.createFailed || (isIrreversible && areDeclared(operation, [object]))",
        "claims.createFailed",
      ],
    ],
  },
  {
    file: "provider/lifecycle/ownership.ts",
    suites: ["test/troubles/table.test"],
    commandLine: [],
    mutants: [
      [
        "a resource whose deletion was rejected loses its object to another one",
        "if (!claims.managers.has(instance)) claims.managers.set(instance, { fields: {}, created: false });",
        "",
      ],
    ],
  },
  {
    file: "provider/lifecycle/update.ts",
    suites: ["test/troubles/table.test", "test/provider/platform/settings-faults.test"],
    commandLine: [],
    mutants: [
      ["a renamed connection ends the doubt about a write", "(isRenamed || isMoved) && !isIncomplete && ", "(isRenamed || isMoved) && "],
    ],
  },
  {
    file: "provider/lifecycle/update.ts",
    suites: ["test/provider/lifecycle/ownership.test"],
    commandLine: [],
    mutants: [
      [
        "a failed update forgets that this run removed the object",
        "error.details.outcomeUnknown || mustRewrite",
        "error.details.outcomeUnknown",
      ],
    ],
  },
  {
    file: "provider/lifecycle/refresh.ts",
    suites: ["test/provider/secrets/scheduler-roles.test"],
    commandLine: [],
    mutants: [
      ["refresh does not name the role that was changed", "else logDrift(operation, recordDifferences(fields, field, before, now));", ""],
    ],
  },
  {
    file: "provider/lifecycle/recorded.ts",
    suites: ["test/provider/lifecycle/damaged-state.test"],
    commandLine: [],
    mutants: [
      [
        "an empty mount in the state is a part of the path",
        'if (typeof complete[field] !== "string" || complete[field] === "")',
        "if (complete[field] === undefined)",
      ],
      [
        "another value than a list of declared fields is an internal error",
        '(field === "declared" ? !isStringList(all.declared) : all[field] === undefined)',
        "all[field] === undefined",
      ],
      ["a state without a field of the id acts on another object", "if (missing.length === 0) return complete;", "return complete;"],
    ],
  },
  {
    file: "provider/lifecycle/state.ts",
    suites: ["test/provider/lifecycle/former-inputs-left.test"],
    commandLine: [],
    mutants: [
      [
        "a secret that the program no longer declares is stored in plaintext",
        "if (retained.length === 0) return properties;",
        "return properties;",
      ],
    ],
  },
  {
    file: "provider/lifecycle/refresh.ts",
    suites: ["test/provider/lifecycle/former-inputs.test"],
    commandLine: [],
    mutants: [
      [
        "refresh after a partial update stores a new secret as a plain input",
        "declared.length > 0 && !last.partiallyUpdated ? {",
        "declared.length > 0 ? {",
      ],
    ],
  },
  {
    file: "provider/lifecycle/references.ts",
    suites: ["test/provider/lifecycle/references.test"],
    commandLine: [],
    mutants: [
      [
        "a write without the secret of a reference that cannot be read is sent",
        "throw unreadable([[this.name, this.reference]]);",
        "return undefined as never;",
      ],
      ["the original value contains the value of a reference", "if (value === undefined || !isSent(value)) continue;", "continue;"],
      ["ignoreChanges sends a new value of a reference", "if (reference.fingerprint) continue;", ""],
    ],
  },
];
