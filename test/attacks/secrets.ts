import { Attack } from "./attack";

export const secrets: readonly Attack[] = [
  {
    attack: "`--json`, `--debug`, `-v=8 --logtostderr`, events of the Automation API",
    result: "show no secret",
    proofs: [
      ["end-to-end/secrecy", "the terminal, the backend and the event log hold no secret, from preview to destroy"],
      ["stories/secrecy", "the terminal and the backend hold no secret, from preview to destroy"],
      ["provider/program/debug-log"],
      ["package", "a program in %s deploys without a secret in the output"],
      ["installations", "the output of up holds no secret at the highest log level"],
    ],
    mutants: [
      "the debug log of Pulumi's SDK shows secrets",
      "the debug log of another copy of the SDK shows secrets",
      "secret outputs are stored in plaintext",
    ],
  },
  {
    attack: "Pulumi's own log of a run, and `-v=9`",
    result: "the log is encrypted, and contains what the page says",
    proofs: [
      ["end-to-end/secrecy", "the terminal, the backend and the event log hold no secret, from preview to destroy"],
      ["package", "a program in %s deploys without a secret in the output"],
      ["installations", "the output of up holds no secret at the highest log level"],
      ["real/rekey-pages", "docs/rekey/how-it-works.md"],
    ],
  },
  {
    attack: "A secret is removed, or becomes plain, while the response is lost",
    result: "stays encrypted in the state",
    proofs: [
      ["provider/lifecycle/former-inputs", "$token, $field $way is stored nowhere in plaintext"],
      ["histories/found", "a secret that is removed from the program stays encrypted if the response is lost"],
    ],
    mutants: ["a partially failed update stores former secrets in plaintext", "former values disappear from the state"],
  },
  {
    attack: "A secret is removed from the program, and the server keeps its value",
    result: "stays encrypted in the state",
    proofs: [
      ["provider/lifecycle/former-inputs-left", "a secret of a lease that is removed from the program"],
      ["provider/lifecycle/former-inputs-left", "$token, $attribute stays encrypted as long as the platform keeps it"],
      ["provider/lifecycle/former-inputs-left", "extra.certificate stays encrypted as long as the platform keeps it"],
    ],
    mutants: ["a secret that the program no longer declares is stored in plaintext"],
  },
  {
    attack: "A plain value becomes secret while the response is lost, then a refresh",
    result: "the new value is not stored as a plain input",
    proofs: [["provider/lifecycle/former-inputs", "$token, $field: refresh after a partial update stores no new secret as a plain input"]],
    mutants: ["refresh after a partial update stores a new secret as a plain input"],
  },
  {
    attack: "Two updates in a row that fail half-way through",
    result: "the values of both stay encrypted",
    proofs: [
      [
        "provider/lifecycle/former-inputs-twice",
        "a set of roles stays encrypted after a lost response, and after a lost request that makes it plain",
      ],
      ["provider/lifecycle/former-inputs-twice", "the first secret of settings stays encrypted after two partial updates"],
    ],
    mutants: ["a partially failed update stores former secrets in plaintext"],
  },
  {
    attack: "A secret that equals the original value leaves during, or after, an update without a response",
    result: "stays encrypted in the state",
    proofs: [
      ["provider/lifecycle/former-inputs-left", "a secret of settings that equals the original value, and an update that gets no response"],
    ],
    mutants: [
      "a partially failed update stores former secrets in plaintext",
      "a secret that the program no longer declares is stored in plaintext",
    ],
  },
  {
    attack: "A secret `reason`, or certificate, in an output of another name",
    result: "that output is encrypted",
    proofs: [
      ["histories/found", "a secret reason is encrypted as the published reason as well"],
      ["histories/found", "a secret value of a killed creation that is captured as an original value stays encrypted"],
      ["secrecy", "registers each secret as a secret input and as a secret output"],
    ],
    mutants: [
      "the published link, which may be a secret, is stored in plaintext",
      "encrypted outputs are stored in plaintext",
      "original values, including secrets, are stored in plaintext",
    ],
  },
  {
    attack: "An original value that was a secret of a renamed resource",
    result: "it is not printed",
    proofs: [
      ["histories/histories", "%s: after each random history the servers hold what the program declares and all other objects"],
      ["provider/platform/ownership", "the warning names an original value that is a secret and does not show it"],
    ],
  },
];
