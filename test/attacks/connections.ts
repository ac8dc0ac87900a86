import { Attack } from "./attack";

export const connections: readonly Attack[] = [
  {
    attack: "A large set on a slow server",
    result: "no deadline runs before a request can be sent",
    proofs: [["provider/http/queue", "wait without a running deadline, so a large set on a slow server is written, read and deleted"]],
  },
  {
    attack: "A large set at a server that limits the rate",
    result: "32 requests share the rate, and the set does not time out",
    proofs: [
      ["provider/http/queue", "keep their sockets after a 429, so the waiting ones are not rejected as well"],
      ["provider/http/queue", "do not time out while it serves some of them"],
    ],
    mutants: ["a request gives its slot away while the server limits the rate", "the deadline runs while the server limits the rate"],
  },
  {
    attack: "`NODE_TLS_REJECT_UNAUTHORIZED=0`, directly and through a proxy",
    result: "it is ignored, and the error says so",
    proofs: [["provider/http/connections", "NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored for the certificate of $of"]],
    mutants: ["any certificate is accepted with NODE_TLS_REJECT_UNAUTHORIZED=0"],
  },
  {
    attack: "Megabytes of digits, newlines or half a secret in a reason",
    result: "linear time",
    proofs: [
      ["provider/http/redaction", "is processed in linear time, with %s"],
      ["provider/http/redaction", "is redacted fast with the hundreds of secrets of a rekey"],
    ],
  },
  {
    attack: "Hostile OpenAPI templates",
    result: "linear time",
    proofs: [["provider/secrets/refusal", "comparing the paths of a hostile OpenAPI document takes linear time"]],
  },
  {
    attack: "Requests that fail before their first byte is sent",
    result: '"nothing was sent", and no state',
    proofs: [
      ["provider/http/unsent", "a write that fails before its first byte is sent"],
      ["provider/http/unsent", "a resource whose creation was never sent"],
    ],
  },
  {
    attack: "A proxy that closes each connection",
    result: "one error, no endless loop",
    proofs: [["provider/http/unsent", "because of a proxy that resets the connection or does not speak HTTP"]],
  },
  {
    attack: "A proxy variable without a scheme, or with a `%` in its password",
    result: "one error that names the variable",
    proofs: [
      ["provider/http/connections", "if invalid is an error that names its variable (%s)"],
      ["provider/http/connections", "of both schemes may be invalid, and a resource fails without a state"],
    ],
  },
  {
    attack: "A SOCKS proxy that closes each connection, and exceptions in `no_proxy`",
    result: "the error names the proxy only if it is used",
    proofs: [
      ["provider/http/connections", "that speaks SOCKS and closes the connection is named"],
      ["provider/http/connections", "is chosen as undici chooses it: %j"],
    ],
  },
  {
    attack: "Ctrl-C while a rekey waits",
    result: "a line says how to end the wait; the wait has a limit",
    proofs: [
      ["end-to-end/secrets/rekey-wait", "a second Ctrl-C ends a waiting rekey, and up --refresh completes it after pulumi cancel ($name)"],
    ],
  },
  {
    attack: "Ctrl-C, with the native plugin, while a rekey waits or a request pauses before a retry",
    result: "ends at once and sends nothing more; the stack is not locked, and the attempt stays",
    proofs: [
      [
        "end-to-end/secrets/rekey-wait",
        "one Ctrl-C ends the wait of the native plugin, and the next up continues with the submitted share",
      ],
      ["provider/http/http", "ends the pause before a retry, and does not retry, once the user cancels the run"],
      ["provider/secrets/rekey/round", "sends no share after the user has canceled the wait"],
    ],
  },
  {
    attack: "A secret that appears on the server between an import and the first `pulumi up`",
    result: "is encrypted in state, history and backups",
    proofs: [["end-to-end/discover-dynamic", "a secret that appears before the first up is encrypted"]],
    mutants: ["an output without a value that can be secret is not in the file"],
  },
  {
    attack: "A program without the password of imported settings, before the first `pulumi up`",
    result: "the settings stay enabled",
    proofs: [["end-to-end/discover-dynamic", "import and up send only what no server shows, and destroy restores what was found"]],
  },
  {
    attack: "The engine dies, and another process takes its port",
    result: "the provider ends",
    proofs: [
      ["provider/engine/engine", "another process on the port of a killed engine does not count as the engine"],
      ["provider/engine/engine", "nothing is sent after Pulumi has ended, and the provider's process ends"],
    ],
    mutants: ["a dead engine counts as alive", "the process outlives its engine"],
  },
  {
    attack: "One wrong share among 255",
    result: "it is named, or reported as unknown, within a second",
    proofs: [
      ["provider/secrets/rekey/proof", "names the mismatched share among 255 with threshold %i in seconds: %i"],
      ["provider/secrets/rekey/proof", "reports that no share can be named if every third of 255 is wrong"],
    ],
    mutants: ["the proof accepts one wrong share"],
  },
];
