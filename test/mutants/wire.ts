import { MutatedFile } from "./mutant";

export const wire: readonly MutatedFile[] = [
  {
    file: "provider/comparison.ts",
    suites: ["test/provider/comparison", "test/troubles/fuzz/comparison", "test/provider/secrets/scheduler-role.test"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [["the order of policies shows as drift", "[...new Set(value)].sort()", "[...new Set(value)]"]],
  },
  {
    file: "provider/connection/index.ts",
    suites: ["test/provider/connection/", "test/provider/lifecycle/moved"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      ["two namespaces of a server count as one server", "id: part ?", 'id: part === "" ?'],
      [
        "a connection's new address is accepted without allowAddressChange",
        "allowAddressChange: allowAddressChange ?? false,",
        "allowAddressChange: allowAddressChange ?? true,",
      ],
    ],
  },
  {
    file: "provider/connection/variables.ts",
    suites: ["test/provider/connection/"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [["variables of another product are dropped without a warning", "if (unused.length === 0) return;", "return;"]],
  },
  {
    file: "provider/connection/credentials.ts",
    suites: ["test/provider/connection/"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [["a token given in tokenEnv instead of a variable's name is printed", "isVariableName(tokenEnv) ?", "tokenEnv !== value ?"]],
  },
  {
    file: "provider/http/index.ts",
    suites: [
      "test/provider/http/http.test",
      "test/provider/http/(messages|unsent)",
      "test/provider/platform/smtp-settings",
      "test/provider/secrets/rekey/losses",
      "test/provider/http/(connections|queue)",
    ],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "a write that is not idempotent is retried after a broken connection",
        "only429: { transportErrors: false, statuses: [429] }",
        "only429: { transportErrors: true, statuses: [429] }",
      ],
      ["an action is sent after a wait although Pulumi has ended", 'if (request.retry === "only429")', "if (false)"],
      ["a 429 without Retry-After is not retried long enough", "(broken || status === 503) && parseRetryAfter", "parseRetryAfter"],
      ["a retry goes to the same node of a cluster", "reset: !isFirst", "reset: false"],
      ["retries ignore the deadline", "if (pause === undefined || now + pause > end)", "if (pause === undefined)"],
      ["a request gives its slot away while the server limits the rate", "if (!isLimited) release();", "release();"],
      ["the deadline runs while the server limits the rate", "if (!isLimited) left -= pause;", "left -= pause;"],
      [
        "a write that may have been applied is reported as not applied",
        "before.outcomeUnknown ||= outcome.details.outcomeUnknown ?? false;",
        "",
      ],
      [
        "a server's reason shows the token",
        '[...operation.secrets.values, token ?? "", operation.server.credentials.clientKey ?? ""]',
        '[...operation.secrets.values, operation.server.credentials.clientKey ?? ""]',
      ],
      ["the message of a request is not redacted", "reason: redact(reason, secrets),", "reason,"],
    ],
  },
  {
    file: "provider/http/sockets.ts",
    suites: ["test/provider/http/(connections|queue)"],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      [
        "any certificate is accepted with NODE_TLS_REJECT_UNAUTHORIZED=0",
        "const verified = { rejectUnauthorized: true };",
        "const verified = {};",
      ],
    ],
  },
  {
    file: "provider/http/failure.ts",
    suites: [
      "test/provider/http/http.test",
      "test/provider/http/(messages|unsent)",
      "test/provider/errors",
      "test/provider/(secrets|platform)/gateway",
    ],
    commandLine: ["test/end-to-end/secrets/life"],
    mutants: [
      ["a write that a standby redirects is reported as not applied", "outcomeUnknown: isStandby && writes,", ""],
      [
        "a write whose response was lost is reported as not applied",
        "const outcomeUnknown = writes && isSent;",
        "const outcomeUnknown = false;",
      ],
      [
        "a gateway's 404 counts as the server's own",
        "return Array.isArray(errors) ? errors : undefined;",
        "return Array.isArray(errors) ? errors : [];",
      ],
    ],
  },
  {
    file: "provider/lifecycle/ownership.ts",
    suites: [
      "test/end-to-end/stories/everything/undeclared",
      "test/provider/lifecycle/ownership",
      "test/provider/(secrets|platform)/ownership",
      "test/provider/secrets/rekey/renames",
      "test/provider/secrets/role-creation",
    ],
    commandLine: ["test/end-to-end/rename"],
    mutants: [
      [
        "a failed run destroys a workspace that it may not have come to declare",
        "isIrreversible && operation.run.cache.has(failed)",
        "isIrreversible && operation.run.cache.has(object)",
      ],
      [
        "a state without an instance owns the object of another resource",
        "instance === undefined || other !== instance",
        "instance !== undefined && other !== instance",
      ],
      [
        "a creation does not wait for a removal",
        "if (removals.length === 0) return act(all);",
        "if (removals !== undefined) return act(all);",
      ],
      ["two resources create the same object", "if (taken.length > 0)\n", "if (taken.length > objects.length)\n"],
      ["a rejected creation still holds the object", "isOutcomeUnknown ? objects : []", "objects"],
      ["a partial creation holds objects that it has not written", "objectsOf(resource, left)", "objects"],
      ["the old resource deletes the object after a rejected rename", "claims.createFailed = true;", ""],
      [
        "a deletion removes an object that another resource holds",
        "if (otherManagerOf(operation, object)) return { removal: undefined };",
        "",
      ],
    ],
  },
  {
    file: "provider/http/index.ts",
    suites: ["test/provider/http/queue.test"],
    commandLine: [],
    mutants: [
      [
        "a limited request times out although the server serves others",
        "sockets.limitedSince = isLimited ? (sockets.limitedSince ?? begin) : undefined;",
        "sockets.limitedSince ??= begin;",
      ],
    ],
  },
  {
    file: "provider/http/failure.ts",
    suites: ["test/provider/http/redaction.test"],
    commandLine: [],
    mutants: [["a short secret in a reason is printed", "if (holdsShortSecret(reason, secrets))", "if (false)"]],
  },
];
