import { MutatedFile } from "./mutant";

export const adapters: readonly MutatedFile[] = [
  {
    file: "provider/adapters/dynamic-runtime.ts",
    suites: [
      "test/provider/adapters/check.test",
      "test/provider/adapters/moved.test",
      "test/provider/adapters/ownership.test",
      "test/provider/adapters/former-inputs-twice.test",
      "test/secrecy.test",
      "test/states.test",
      "test/provider/(secrets|platform)/ownership",
      "test/provider/secrets/(scheduler-roles|scheduler-access|scheduler-role).test",
      "test/provider/platform/settings-(life|secrets)",
      "test/provider/adapters/half-done.test",
      "test/provider/adapters/errors.test",
      "test/provider/adapters/former-inputs.test",
      "test/stories/secrets/stack",
    ],
    commandLine: ["test/end-to-end/secrets/life", "test/end-to-end/platform/life", "test/end-to-end/engine", "test/end-to-end/secrecy"],
    mutants: [
      [
        "an error shows secrets that an encrypted output holds",
        "[properties, ...[...(definition.encrypted ?? []), formerInputs].map((output) => properties[output])]",
        "[properties]",
      ],
      [
        "an error of a request shows the secrets of its resource",
        "secrets: [...properties.flatMap(secretsIn), ...leftOut()],",
        "secrets: [],",
      ],
      [
        "a field that joins the program with the value of the server is no change",
        "given.includes(field) !== declared.includes(field) || ",
        "",
      ],
      [
        "a failed check names a property, so Pulumi prints its value",
        '({ property: "", reason: printable',
        "({ property: path, reason: printable",
      ],
      [
        "a default overrides what the program says",
        "{ ...defined(definition.defaults?.(connection) ?? {}), ...given }",
        "{ ...given, ...defined(definition.defaults?.(connection) ?? {}) }",
      ],
      ["check does not note which objects the program declares", "noteDeclared(connection, objectsOf(inputs));", ""],
      [
        "another address behind the same connection replaces instead of failing",
        'if (!changed.includes("connection")) assertSameServer(connection, olds);',
        "",
      ],
      [
        "a resource that moves to another address of its server is created before it is deleted",
        "deleteBeforeReplace: definition.deleteBeforeReplace ?? true }",
        "deleteBeforeReplace: definition.deleteBeforeReplace ?? false }",
      ],
      ["diff does not see an outcome that is unknown", "Boolean(olds.unfinished || olds.halfDone)", "Boolean(olds.halfDone)"],
      [
        "a creation without a response leaves no state",
        "if (error.facts.outcomeUnknown) return { id, properties: stored(inputs, { unfinished: true }",
        "if (!error) return { id, properties: stored(inputs, { unfinished: true }",
      ],
      ["get of an object that does not exist returns a resource without outputs", "if (isFirst)\n", "if (!id)\n"],
      [
        "a refresh replaces an equivalent spelling, which shows as drift",
        "put(props, field, fieldAt(shown, field));\n          else if (isSecret)",
        "{}\n          else if (isSecret)",
      ],
      ["a secret that the server does not show leaves the inputs", '?? (isSecret ? "" : undefined)', ""],
      [
        "a refresh returns inputs that the program does not declare",
        "for (const field of declared) {",
        "for (const field of Object.keys(props)) {",
      ],
      ["read does not check the server", "assertSameServer(connection, previous);", ""],
      [
        "delete does not check the server",
        "assertSameServer(connection, state);\n        await definition.delete",
        "await definition.delete",
      ],
      [
        "an input that left the program is written again",
        "for (const field of declaredIn(olds)) if (!given.includes(field)) put(previous, field, undefined);",
        "",
      ],
      [
        "an update that fails half-way stores former secrets in clear text",
        "hidden({ ...inDoubt(properties, inputs), halfDone: true }, state, inputs)",
        "({ ...inDoubt(properties, inputs), halfDone: true })",
      ],
      [
        "an update without a response leaves the old state",
        "if (error.facts.outcomeUnknown || isRemoved) return keep",
        "if (isRemoved) return keep",
      ],
    ],
  },
  {
    file: "provider/adapters/former-inputs.ts",
    suites: ["test/provider/adapters/former-inputs-twice", "test/provider/adapters/former-inputs.test"],
    commandLine: ["test/end-to-end/secrecy"],
    mutants: [["former values are lost", "if (part.hidden !== undefined) hidden[field] = part.hidden;", ""]],
  },
  {
    file: "provider/adapters/presentation.ts",
    suites: ["test/provider/adapters/check", "test/provider/adapters/(errors|half-done)", "test/secrecy.test"],
    commandLine: ["test/end-to-end/secrets/life", "test/end-to-end/secrecy"],
    mutants: [["printing an error prints the state", "{ value, enumerable: false }", "{ value, enumerable: true }"]],
  },
  {
    file: "provider/adapters/properties.ts",
    suites: ["test/provider/adapters/check", "test/provider/adapters/errors", "test/secrecy.test"],
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
    file: "provider/adapters/duplicates.ts",
    suites: ["test/provider/adapters/duplicate", "test/stories/everything/duplicates"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a program declares an object twice", "if (other !== undefined)\n", "if (other === null)\n"],
      ["two connections of one server hide a duplicate", "connection.server} ", "connectionName} "],
      ["each resource counts as a program of its own", "programs.get(stack) ?? { names", "programs.get(Output) ?? { names"],
    ],
  },
  {
    file: "provider/adapters/engine.ts",
    suites: ["test/provider/adapters/engine"],
    commandLine: ["test/end-to-end/secrets/rekey.test"],
    mutants: [
      ["a dead engine passes for a living one", "if (!(await isRefused()) && !hasEnded) return;", "if (!hasEnded) return;"],
      ["the process outlives its engine", "    process.exit(1);\n", ""],
      ["a rekey runs although Pulumi skips checkpoints", "!/^(1|true)$/i.test", "!/^$^/i.test"],
      [
        "the engine is not looked for before an irreversible request",
        "if (!(await isRefused()) && !hasEnded) return;",
        "if (address) return;",
      ],
    ],
  },
  {
    file: "provider/adapters/debug-log.ts",
    suites: ["test/provider/adapters/debug-log"],
    commandLine: ["test/end-to-end/secrecy"],
    mutants: [
      ["the debug log of Pulumi's SDK shows secrets", "if (response) response.prototype.toString = urnAlone;", ""],
      ["the debug log of another copy of the SDK shows secrets", "of [resource, provider, ...loaded])", "of [resource, provider])"],
    ],
  },
  {
    file: "provider/adapters/dynamic.ts",
    suites: ["test/provider/adapters/dynamic.test", "test/states.test"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [["a missing package prints the internals of Node", "e.stack='';", ""]],
  },
  {
    file: "provider/resource.ts",
    suites: ["test/secrecy.test", "test/provider/adapters/debug-log"],
    commandLine: ["test/end-to-end/options", "test/end-to-end/secrecy"],
    mutants: [
      ["encrypted outputs are stored in clear text", "...(definition.encrypted ?? []), formerInputs];", "formerInputs];"],
      ["secret outputs are stored in clear text", '...definition.secrets.filter((path) => !path.includes(".")), ', ""],
      [
        "a secret argument is registered in clear text",
        "if (secrets.includes(path)) return secret(value);",
        "if (secrets.includes(path)) return value;",
      ],
      [
        "a replacement that the user orders deletes the new object",
        "{ deleteBeforeReplace, ...opts, additionalSecretOutputs }",
        "{ ...opts, additionalSecretOutputs }",
      ],
    ],
  },
];
