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
      ["an update without changes sends a write", "if (isSent) shown = await patch", "shown = await patch"],
      ["the original value of a new attribute is captured from an old state", "if (joins || unfinished) {", "if (unfinished) {"],
      [
        "a failed write drops an attribute that was to be restored",
        "[...new Set([...basis.managed, ...planned.managed])].sort()",
        "[...planned.managed]",
      ],
      ["deleting three resources of the same settings restores the second one's original values", "(a < b ? 1 : -1)", "(a < b ? -1 : 1)"],
      ["a deletion disables settings that another resource enables", "for (const field of kept) delete values[field];", ""],
      [
        "original values, including secrets, are stored in plaintext",
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
        "an update overwrites the captured original value",
        "before.includes(field) ? heldBefore[field] : capture(field, known)",
        "capture(field, known)",
      ],
      [
        "an attribute that leaves the program is not restored",
        "const wanted = { ...values, ...declared };",
        "const wanted = { ...declared };",
      ],
    ],
  },
  {
    file: "provider/platform/settings-document.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an attribute that was originally empty is not restored", "value ?? null]", "value]"]],
  },
  {
    file: "provider/platform/smtp-settings.ts",
    suites,
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [["an SMTP write is retried", 'retry: "never",', 'retry: "idempotent",']],
  },
  {
    file: "provider/platform/module-version-deprecation.ts",
    suites: ["test/provider/platform/ownership", "test/provider/platform/module-versions", "test/secrecy.test"],
    commandLine: ["test/end-to-end/platform/life"],
    mutants: [
      ["a read after a write returns the cached old value", "if (!reading || reading.written.has(of.moduleVersion)) {", "if (!reading) {"],
      ["an existing deprecation is overwritten without adopt", "if (!existing || inputs.adopt) return", "if (!existing || inputs) return"],
      [
        "a version that the token may not reinstate counts as deleted",
        "if (await readVersion(connection, state)) throw",
        "if (!(await readVersion(connection, state))) throw",
      ],
      [
        "the published link, which may be a secret, is stored in plaintext",
        'encrypted: ["publishedReason", "publishedLink"]',
        'encrypted: ["publishedReason"]',
      ],
    ],
  },
];
