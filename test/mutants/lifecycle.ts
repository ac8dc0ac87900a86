import { MutatedFile } from "./mutant";

/** The suites of the life cycle, which all resources share. */
const lifeCycle: Pick<MutatedFile, "suites" | "commandLine"> = {
  suites: [
    "test/provider/lifecycle/check.test",
    "test/provider/lifecycle/moved.test",
    "test/provider/lifecycle/ownership.test",
    "test/troubles/table",
    "test/secrecy.test",
    "test/states.test",
    "test/provider/(secrets|platform)/ownership",
    "test/provider/secrets/(scheduler-roles|scheduler-access|scheduler-role).test",
    "test/provider/platform/settings-(life|secrets)",
    "test/provider/lifecycle/half-done.test",
    "test/provider/engine/errors.test",
    "test/provider/lifecycle/former-inputs.test",
    "test/end-to-end/stories/secrets/stack",
    "test/provider/platform/oidc-key-rotation",
  ],
  commandLine: ["test/end-to-end/secrets/life", "test/end-to-end/platform/life", "test/end-to-end/engine", "test/end-to-end/secrecy"],
};

export const lifecycle: readonly MutatedFile[] = [
  {
    file: "provider/lifecycle/diff.ts",
    ...lifeCycle,
    mutants: [
      [
        "another address behind the same connection replaces instead of failing",
        'if (isMovedAway && !changing.includes("connection")) assertSameServer(operation, state);',
        "",
      ],
      [
        "a resource that moves to another address of its server is created before it is deleted",
        "deleteBeforeReplace: definition.deleteBeforeReplace ?? true,",
        "deleteBeforeReplace: definition.deleteBeforeReplace ?? false,",
      ],
      ["diff ignores an unknown outcome", "Boolean(state.outcomeUnknown || state.partiallyUpdated)", "Boolean(state.partiallyUpdated)"],
    ],
  },
  {
    file: "provider/lifecycle/create.ts",
    ...lifeCycle,
    mutants: [["a creation without a response leaves no state", "return error.details.outcomeUnknown ? {", "return !error ? {"]],
  },
  {
    file: "provider/lifecycle/import.ts",
    ...lifeCycle,
    mutants: [
      [
        "get of an object that does not exist returns a resource without outputs",
        "if (object) return object;",
        "if (object || id) return object ?? {};",
      ],
    ],
  },
  {
    file: "provider/lifecycle/refresh.ts",
    ...lifeCycle,
    mutants: [
      ["refresh replaces an equivalent spelling, which shows as drift", "setField(outputs, field, before);", "{}"],
      ["a secret that the server does not return is dropped from the inputs", '?? (isSecret ? "" : undefined)', ""],
      [
        "refresh returns inputs that the program does not declare",
        "for (const field of declaredIn(last)) {",
        "for (const field of Object.keys(outputs)) {",
      ],
      ["read does not check the server's address", "assertSameServer(operation, last);", ""],
    ],
  },
  {
    file: "provider/lifecycle/delete.ts",
    ...lifeCycle,
    mutants: [["delete does not check the server's address", "assertSameServer(operation, state);", ""]],
  },
  {
    file: "provider/lifecycle/update.ts",
    ...lifeCycle,
    mutants: [
      [
        "an input that the program no longer declares is written again",
        "for (const field of declaredIn(all)) if (!names.includes(field)) setField(previous, field, undefined);",
        "",
      ],
      [
        "a partially failed update stores former secrets in plaintext",
        "properties: hidePrevious(definition, { ...fillUnknown(definition, properties, inputs), partiallyUpdated: true }, state, inputs),",
        "properties: { ...fillUnknown(definition, properties, inputs), partiallyUpdated: true },",
      ],
      ["an update without a response leaves the old state", "return error.details.outcomeUnknown || mustRewrite\n", "return mustRewrite\n"],
    ],
  },
  {
    file: "provider/lifecycle/check.ts",
    ...lifeCycle,
    mutants: [
      ["a default overrides an input of the program", "inputs = { ...defaults, ...declared };", "inputs = { ...declared, ...defaults };"],
      [
        "check does not record which objects the program declares",
        "recordDeclared(operation, objects, resource.mechanism.urn);",
        "recordDeclared(operation, [], resource.mechanism.urn);",
      ],
    ],
  },
  {
    file: "provider/lifecycle/changes.ts",
    ...lifeCycle,
    mutants: [
      ["a field that is added to the program with the server's value causes no update", "isDeclaredAnew || ", ""],
      ["work that is due waits for a change of the program", "return isPast(state[field]);", "return false;"],
    ],
  },
  {
    file: "provider/lifecycle/references.ts",
    suites: ["test/provider/lifecycle/references"],
    commandLine: ["test/end-to-end/references"],
    mutants: [
      ["a secret that changes behind its reference is not sent", "a.fingerprint !== undefined && a.fingerprint === b.fingerprint", "true"],
      ["a missing variable counts as another secret", "(isSame ? earlier.fingerprint : undefined)", "undefined"],
      [
        "the state contains the value of a reference",
        "if (current !== undefined)\n      setField(result, name, isSent(current)",
        "if (current === null)\n      setField(result, name, isSent(current)",
      ],
      ["a create sends a reference that it cannot read", "if (missing.length > 0) throw unreadable(missing);", ""],
    ],
  },
  {
    file: "provider/lifecycle/context.ts",
    ...lifeCycle,
    mutants: [
      [
        "an error shows secrets that an encrypted output holds",
        "[properties, ...encryptedOutputs(fields).map((output) => properties[output])]",
        "[properties]",
      ],
      ["an error of a request shows the secrets of its resource", "...properties.flatMap((each) => secretsIn(resource, each)),", ""],
    ],
  },
  {
    file: "provider/engine/dynamic-runtime.ts",
    ...lifeCycle,
    mutants: [
      [
        "a failed check names the property, so Pulumi prints its value",
        '({ ...each, property: "", reason: printable',
        "({ ...each, property: each.path, reason: printable",
      ],
    ],
  },
  {
    file: "provider/lifecycle/state.ts",
    suites: ["test/troubles/table", "test/provider/lifecycle/former-inputs.test"],
    commandLine: ["test/end-to-end/secrecy"],
    mutants: [["former values disappear from the state", "if (part.hidden !== undefined) hidden[field] = part.hidden;", ""]],
  },
  {
    file: "provider/engine/diagnostics.ts",
    suites: ["test/provider/lifecycle/check", "test/provider/(engine/errors|lifecycle/half-done)", "test/secrecy.test"],
    commandLine: ["test/end-to-end/secrets/life", "test/end-to-end/secrecy"],
    mutants: [["printing an error prints the state", "{ value, enumerable: false }", "{ value, enumerable: true }"]],
  },
  {
    file: "provider/lifecycle/properties.ts",
    suites: ["test/provider/lifecycle/check", "test/provider/engine/errors", "test/secrecy.test"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "an unknown value inside a record counts as known",
        ' || (typeof value === "object" && value !== null && Object.values(value).some(hasUnknown))',
        "",
      ],
    ],
  },
  {
    file: "provider/program/duplicates.ts",
    suites: ["test/provider/program/duplicate", "test/end-to-end/stories/everything/duplicates"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a program can declare an object twice", "if (other === undefined) continue;", "if (other !== null) continue;"],
      ["two connections to the same server hide a duplicate", "operation.server.id} ", "connectionName} "],
      ["each resource counts as a separate program", "shared[key].get(stack) ?? new Map()", "shared[key].get(Output) ?? new Map()"],
    ],
  },
  {
    file: "provider/engine/engine.ts",
    suites: ["test/provider/engine/engine"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      ["a dead engine counts as alive", "if (!(await isRefused()) && !hasEnded) return;", "if (!hasEnded) return;"],
      ["the process outlives its engine", "    process.exit(1);\n", ""],
      ["a rekey runs although Pulumi skips checkpoints", "!/^(1|true)$/i.test", "!/^$^/i.test"],
      [
        "an irreversible request is sent without checking that the engine is alive",
        "if (!(await isRefused()) && !hasEnded) return;",
        "if (address) return;",
      ],
    ],
  },
  {
    file: "provider/program/debug-log.ts",
    suites: ["test/provider/program/debug-log"],
    commandLine: ["test/end-to-end/secrecy"],
    mutants: [
      ["the debug log of Pulumi's SDK shows secrets", "if (response) response.prototype.toString = urnAlone;", ""],
      ["the debug log of another copy of the SDK shows secrets", "of [resource, provider, ...loaded])", "of [resource, provider])"],
    ],
  },
  {
    file: "provider/program/dynamic.ts",
    suites: ["test/provider/program/dynamic.test", "test/states.test"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [["a missing package prints internal errors of Node", "e.stack='';", ""]],
  },
  {
    file: "provider/program/resource.ts",
    suites: [
      "test/secrecy.test",
      "test/provider/program/debug-log",
      "test/provider/platform/settings-life",
      "test/end-to-end/stories/everything/options",
    ],
    commandLine: ["test/end-to-end/options", "test/end-to-end/secrecy"],
    mutants: [
      ["encrypted outputs are stored in plaintext", "...encryptedOutputs(definition.fields)];", '"formerInputs"];'],
      ["secret outputs are stored in plaintext", "...secrets.filter((name) => fieldPath(name).length === 1), ", ""],
      [
        "a secret argument is registered in plaintext",
        "if (secrets.includes(path) || isReference(value)) return secret(value);",
        "if (secrets.includes(path) || isReference(value)) return value;",
      ],
      [
        "a replacement with --replace deletes the new object",
        "const options = { deleteBeforeReplace, ...opts };",
        "const options = { ...opts };",
      ],
    ],
  },
];
