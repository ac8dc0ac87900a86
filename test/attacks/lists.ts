import { Attack } from "./attack";

export const lists: readonly Attack[] = [
  {
    attack: "Pages of workspaces that repeat a number, bring nothing new, or name no valid next page",
    result: "an error, also in `discover`",
    proofs: [
      ["provider/platform/workspaces", "return each workspace once and fail after %s"],
      ["provider/platform/workspaces", "fail if the next page is %s"],
      ["provider/platform/workspaces", "fail likewise in discover, where a part must not pass for the whole"],
    ],
  },
  {
    attack: "A workspace that is deleted while the pages are read",
    result: "no other workspace is missing",
    proofs: [["provider/platform/workspaces", "read the pages again after a deletion, which moves a workspace to an earlier page"]],
  },
  {
    attack: "An empty 200, a 204, or a repeated page token from a gateway",
    result: "an error, or the whole list",
    proofs: [
      ["provider/scheduler/lists", "a response that is %s is not an empty list but an error"],
      ["provider/scheduler/lists", "a page token that a gateway repeats does not end the list"],
      ["provider/scheduler/lists", "pages that form a circle"],
    ],
  },
  {
    attack: "A job that is purged, stopped or updated while a wait asks if it is stable",
    result: "the wait fails or continues",
    proofs: [
      ["provider/scheduler/deployment-wait", "rejects if the job %s after the first read, although no version is unstable"],
      ["provider/scheduler/deployment-wait", "waits for the deployment of a newer version that is registered after the first read"],
    ],
  },
  {
    attack: "A gateway that ends blocking queries with 504, or restarts with 502",
    result: "the watch and the wait continue",
    proofs: [
      ["provider/scheduler/watch", "reconnects after a gateway's %d, and yields the changes made meanwhile"],
      ["provider/scheduler/deployment-wait", "outlasts a gateway's 504"],
    ],
  },
  {
    attack: "Half of a surrogate pair in a filter or another query value, which swallows the next character",
    result: "it is refused and not sent",
    proofs: [
      ["provider/scheduler/filter", "rejects an invalid path, value or filter"],
      ["provider/scheduler/lists", "an option with half of a surrogate pair is rejected by name and not sent"],
    ],
    mutants: ["half of a surrogate pair is sent"],
  },
  {
    attack: "Half of a surrogate pair in any string of a resource, a function or the configuration",
    result: "it is refused by its path",
    proofs: [
      ["fuzz/inputs", "check rejects half of a surrogate pair in any string"],
      ["fuzz/functions", "rejects half of a surrogate pair in any argument and sends nothing"],
      ["provider/connection/connection", "rejects %p"],
    ],
    mutants: ["half of a surrogate pair is sent"],
  },
  {
    attack: "`null` anywhere in the OpenAPI document",
    result: "it is read without that part, or rejected",
    proofs: [["provider/secrets/specification", "reads a document with null in any place, or rejects it"]],
  },
  {
    attack: "A token that may not read all namespaces, and a list of all of them",
    result: "the page says it, and its program and the example fail",
    proofs: [
      ["stories/documentation", "docs/getting-started/nomad.md: refresh --run-program records the report"],
      ["stories/scheduler/examples", "scheduler-report lists services that do not run"],
    ],
  },
  {
    attack: "The import command that `discover` prints, for objects with secrets",
    result: "Pulumi writes the program to a file, and prints no secret",
    proofs: [
      ["command/discover", "names the secrets that an import writes in plaintext, without their values"],
      ["command/discover", "finds the objects of each mount with one list, prints a table, and writes the file"],
    ],
  },
  {
    attack: "Values on a server that a program cannot declare: an empty host, an odd name in `extra`, a role `__proto__`",
    result: "`discover` leaves out an attribute of settings, or the object, and lists it; the import and the first `up` succeed",
    proofs: [
      ["command/discover-program", "leaves out attributes that a program cannot declare, and lists them"],
      ["command/discover-program", "lists roles that a program cannot declare, and writes the others"],
      ["end-to-end/discover-dynamic", "attributes and roles that a program cannot declare stay as they are"],
    ],
    mutants: ["a value that a program cannot declare is written"],
  },
  {
    attack: "Mounts such as `team/ops` and `team-ops`, or `1st`, whose management tokens would share a variable or have an invalid one",
    result: "each has its own valid variable",
    proofs: [["command/discover-program", "writes a variable of its own for the token of each mount"]],
  },
  {
    attack: "A masked secret and `discover --secrets`",
    result: "the mask is not stored as the secret",
    proofs: [["command/discover-program", "does not take a masked secret for its value"]],
    mutants: ["a mask is written as a secret"],
  },
  {
    attack: "`--output` and `--program` with one file",
    result: "an error before the search",
    proofs: [["command/discover-program", "needs two files"]],
  },
  {
    attack: "The runtime in a Pulumi.json, or after its options",
    result: "it is recognized",
    proofs: [["command/discover-program", "reads the runtime in %s %j"]],
    mutants: ["a Node.js project with options of its runtime gets no program"],
  },
  {
    attack: "`stackConfigDir` in quotes, before a comment, or in a Pulumi.json, and `discover --secrets`",
    result: "the folder is found",
    proofs: [["command/discover-program", "--secrets finds the folder of the stack's configuration in %s"]],
  },
  {
    attack: "A LIST with a body of 100 MB to the sandbox",
    result: "linear time",
    proofs: [["sandbox/secrets/engine", "role: the method LIST takes linear time for its body"]],
  },
];
