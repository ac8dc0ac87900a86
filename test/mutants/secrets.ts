import { MutatedFile } from "./mutant";

export const secrets: readonly MutatedFile[] = [
  {
    file: "provider/secrets/scheduler-roles.ts",
    suites: [
      "test/provider/cases",
      "test/provider/secrets/scheduler-roles",
      "test/provider/secrets/ownership",
      "test/provider/lifecycle/half-done",
      "test/provider/requests",
      "test/end-to-end/stories/everything/duplicates",
    ],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "a change of global is not detected",
        "roleDifferences(attributesOf(a), attributesOf(b)).length",
        "roleDifferences(attributesOf(a), { ...attributesOf(b), global: attributesOf(a).global }).length",
      ],
      [
        "an undeclared role that refresh found counts as declared",
        "const ours = namesIn(previous);",
        "const ours = new Set([...namesIn(previous), ...(exclusive ? listed : [])]);",
      ],
      [
        "a creation overwrites existing roles without adopt",
        "await existing(operation, inputs, listed, `",
        "await existing(operation, inputs, [], `",
      ],
      ["an update overwrites existing roles without adopt", "if (added.length > 0) {", "if (added.length > 1000) {"],
      ["a role whose write got no response is not written again", "previous.unanswered?.includes(name) ||", ""],
      ["a rejected retry ends the doubt about a role", "unanswered.includes(name) || isInDoubt(name)", "unanswered.includes(name)"],
      [
        "a role that this run removed is not in doubt",
        "|| (roleNamed(previous.roles, name) && isRemoved(",
        "|| (!previous.mount && isRemoved(",
      ],
      [
        "a set does not record which writes got no response",
        "failures.filter(({ error }) => error.details.outcomeUnknown).map",
        "failures.filter(({ error }) => !error).map",
      ],
      [
        "an undeclared role that refresh listed is not deleted",
        "undeclared: { stored: true, pending: true }",
        "undeclared: { stored: true }",
      ],
      [
        "a deletion that failed in part does not say that others were deleted",
        "const hasOthers = names.length + left.length < all.length;",
        "const hasOthers = false;",
      ],
      ["an exclusive set tolerates another resource for a role of its mount", '...(exclusive ? [""] : [])', ""],
    ],
  },
  {
    file: "provider/secrets/client.ts",
    suites: ["test/provider/secrets/(scheduler-role|gateway).test"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "a gateway's 404 removes a resource from the state",
        "dialectOf(operation).provesAbsence ? error.details.errorCount === 0 : await evidence(error)",
        "error.status === 404",
      ],
      [
        "any JSON in a 2xx counts as a successful write",
        "body === undefined || (isObject(body) && ownsBody(body))",
        "body === undefined || body !== undefined",
      ],
      ["a control group's response counts as a successful write", "if (isObject(body) && isObject(body.wrap_info))", "if (false)"],
      ["a gateway's 404 counts as deleted", "error.status === 404 && isFromService(error);", "error.status === 404;"],
    ],
  },
  {
    file: "provider/secrets/scheduler-roles.ts",
    suites: ["test/provider/secrets/scheduler-roles.test"],
    commandLine: [],
    mutants: [
      [
        "a listed role that is then declared does not belong to the set",
        "const undeclared = exclusive ? without(previous.undeclared ?? [], Object.keys(roles)) : [];\n  const state",
        "const undeclared = exclusive ? (previous.undeclared ?? []) : [];\n  const state",
      ],
      [
        "a replaced exclusive set fails, with its roles deleted, because of undeclared roles",
        "const isReplacement = Object.keys(roles).some((name) => isRemoved(operation, rolePath({ mount, name })));",
        "const isReplacement = false;",
      ],
      [
        "a role with the name of a member of JavaScript objects is not found",
        "roles && Object.hasOwn(roles, name) ? roles[name]",
        "roles ? roles[name]",
      ],
    ],
  },
  {
    file: "provider/secrets/client.ts",
    suites: ["test/provider/secrets/rekey/dialects.test"],
    commandLine: [],
    mutants: [["the namespace of the keys is not shown", "return namespace ? `", "return !namespace ? `"]],
  },
  {
    file: "provider/secrets/scheduler-lease.ts",
    suites: ["test/provider/secrets/scheduler-lease.test"],
    commandLine: [],
    mutants: [
      [
        "an adoption overwrites a time that the response lacks with 0",
        "return ttl === undefined || maxTtl === undefined ? undefined : { ttl, maxTtl };",
        "return { ttl: ttl ?? 0, maxTtl: maxTtl ?? 0 };",
      ],
    ],
  },
  {
    file: "provider/secrets/scheduler-access.ts",
    suites: ["test/provider/secrets/scheduler-access.test"],
    commandLine: [],
    mutants: [
      [
        "an update of the token blanks the certificates of another client",
        "before !== undefined && before.last[field] === before.state[field]",
        "before === null",
      ],
      [
        "credentials in an address on the server are stored and printed",
        "data.address === previous.address ? previous.address : withoutCredentials(data.address)",
        "String(data.address)",
      ],
    ],
  },
  {
    file: "provider/secrets/scheduler-roles.ts",
    suites: ["test/provider/secrets/role-names.test"],
    commandLine: [],
    mutants: [
      ["refresh hides a role whose name Pulumi cannot store", "refuseUnstorable(operation, mount, exclusive ? listed : names);", ""],
    ],
  },
  {
    file: "provider/secrets/scheduler-token.ts",
    suites: ["test/provider/secrets/scheduler-token.test"],
    commandLine: [],
    mutants: [
      ["the end of a token stays that of the client's clock", "return isClose && !renewed ? previous", "return !renewed ? previous"],
    ],
  },
  {
    file: "provider/secrets/scheduler-roles.ts",
    suites: ["test/provider/lifecycle/half-done.test"],
    commandLine: [],
    mutants: [
      [
        "an undeclared role with the name of a member of JavaScript objects is lost",
        "listed.filter((name) => !ours.has(name)) : []",
        "listed.filter((name) => !(name in previous.roles)) : []",
      ],
    ],
  },
];
