import { Attack } from "./attack";

export const rekeys: readonly Attack[] = [
  {
    attack: "A rekey that is renamed and renamed back",
    result: "live shares are kept, stale ones are dropped",
    proofs: [
      ["provider/secrets/rekey/renames", "the resource with live shares is kept, although the other one was created later"],
      ["provider/secrets/rekey/renames", "the resource with dead shares is deleted"],
    ],
    mutants: ["a rekey keeps dead shares after a rename back"],
  },
  {
    attack: "A rekey that is renamed in a run that succeeds, fails, or is refused",
    result: "no valid share leaves the state",
    proofs: [
      ["stories/secrets/rekey-rename", "a rekey that is renamed ($name)"],
      ["end-to-end/secrets/rekey", "a rename without an alias runs another rekey and deletes the old resources"],
    ],
    mutants: ["the old resource deletes the object after a rejected rename", "a rekey keeps dead shares after a rename back"],
  },
  {
    attack: "Triggers that are changed back after a start was lost",
    result: "no rekey runs",
    proofs: [["provider/secrets/rekey/end", "triggers that were %s, and are changed back after a lost start, run no rekey"]],
    mutants: ["a rekey runs although the triggers were changed back after a lost start"],
  },
  {
    attack: "Encrypted shares that holders committed, or shares of a lost rekey",
    result: "stay in the state until they are known to be dead",
    proofs: [
      [
        "provider/secrets/rekey/losses",
        "encrypted shares that holders committed themselves stay in the state until the next rekey is committed",
      ],
      ["provider/secrets/rekey/losses", "a live set that only the state holds survives a later attempt"],
      ["provider/secrets/rekey/losses", "a set to which the submitted shares do not belong is not kept"],
    ],
    mutants: [
      "a new rekey drops an encrypted set that may be live",
      "a new rekey drops a set of shares that may be live",
      "a new rekey keeps a set that the submitted shares disprove",
    ],
  },
  {
    attack: "A `target` that is changed and changed back, by mistake",
    result: "the check rejects it: no attempt is canceled, and no rekey runs",
    proofs: [["provider/secrets/rekey/refusals", "a changed target is rejected before the attempt in progress is canceled"]],
    mutants: ["a changed target cancels the attempt of the other keys"],
  },
  {
    attack: "A response with the first recovery keys that lacks shares, or has those of other holders",
    result: "no candidate; the rekey cancels that attempt, and the error says why",
    proofs: [["provider/secrets/rekey/first-keys", "a response with %s is no candidate, and its attempt is canceled"]],
    mutants: [
      "new shares for other holders are committed",
      "new shares for an old subkey of a holder are committed",
      "first recovery keys for other holders leave their attempt in progress",
    ],
  },
  {
    attack: "Another client that makes recovery keys between a status and the start of the first ones",
    result: "the rekey owns the attempt that it started; a delete cancels it",
    proofs: [
      ["provider/secrets/rekey/first-keys", "a start after another client has made keys begins a rekey of them, which a delete cancels"],
    ],
    mutants: ["a rekey does not own the attempt that its start began for keys of another client"],
  },
  {
    attack: "First recovery keys that a restart lost, and a deletion of the next attempt",
    result: "it is deleted: shares of a server without keys are dead",
    proofs: [["provider/secrets/rekey/first-keys", "keys that a restart has lost do not keep a later attempt from being deleted"]],
  },
  {
    attack: "A status without the number of required shares, or of another server without recovery keys, after a commit",
    result: "the live shares are not called dead",
    proofs: [["provider/secrets/rekey/first-keys", "a status that %s does not make live shares dead"]],
    mutants: [
      "a status without the number of required shares counts as a server without keys",
      "another server without recovery keys makes live shares count as dead",
    ],
  },
  {
    attack: "The first recovery keys with the dialect `hashicorp`, whose path returns none",
    result: "nothing is sent; the error names the dialect",
    proofs: [
      [
        "provider/secrets/rekey/refusals",
        "sys/rekey of an OpenBao without recovery keys makes none, and the error names the dialect to set",
      ],
    ],
    mutants: ["the first recovery keys are requested from a path that returns none"],
  },
  {
    attack: "First recovery keys that wait for their holders, and a rename or another stack with equal parameters",
    result: "the new rekey leaves the attempt to `onConflict`",
    proofs: [
      [
        "provider/secrets/rekey/first-keys",
        "an attempt with the same parameters that waits for its holders is left to onConflict by a new rekey",
      ],
    ],
    mutants: ["a new rekey cancels the first recovery keys of another client"],
  },
  {
    attack: "A holder or a stack whose environment names another namespace",
    result: "the status, the commands and the preview show it",
    proofs: [
      ["provider/secrets/rekey/dialects", "a namespace of OpenBao without unseal keys of its own is named, and nothing is sent to it"],
      ["provider/secrets/rekey/dialects", "the commands of a holder name the namespace whose keys they are about"],
    ],
    mutants: ["the namespace of the keys is not shown"],
  },
  {
    attack: "Another client's attempt while a finished rekey is updated",
    result: "is not canceled",
    proofs: [["provider/secrets/rekey/cancels", "an update of a finished rekey cancels no attempt that another client started later"]],
    mutants: ["a finished rekey cancels an attempt of another client"],
  },
  {
    attack: "An attempt that another client started with an old public key of a holder: same fingerprint, leaked subkey",
    result: "its new shares, also those of a backup, are no candidate; without verification it gets no share",
    proofs: [
      ["provider/secrets/rekey/distrust", "new shares for an old subkey, which the new key has %s, are no candidate"],
      ["provider/secrets/rekey/distrust", "new shares for an old subkey are not taken from a backup"],
      ["provider/secrets/rekey/distrust", "without verification no share is submitted to an attempt whose subkeys are unknown"],
    ],
    mutants: [
      "new shares for an old subkey of a holder are committed",
      "without verification a share is submitted to an attempt whose subkeys are unknown",
    ],
  },
  {
    attack: "A new share that is also encrypted to an anonymous recipient, of which the message does not show the key id",
    result: "is no candidate",
    proofs: [["provider/secrets/rekey/pgp", "a message must name a valid encryption key of the key that the program passed"]],
    mutants: ["a share is also encrypted to a recipient that the message does not name"],
  },
  {
    attack: "A key with several subkeys for encryption, of which some are expired or revoked",
    result: "a share for any valid one is a candidate",
    proofs: [["provider/secrets/rekey/pgp", "a message may name any valid subkey of several, but no revoked or expired one"]],
    mutants: ["only the first of several subkeys may decrypt a share"],
  },
  {
    attack: "A key in the program whose subkey changes while an attempt is in progress",
    result: "the attempt starts again",
    proofs: [["provider/secrets/rekey/end", "an unfinished rekey starts again for the changed subkeys of a key, after its %s"]],
    mutants: ["an unfinished rekey continues for the old subkeys of a changed key"],
  },
  {
    attack: "A holder decrypts a share that is encrypted to a revoked subkey",
    result: "the command names the subkey and warns",
    proofs: [["command/decrypt", "says to which subkey a share is encrypted, with a warning if the key revokes it"]],
    mutants: ["a share that is encrypted to a revoked subkey causes no warning"],
  },
  {
    attack: "Two stacks with equal parameters, of which one took over the attempt of the other and gave no share",
    result: 'no run and no delete cancels it without `onConflict: "cancel"`',
    proofs: [
      ["provider/secrets/rekey/cancels", "an attempt that another stack started, and that %s, is canceled by no run without onConflict"],
      ["provider/secrets/rekey/cancels", "an attempt whose shares cannot be combined belongs to the stack that started it"],
      ["provider/secrets/rekey/cancels", "destroy cancels no attempt of another stack whose new shares came from the backup"],
      ["provider/secrets/rekey/rows", "each row of the table"],
    ],
    mutants: ["a run cancels an attempt that another stack started", "a delete cancels an attempt that another stack started"],
  },
  {
    attack: "Another client's attempt that begins during a commit, or in place of a probe",
    result: "is not canceled",
    proofs: [
      ["provider/secrets/rekey/cancels", "an attempt that another client starts during the commit is not canceled, and refresh names it"],
      ["provider/secrets/rekey/cancels", "a probe that was replaced after %s is not canceled"],
    ],
    mutants: ["the end of a probe cancels the attempt that replaced it"],
  },
];
