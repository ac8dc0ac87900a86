import { Attack } from "./attack";

export const responses: readonly Attack[] = [
  {
    attack: "Two resources with the same settings, both destroyed",
    result: "the original values are restored, in either order",
    proofs: [["provider/platform/ownership", "deleting resources of the same settings restores the values before all of them: %j %j %j"]],
    mutants: ["deleting three resources of the same settings restores the second one's original values"],
  },
  {
    attack: "A gateway's 404, with JSON, `{}` or an empty body",
    result: "an error; the state keeps the resource",
    proofs: [
      ["provider/secrets/gateway", "refresh and destroy keep $type: 404 $body below '$route'"],
      ["provider/secrets/gateway", "create adopts nothing: $type, 404 $body below '$route'"],
      ["provider/secrets/gateway", "a set keeps its roles if the response to the list is 404 %j"],
      ["provider/secrets/gateway", "a gateway's 404 does not prove that no backup exists (%s)"],
      ["provider/platform/gateway", "$type stays in the state: 404 $body"],
    ],
    mutants: [
      "a gateway's 404 removes a resource from the state",
      "a gateway's 404 counts as deleted",
      "a gateway's 404 counts as no backup, which the next share overwrites",
    ],
  },
  {
    attack: "A gateway's 200 with JSON to a write or a deletion, on every system and for rekeys",
    result: "an error; the outcome is unknown, and the state keeps the resource",
    proofs: [
      ["provider/secrets/gateway", "of $from is no success of $type"],
      ["provider/platform/gateway", "$type stays in the state"],
      ["provider/platform/gateway", "%s runs again"],
      ["provider/scheduler/job-registration", "a gateway's response is no success on Nomad"],
      ["faults", "each fault at each request ends in the expected state or in one readable error, and the next run converges"],
      ["faults", "no fault at any request loses a key, and the next runs converge"],
    ],
    mutants: ["any JSON in a 2xx counts as a successful write"],
  },
  {
    attack: "A control group of Vault answers a request with 200 and applies nothing",
    result: "an error that says so; no state",
    proofs: [
      ["provider/secrets/gateway", "of $from is no success of $type"],
      ["faults", "each fault at each request ends in the expected state or in one readable error, and the next run converges"],
    ],
    mutants: ["a control group's response counts as a successful write"],
  },
  {
    attack: "An import id with the name `..`, or a mount with empty parts, `.` or `..`",
    result: "an error by the rule of the input; nothing else is read",
    proofs: [
      ["provider/secrets/role-names", "an id has the rule of the input: the name %j is rejected"],
      ["provider/secrets/role-names", "an id below the mount %j is rejected"],
      ["command/discover", "omits objects that cannot be imported, and says so if they exist"],
    ],
    mutants: ["an id may have parts that the input rejects"],
  },
  {
    attack: "A response of the registry without a list of versions",
    result: "an error; the state keeps the deprecation",
    proofs: [["provider/platform/module-versions", "a registry that responds with %j does not count as one without the version"]],
    mutants: ["a response without versions counts as a registry without the module"],
  },
  {
    attack: "A response of Vault without both times of a lease",
    result: "an error; an adoption overwrites no time with 0",
    proofs: [["provider/secrets/scheduler-lease", "no operation takes the response %j for a lease configuration"]],
    mutants: ["an adoption overwrites a time that the response lacks with 0"],
  },
  {
    attack: "A client key that another client wrote, and an update of the management token",
    result: "the key and its certificate stay",
    proofs: [
      [
        "provider/secrets/scheduler-access",
        "an update sends certificates and a key only if the program declares them, or did at the last up (%s)",
      ],
      ["provider/secrets/scheduler-access", "an update keeps certificates that the program does not declare"],
    ],
    mutants: ["an update of the token blanks the certificates of another client"],
  },
  {
    attack: "A role named `__proto__`, or with a name that Pulumi cannot store",
    result: "refresh fails and names it",
    proofs: [
      ["provider/secrets/role-names", "refresh of an exclusive set fails for a role named %s and keeps the set"],
      ["provider/secrets/role-names", "refresh of an exclusive set fails for a list with %j"],
    ],
    mutants: ["refresh hides a role whose name Pulumi cannot store"],
  },
  {
    attack: "One changed role of a set of 1,000",
    result: "a line of the refresh names the role, the attribute and both values",
    proofs: [
      ["provider/secrets/scheduler-roles", "refresh names each part of a role that was changed on the server"],
      ["provider/secrets/scheduler-roles", "refresh names at most ten changed parts, and shows no value of a secret"],
    ],
    mutants: ["refresh does not name the role that was changed"],
  },
];
