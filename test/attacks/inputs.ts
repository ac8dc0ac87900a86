import { Attack } from "./attack";

export const inputsAndStates: readonly Attack[] = [
  {
    attack: "A `Map` or a `Set` in the arguments of a resource",
    result: "the program fails and names the argument",
    proofs: [
      ["provider/program/plain-inputs", "%s rejects a Map in its arguments"],
      ["provider/program/plain-inputs", "%j is rejected: %s"],
    ],
  },
  {
    attack: "A role, keeper or attribute with the name of a member of JavaScript objects",
    result: "works, or the program fails and names it: `toString`, `__proto__`",
    proofs: [
      ["provider/program/plain-inputs", "%j is rejected: %s"],
      ["provider/program/plain-inputs", "other names of JavaScript's own members, and outputs, are passed on"],
      ["provider/secrets/scheduler-roles", "names of JavaScript object members are valid role names"],
    ],
    mutants: ["a role with the name of a member of JavaScript objects is not found"],
  },
  {
    attack: "`envVars` of a workspace, and an inline program with functions",
    result: "resources use them; functions use the variables of their process, and the page says so",
    proofs: [
      ["end-to-end/runs", "the Automation API runs a program several times, and for two stacks at once, in one process"],
      ["end-to-end/reference-sources", "an inline program has the variables of its workspace and of its process"],
    ],
  },
  {
    attack: "`pulumi state taint` of a role",
    result: "replaces it as `--replace` does; the error names `deleteBeforeReplace`",
    proofs: [["end-to-end/options", "a tainted role is replaced as with --replace, and the last resources are destroyed"]],
  },
  {
    attack: "A value of any JSON type in any place of inputs, options and connections",
    result: "every message is of this package, none of zod",
    proofs: [["fuzz/wording"]],
    mutants: ["a message about a wrong boolean is that of zod"],
  },
  {
    attack: "A role named `a.b` in a message",
    result: 'its path is `roles["a.b"]`',
    proofs: [
      ["provider/lifecycle/check", "%s %#: reports all problems at once and sends nothing"],
      ["provider/program/plain-inputs", "%j is rejected: %s"],
    ],
    mutants: ["the path of a role named a.b looks like that of an attribute"],
  },
  {
    attack: "A server that takes seconds for each 429, and serves other requests",
    result: "the request waits, and does not time out",
    proofs: [["provider/http/queue", "do not time out while it rejects one of them slowly, and serves others"]],
    mutants: ["a limited request times out although the server serves others"],
  },
  {
    attack: "A state with null, an empty or another value in place of a part of the id",
    result: "the part comes from the id: no request for `role/null`",
    proofs: [
      ["provider/lifecycle/damaged-state", "names come from the id in place of %j, and without a valid id nothing is deleted"],
      ["provider/lifecycle/damaged-state", "%s with null in place of a field does what it does without it"],
    ],
    mutants: ["an empty mount in the state is a part of the path"],
  },
  {
    attack: "`trimLater` is set when the state has no valid time of the rotation",
    result: "the wait begins now",
    proofs: [["provider/platform/oidc-key-rotation", "trimLater waits from now if the state has %j as the time of the rotation"]],
    mutants: ["trimLater fails if the state has no valid time of the rotation"],
  },
  {
    attack: "A state with another value in place of the list of declared fields",
    result: "an error names the field, and nothing is sent",
    proofs: [["provider/lifecycle/damaged-state", "%j as the declared fields is no internal error"]],
    mutants: ["another value than a list of declared fields is an internal error"],
  },
  {
    attack: "A state without one of its fields, such as `mount`, `roles` or `managed`",
    result: "the field comes from the id, or an error names it and nothing is sent",
    proofs: [
      ["provider/lifecycle/damaged-state", "%s acts on the same objects without any field of the state, or fails and names the field"],
    ],
    mutants: ["a state without a field of the id acts on another object"],
  },
  {
    attack: "A client whose clock is wrong generates a token",
    result: "a refresh corrects `expiresAt`",
    proofs: [["provider/secrets/scheduler-token", "refresh takes the end %s from the server's clock"]],
    mutants: ["the end of a token stays that of the client's clock"],
  },
  {
    attack: "A partially updated exclusive set, and an undeclared role named `constructor`",
    result: "refresh finds it",
    proofs: [["provider/lifecycle/half-done", "refresh of an exclusive set that was partially updated finds an undeclared role named %s"]],
    mutants: ["an undeclared role with the name of a member of JavaScript objects is lost"],
  },
];
