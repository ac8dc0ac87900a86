import { Attack } from "./attack";

export const references: readonly Attack[] = [
  {
    attack:
      "A secret by reference, with the loudest switches of Pulumi, in its log, its state, its events, its traces and its calls of the provider",
    result: "no place contains it",
    proofs: [["end-to-end/references", "from create to destroy"]],
    mutants: ["the state contains the value of a reference"],
  },
  {
    attack: "A reference that is unset, missing, or changed on the server",
    result: "no change and a warning, an error before a request, or drift",
    proofs: [
      ["provider/lifecycle/references", "a reference that cannot be read is no change, and fails before a create sends anything"],
      ["provider/lifecycle/references", "a change on the server is drift, which up repairs"],
    ],
    mutants: ["a missing variable counts as another secret", "a create sends a reference that it cannot read"],
  },
  {
    attack: "A write that has to send an unchanged secret whose reference cannot be read",
    result: "an error that names it, and no request",
    proofs: [
      ["provider/lifecycle/references", "a write needs the secret, even an unchanged one, and fails before it is sent"],
      ["provider/lifecycle/references", "a replacement that cannot read it fails before the old object is deleted"],
    ],
    mutants: ["a write without the secret of a reference that cannot be read is sent"],
  },
  {
    attack: "A secret by reference that equals the platform's former value, and is destroyed",
    result: "nothing changes, and no line calls it lost",
    proofs: [["provider/lifecycle/references", "an equal value that the platform had before is neither in the state nor lost"]],
    mutants: ["the original value contains the value of a reference"],
  },
  {
    attack: "A secret by reference in a lost write, in an error that repeats it, or next to another attribute while its reference is unset",
    result: "no value in the state or in a message, and it is not sent",
    proofs: [
      ["provider/lifecycle/references", "a lost write, and the refresh after it, leave no value in the state"],
      ["provider/lifecycle/references", "an error of a refresh or a destroy redacts the value that the server repeats"],
      ["provider/lifecycle/references", "another attribute changes although the reference cannot be read, and the secret is not sent"],
    ],
    mutants: ["the state contains the value of a reference", "an error of a request shows the secrets of its resource"],
  },
  {
    attack: "`ignoreChanges` on a secret by reference whose value changes",
    result: "the new value is never sent",
    proofs: [["provider/lifecycle/references", "ignoreChanges keeps the value on the server"]],
    mutants: ["ignoreChanges sends a new value of a reference"],
  },
  {
    attack: "Secrets by reference in imports, adoptions, faults at every request, histories and random inputs",
    result: "no state contains a value, and the next run converges",
    proofs: [
      ["cases/cases", "adoption leaves no value in the state"],
      ["cases/cases", "import adopts it, and a program that declares it changes nothing"],
      ["faults", "each fault at each request ends in the expected state or in one readable error, and the next run converges"],
      ["histories"],
      ["fuzz/inputs", "check accepts or rejects any input without a request or a secret in its message"],
    ],
    mutants: ["the state contains the value of a reference"],
  },
  {
    attack: "A reference whose variable or file is the output of a new resource",
    result: "the preview passes",
    proofs: [
      ["provider/lifecycle/references", "a name that is known only after other resources are created passes the preview"],
      ["secrecy-native", "a secret that is unknown in a preview stays a secret"],
    ],
  },
  {
    attack: "A reference with half of a surrogate pair, an empty name, a wrong key or two keys",
    result: "`check` rejects it, and names both forms",
    proofs: [["provider/lifecycle/references", "check rejects %j"]],
  },
  {
    attack: "`--otel-traces`, with which Pulumi starts a plugin with more arguments",
    result: "no trace contains a value, and the native plugin still prints its warnings",
    proofs: [["end-to-end/references", "from create to destroy"]],
  },
  {
    attack: "A variable that a program sets, a relative path, an inline program",
    result: "read as the page says, by both mechanisms",
    proofs: [["end-to-end/reference-sources", "the source of a reference, with the native plugin: %s"]],
  },
  {
    attack: "A program in Go with the generated SDK",
    result: "it compiles, since types of references are in the module of their resource",
    proofs: [
      ["end-to-end/languages", "a program sends the same requests in each language"],
      ["end-to-end/languages", "pulumi package add makes the SDK for %s a dependency of the program"],
    ],
  },
];
