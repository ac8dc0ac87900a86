import { Attack } from "./attack";

export const clusters: readonly Attack[] = [
  {
    attack: "A balancer that also picks standbys, which redirect",
    result: "a rekey completes in one run",
    proofs: [
      ["provider/http/http", "retries, or fails at once, after %s"],
      ["provider/secrets/rekey/rate-limit", "after %s"],
      ["real/rekey-cluster", "a rekey completes in one run while standbys redirect"],
    ],
  },
  {
    attack: "A balancer of connections, whose kept connection leads to a standby",
    result: "the retry opens a new connection",
    proofs: [["provider/http/http", "behind a balancer of connections is reached over a new connection"]],
    mutants: ["a retry goes to the same node of a cluster"],
  },
  {
    attack: "A standby that redirects a share, although the active node has counted it",
    result: "it counts once; an unknown commit is tested by the next run",
    proofs: [
      ["chaos", "$name: no fault at any request loses a key, and the rekey completes"],
      ["provider/secrets/rekey/rate-limit", "a share that a standby redirects is sent again only to a service that refuses a repeated one"],
    ],
    mutants: ["a share is sent again although it may count twice"],
  },
  {
    attack: "The same for a new share that a holder verifies on OpenBao, which counts a repeated one",
    result: "it is not sent again",
    proofs: [
      ["command/rekey-faults", "a new share that a standby redirects, although the active node has counted it, is not verified twice"],
    ],
  },
  {
    attack: "A balancer that also picks a sealed node",
    result: "a rekey completes in one run",
    proofs: [["provider/secrets/rekey/rate-limit", "after %s"]],
  },
  {
    attack: "A standby of OpenBao, whose status shows no attempt of the active node",
    result: "the rekey stops, and no share is called dead",
    proofs: [
      ["provider/secrets/rekey/refusals", "a standby of OpenBao, which knows no attempt of the active node, gets no request"],
      ["provider/secrets/rekey/refusals", "a standby that never reaches the active node is named at the deadline"],
    ],
    mutants: ["a standby of OpenBao proves that an attempt is gone"],
  },
  {
    attack: "A failover between any two steps of a rekey",
    result: "the next runs complete it",
    proofs: [["real/rekey-cluster", "after each failover, a run continues from the cluster's status, and the rekey completes"]],
  },
  {
    attack: "`kill -9` of a node during Vault's commit, after which no shares open the cluster",
    result: "no set is called live or dead; the runbook restores it",
    otherwise: "100 runs on Vault and 76 on OpenBao by hand",
    proofs: [["real/rekey-pages", "docs/rekey/errors.md"]],
  },
  {
    attack: "A full disk while Pulumi saves the state of a rekey",
    result: "both files may be cut off; the runbook completes one, and the rekey continues from it",
    otherwise: "by hand",
    proofs: [["pages", "the command of docs/rekey/errors.md completes a state that was cut off anywhere"]],
  },
  {
    attack: "A token of the stack or of a holder that lacks one capability of a rekey",
    result: "the error names the capability and the path, also after a failed cleanup, and the next run continues",
    proofs: [
      ["provider/secrets/rekey/permissions", "the %s needs `%s` on %s, and the 403 names it"],
      ["real/rekey-permissions", "the %s needs `%s` on %s, and the 403 names it"],
    ],
  },
];
