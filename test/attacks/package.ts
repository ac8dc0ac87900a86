import { Attack } from "./attack";

export const signingKeys: readonly Attack[] = [
  {
    attack: "A second rotation before a scheduled trim, or in the same run as a due one",
    result: "no key of a run in progress is trimmed",
    proofs: [
      ["provider/platform/oidc-key-rotation", "that is triggered again before the trim postpones it, and after that time trims first"],
    ],
    mutants: ["a key that is rotated again is never trimmed"],
  },
  {
    attack: "A rotation without a response, while a trim is due",
    result: "it is repeated, and the key before it stays",
    proofs: [
      ["provider/platform/oidc-key-rotation", "a rotation without a response is repeated without a trim of the key before it"],
      ["provider/platform/oidc-key-rotation", "a creation without a response rotates again, and then schedules the trim"],
    ],
    mutants: ["a trim follows a rotation whose response was lost"],
  },
  {
    attack: "A trim that fails, or whose response is lost",
    result: "the next `pulumi up` trims, and does not rotate",
    proofs: [["provider/platform/oidc-key-rotation", "a failed trim is repeated by the next up, which does not rotate"]],
    mutants: ["a failed trim rotates the key again"],
  },
  {
    attack: "A refresh after the time of a trim",
    result: "it reports no drift and sends nothing",
    proofs: [["provider/platform/oidc-key-rotation", "rotates, says when it will trim, and trims with the first up after that time"]],
  },
];

export const packages: readonly Attack[] = [
  {
    attack: "Workflow actions whose tags move to other code",
    result: "pinned by digest",
    proofs: [["supply", "workflows pin each action by digest with its release next to it, and a bot updates both"]],
  },
  {
    attack: "A state of an earlier release",
    result: "this one reads it",
    proofs: [
      ["states", "%s: a state of each release refreshes without a change, updates and is deleted"],
      ["states", "a rekey: the states of each release refresh without a change and are deleted"],
    ],
  },
];
