import { MutatedFile } from "./mutant";

const suites = [
  "test/provider/platform/settings-secrets",
  "test/provider/platform/settings-life",
  "test/provider/platform/ownership",
  "test/provider/platform/settings-faults",
  "test/provider/platform/(smtp-settings|settings-refusals)",
  "test/secrecy.test",
  "test/stories/platform/stack",
];

export const platform: readonly MutatedFile[] = [
  {
    file: "provider/platform/settings.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a masked secret shows as drift", "(secrets.includes(field) && mayBe(value, known[field])) ||", ""],
      ["a write is sent although nothing changes", "if (isSent) shown = await patch", "shown = await patch"],
      ["an attribute that joins is captured from an old state", "if (joins || unfinished) {", "if (unfinished) {"],
      [
        "an attribute that was leaving is forgotten by a write that fails",
        "[...new Set([...basis.managed, ...planned.managed])].sort()",
        "[...planned.managed]",
      ],
      ["of three resources of the same settings, the original values of the second win", "(a < b ? 1 : -1)", "(a < b ? -1 : 1)"],
      ["a deletion disables settings that another resource enables", "for (const field of kept) delete values[field];", ""],
      [
        "original values, secrets among them, are stored in clear text",
        'encrypted: ["heldBefore", "changedByServer", "sent",',
        'encrypted: ["changedByServer", "sent",',
      ],
    ],
  },
  {
    file: "provider/platform/settings-plan.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a masked secret is captured as the original value", " || (secrets.includes(field) && hasMask(value))) return", ") return"],
      [
        "an update overwrites the original value",
        "before.includes(field) ? heldBefore[field] : capture(field, known)",
        "capture(field, known)",
      ],
      [
        "an attribute that leaves the program is not put back",
        "const wanted = { ...values, ...declared };",
        "const wanted = { ...declared };",
      ],
    ],
  },
  {
    file: "provider/platform/settings-document.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an attribute that held nothing is not put back", "value ?? null]", "value]"]],
  },
  {
    file: "provider/platform/smtp-settings.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an SMTP write is repeated", 'retry: "never",', 'retry: "idempotent",']],
  },
  {
    file: "provider/platform/module-version-deprecation.ts",
    suites: ["test/provider/platform/ownership", "test/provider/platform/module-versions", "test/secrecy.test"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a read after a write returns what was there before", "if (!reading || reading.written.has(of.moduleVersion)) {", "if (!reading) {"],
      [
        "a deprecation of somebody else is taken over silently",
        "if (!existing || means(existing, inputs)) return",
        "if (!existing || inputs) return",
      ],
      [
        "a version that the token may not reinstate counts as gone",
        "if (await readVersion(connection, state)) throw",
        "if (!(await readVersion(connection, state))) throw",
      ],
      [
        "the published link, which may be a secret, is stored in clear text",
        'encrypted: ["publishedReason", "publishedLink"]',
        'encrypted: ["publishedReason"]',
      ],
    ],
  },
];
