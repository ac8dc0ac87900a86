import { Attack } from "./attack";

export const holders: readonly Attack[] = [
  {
    attack: "An attempt that replaces a drill's, or has its nonce and other parameters",
    result: "it gets no share and, if it is another client's, is not canceled",
    proofs: [
      ["command/drill", "an attempt that replaces the drill's gets no share and is not canceled"],
      ["command/drill", "an attempt that the status shows %s gets no share"],
    ],
    mutants: ["a probe whose parameters changed gets a share", "the end of a probe cancels the attempt that replaced it"],
  },
  {
    attack: "Another client's share completes a set of a probe",
    result: "it is no verdict about the other shares of the set",
    proofs: [["command/drill", "another client's share in the attempt is no verdict"]],
    mutants: ["a share of another client counts for a set"],
  },
  {
    attack: "`kill -9` or a cut connection at any request of a drill, or a second drill",
    result: "the next drill cancels the attempt that is left; no key is changed",
    proofs: [
      ["command/drill", "after kill -9 %s any request is served, the next drill cancels what is left"],
      ["command/drill", "a connection that is cut %s any request is served leaves nothing after the next drill"],
      ["command/drill", "a second drill does not start, and does not cancel the attempt of the first"],
    ],
    mutants: ["a drill does not cancel what an earlier one left", "a second drill disturbs the first"],
  },
  {
    attack: "A link instead of the file of a drill, or a file of the process `-1`",
    result: "the target of the link stays, and the drill ignores the rest",
    proofs: [["command/drill", "the file of a drill is private and has no share, and a cancel without effect keeps it"]],
    mutants: ["a file that names the process -1 blocks each drill"],
  },
  {
    attack: "An empty `HOME`, so that a drill would keep its file in the working folder",
    result: "it uses the home of the user",
    proofs: [["command/drill", "an empty HOME is not the working folder"]],
    mutants: ["an empty HOME puts the file of a drill into the working folder"],
  },
  {
    attack: "A reader of the notices of a drill that closes its pipe",
    result: "the drill tests the shares, and ends its attempt",
    proofs: [["command/drill", "a drill whose notices nobody reads ends its attempt, and prints the results"]],
    mutants: ["a notice that nobody reads ends the process"],
  },
  {
    attack: "A wrong share among ten, in any place",
    result: "it is named, with few of the possible sets",
    proofs: [["command/drill", "a wrong share among many is named, wherever it is"]],
    mutants: ["a drill of many shares does not find the wrong one"],
  },
  {
    attack: "A 5xx of a gateway to the only share of a server that requires one",
    result: "it is no verdict about the share",
    proofs: [["command/drill", "each of %i shares is tried alone"]],
    mutants: ["the 5xx of a gateway refuses the only share"],
  },
  {
    attack: "Another client's rekey to one share, which is the whole key",
    result: "`rekey submit` fails before it asks",
    proofs: [["command/single-share", "submit sends nothing to a rekey that makes a single share, and asks for no confirmation"]],
    mutants: ["a holder submits a share to a rekey that hands the whole key to its client"],
  },
  {
    attack: "`rekey cancel` while another holder commits",
    result: "no message calls the live shares worthless",
    proofs: [
      ["command/rekey-faults", "a cancel that arrives after the commit does not call the live shares worthless"],
      ["command/rekey-faults", "a lost cancel does not call the live shares worthless if other holders commit meanwhile"],
      ["command/rekey-faults", "a holder who verifies a new share during the cancel commits nothing"],
    ],
    mutants: ["a cancel without a response is reported as done", "a holder can commit while another cancels"],
  },
];
