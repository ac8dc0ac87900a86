import { MutatedFile } from "./mutant";

const suites = [
  "test/provider/platform/settings-secrets",
  "test/provider/platform/settings-life",
  "test/provider/platform/ownership",
  "test/provider/platform/settings-faults",
  "test/provider/platform/(smtp-settings|settings-refusals|settings-extra|wire)",
  "test/secrecy.test",
  "test/end-to-end/stories/platform/stack",
];

export const platform: readonly MutatedFile[] = [
  {
    file: "provider/platform/settings/resource.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a write is sent although nothing changes", "if (isSent) returned = await patch", "returned = await patch"],
      ["an added attribute is captured from an old state", "if (hasNewAttributes || last.outcomeUnknown ||", "if (last.outcomeUnknown ||"],
      [
        "an attribute that the server does not show is sent",
        "const findings = [...notReturned, ...refusals(page, plan)];",
        "const findings = refusals(page, plan);",
      ],
      [
        "an attribute that is not shown after the write counts as written",
        "if (notReturned.length === 0) return state;",
        "if (true) return state;",
      ],
      ["deleting three resources of the same settings restores the second one's original values", "(a < b ? 1 : -1)", "(a < b ? -1 : 1)"],
      ["a deletion disables settings that another resource enables", "for (const name of kept) delete values[name];", ""],
      [
        "original values, including secrets, are stored in plaintext",
        "originalValues: { stored: true, essential: true, secretOutput: true },",
        "originalValues: { stored: true, essential: true },",
      ],
    ],
  },
  {
    file: "provider/platform/settings/state.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      [
        "a masked secret shows as drift",
        "(secrets(page).includes(name) && (mayBe(value, expected[name]) || (isReference(expected[name]) && hasMask(value)))) ||",
        "",
      ],
      ["a state keeps an attribute that the server does not show", " && isExtraWriteOnly(page, name, last)", ""],
    ],
  },
  {
    file: "provider/platform/settings/failure.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a failed write forgets a removed attribute", "[...new Set([...prior.managed, ...planned.managed])].sort()", "[...planned.managed]"],
    ],
  },
  {
    file: "provider/platform/settings/plan.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["removing a misspelled attribute disables the settings", " && (!extraName(name) || isExtraWriteOnly(page, name, last))", ""],
      ["a restore sends null for a string", "originalValues[name].value ?? nothing(name)", "originalValues[name].value"],
      ["a masked secret is captured as the original value", " || isMasked ?", " ?"],
      [
        "an update overwrites the captured original value",
        "before.includes(name) ? originalValues[name] : (originalValues[name] ?? capture(page, name, current))",
        "capture(page, name, current)",
      ],
      [
        "an attribute that is removed from the program is not restored",
        "const desired = { ...values, ...declared };",
        "const desired = { ...declared };",
      ],
    ],
  },
  {
    file: "provider/platform/settings/api.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an attribute that was originally empty is not restored", "value ?? null]", "value]"]],
  },
  {
    file: "provider/platform/settings/smtp-settings.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an SMTP write is retried", 'retry: "only429",', 'retry: "idempotent",']],
  },
  {
    file: "provider/platform/oidc-key-rotation.ts",
    suites: ["test/provider/platform/oidc-key-rotation"],
    commandLine: [],
    mutants: [
      ["a trim does not wait for the longer timeout", "Math.max(...timeouts)", "Math.min(...timeouts)"],
      ["a trim follows a rotation whose response was lost", "isPast(trimAt) && !outcomeUnknown", "isPast(trimAt)"],
      ["a failed trim rotates the key again", "error.with({ outcomeUnknown: false })", "error"],
      ["a key that is rotated again is never trimmed", "if (isTrimmed) await trim(operation);", ""],
    ],
  },
  {
    file: "provider/platform/admin-workspace.ts",
    suites: ["test/provider/platform/workspace"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      [
        "a workspace is destroyed after a wait without being read again",
        "for (let attempt = 0; await mayBeDestroyed(operation, state, end); attempt++) {",
        "for (let attempt = 0; attempt > 0 || (await mayBeDestroyed(operation, state, end)); attempt++) {",
      ],
      ["a wait for the rate limit has no end", " || Date.now() + pause > end", ""],
    ],
  },
  {
    file: "provider/platform/module-version.ts",
    suites: ["test/provider/platform/module-versions"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a read after a write returns the old value", "if (!reading || reading.written.has(version.moduleVersion)) {", "if (!reading) {"],
    ],
  },
  {
    file: "provider/platform/module-version-deprecation.ts",
    suites: ["test/provider/platform/ownership", "test/provider/platform/(module-versions|deprecation)", "test/secrecy.test"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      [
        "a reason that begins with the declared one is taken over",
        "published.reason === reason &&",
        "published.reason.startsWith(reason) &&",
      ],
      ["a reason that was extended outside Pulumi, but never sent, is no drift", " && !previous.isAdopted && ", " && "],
      [
        "an existing deprecation is overwritten without adopt",
        "if (!existing || isSame(existing, inputs)) return",
        "if (!existing || inputs) return",
      ],
      [
        "a version that the token may not reinstate counts as deleted",
        "if (await readVersion(operation, state))",
        "if (!(await readVersion(operation, state)))",
      ],
      [
        "the published link, which may be a secret, is stored in plaintext",
        "publishedLink: { stored: true, secretOutput: true }",
        "publishedLink: { stored: true }",
      ],
    ],
  },
  {
    file: "provider/platform/module-version.ts",
    suites: ["test/provider/platform/module-versions.test"],
    commandLine: [],
    mutants: [
      ["a response without versions counts as a registry without the module", "entries.length === 0 || !entries.every(", "!entries.every("],
    ],
  },
  {
    file: "provider/platform/oidc-key-rotation.ts",
    suites: ["test/provider/platform/oidc-key-rotation.test"],
    commandLine: [],
    mutants: [
      [
        "trimLater fails if the state has no valid time of the rotation",
        "Date.parse(performedAt) || Date.now()",
        "Date.parse(performedAt)",
      ],
    ],
  },
];
