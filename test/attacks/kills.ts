import { Attack } from "./attack";

export const kills: readonly Attack[] = [
  {
    attack: "`kill -9` at random instants of an `up` with one of every resource",
    result: "the next `up --refresh` converges, and no other object is lost",
    otherwise: "`node tools/run.js chaos histories`",
    proofs: [],
  },
  {
    attack: "`kill -9` in the middle of a set's update that is then reverted, or of a `destroy`",
    result: "`pulumi cancel --yes`, then `pulumi up --refresh` restores every role",
    proofs: [
      ["end-to-end/native-runs", "the page on kills restores a %s set of roles after a killed update and a killed destroy"],
      ["histories/found", "what the page on kills says to run leaves the declared object on the server: %s"],
    ],
  },
  {
    attack: "`kill -9` at any request of a rekey, and a refresh before the next `up`",
    result: "the rekey continues from the saved step",
    proofs: [
      ["chaos", "$name: no fault at any request loses a key, and the rekey completes"],
      ["end-to-end/secrets/rekey-kills", "a rekey of $program completes after kills at the start, at a share and at the commit ($name)"],
    ],
    mutants: ["a commit that the status does not confirm counts as complete", "an unknown outcome counts as open"],
  },
  {
    attack: "A role is adopted in the `up` that removes another provider's resource for it",
    result: "it is gone, `refresh` reports it, and the pages say how to avoid it",
    proofs: [
      ["real/guides/state", "docs/guides/adopt.md: From another provider"],
      ["end-to-end/native", "a role that moves into a set stays unless the same up switches to the native plugin"],
    ],
  },
  {
    attack: "Resource options, policy packs and `pulumi watch`",
    result: "do what their pages say",
    proofs: [
      ["end-to-end/options", "resource options"],
      ["end-to-end/runs", "a policy pack rejects and remediates resources before any write, and shows no secret"],
      ["end-to-end/runs", "pulumi watch applies each saved change, and each of its runs is independent"],
    ],
    mutants: ["a replacement with --replace deletes the new object"],
  },
  {
    attack: "Random programs over time, with faults, kills, targets and outside changes",
    result: "declared objects exist, no other is lost, and the state converges",
    proofs: [["histories/histories", "%s: after each random history the servers hold what the program declares and all other objects"]],
    mutants: [
      "a deletion removes an object that another resource holds",
      "two resources create the same object",
      "a creation without a response leaves no state",
      "an update without a response leaves the old state",
    ],
  },
];
