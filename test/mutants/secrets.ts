import { MutatedFile } from "./mutant";

export const secrets: readonly MutatedFile[] = [
  {
    file: "provider/secrets/scheduler-roles.ts",
    suites: [
      "test/cases/cases",
      "test/provider/secrets/scheduler-roles",
      "test/provider/secrets/ownership",
      "test/provider/lifecycle/half-done",
      "test/provider/requests",
      "test/stories/everything/duplicates",
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
];
