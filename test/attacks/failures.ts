import { Attack } from "./attack";

export const failures: readonly Attack[] = [
  {
    attack: "A workspace inside an `apply` that does not run, because a resource fails under `--continue-on-error`",
    result: "it is not destroyed in that run",
    proofs: [
      ["stories/everything/undeclared", "a workspace that the program does not declare because another resource failed is not destroyed"],
    ],
    mutants: ["a failed run destroys a workspace that it may not have come to declare"],
  },
  {
    attack: "An object that another client creates between the check and the creation",
    result: "the creation fails, or prints the differences",
    proofs: [["provider/lifecycle/preview-reads", "a role that another client created since the check is not overwritten"]],
    mutants: ["a creation overwrites an object that appeared after its check"],
  },
  {
    attack: "A forced replacement drops a secret that the platform keeps",
    result: "it stays encrypted",
    proofs: [["provider/lifecycle/former-inputs-left", "$token, $attribute stays encrypted if a forced replacement drops it"]],
  },
  {
    attack: "A transform that makes an input secret",
    result: "adoption prints `[secret]`; not for transforms of a component or of the stack",
    proofs: [["provider/program/secret-inputs", "every input but the name counts as secret if a transform may make it secret"]],
  },
  {
    attack: "Credentials in an address of an uncommon form",
    result: "`[secret]` in state and messages",
    proofs: [["provider/secrets/scheduler-access", "credentials in %s appear in neither the state nor a message"]],
    mutants: ["credentials in an address on the server are stored and printed"],
  },
  {
    attack: "`rekey backup --delete` with `--output`",
    result: "usage error, nothing is deleted",
    proofs: [
      ["command/backup", "fetches the backup for all holders or for one, who decrypts the share, and removes it by the nonce of its rekey"],
    ],
  },
  {
    attack: "An election after a blocking query of several minutes, and five elections in a row",
    result: "the wait continues",
    proofs: [
      ["provider/scheduler/watch", "that happens repeatedly does not count as a server without blocking queries"],
      ["provider/scheduler/watch", "has its own timeout, independent of the read before it"],
    ],
    mutants: ["an election ends a wait for changes"],
  },
];
