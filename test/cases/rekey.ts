import * as fc from "fast-check";
import { publicKey } from "../support/certificates";
import { canary, ResourceCase } from "./case";

// The three steps of a rekey.

const troubles = "A step is declared only by a Rekey: test/troubles/rekey and test/provider/secrets/rekey test the life of all three.";

/** The standard dialect has no other keys. */
const target = fc.constant("unseal");
const flag = fc.boolean();

/** A canary in the form of a share, which is base64. */
const share = (label: string): string => Buffer.from(`canary of a share ${label}`.padEnd(33, ".")).toString("base64");
const setOf = (label: string): object => ({ nonce: label, threshold: 1, shares: [share(label)], encrypted: [] });
const parameters = { shares: 1, threshold: 1, pgpKeys: [], fingerprints: [], backup: false, verification: true };
const attempt = { id: "1", nonce: "ours", nonces: ["ours"], parameters, triggers: [], probe: { key: "", fingerprint: "none" } };
const { nonce: _, ...withoutNonce } = { ...attempt, id: "2" };
const shares = { currentShares: [share("current")], newShares: [share("new")] };
const submission = {
  attempt,
  nonce: "ours",
  nonces: ["ours"],
  candidate: setOf("candidate"),
  source: "reply",
  kept: [setOf("kept")],
  submitted: [],
  excluded: [],
  refused: [],
  hadBackup: false,
  outcome: "open",
  confirmed: [],
  progress: { phase: "submitting", count: 1, required: 1 },
};

const anyShares = fc.constantFrom<unknown[]>([share("one")], [share("one"), share("two")], [], [{ env: "NOT_SET" }]);

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:RekeyAttempt",
    troubles,
    inputs: () => ({
      secretShares: 1,
      secretThreshold: 1,
      keepSharesInState: true,
      shareReferences: [{ env: canary("reference") }],
      shareFindings: [],
    }),
    arbitraries: {
      target,
      secretShares: fc.constantFrom(1, 1, 2),
      secretThreshold: fc.constant(1),
      shareReferences: fc.constantFrom([], [{ env: "NOT_SET" }]),
      shareFindings: fc.constant([]),
      pgpKeys: fc.constant([publicKey]),
      keepSharesInState: fc.constant(true),
      backup: flag,
      replaceBackup: flag,
      removeBackup: flag,
      requireVerification: flag,
      allowUnverified: flag,
      confirm: fc.constantFrom("all", "threshold"),
      onWaiting: fc.constantFrom("succeed", "fail"),
      waitSeconds: fc.constant(0),
      triggers: fc.array(fc.string(), { maxLength: 2 }),
      onConflict: fc.constantFrom("fail", "resume", "cancel"),
      discardShares: flag,
      allowHttp: flag,
    },
    needed: ["keepSharesInState"],
  },
  {
    token: "secrets:RekeyShares",
    troubles,
    inputs: () => ({ attempt, ...shares }),
    arbitraries: { target, attempt: fc.constantFrom<unknown>(attempt, withoutNonce), currentShares: anyShares, newShares: anyShares },
  },
  {
    token: "secrets:RekeyCommit",
    troubles,
    inputs: () => ({ submission, ...shares }),
    arbitraries: {
      target,
      submission: fc.record({
        attempt: fc.constantFrom<unknown>(attempt, withoutNonce),
        nonces: fc.constant(["ours"]),
        candidate: fc.constantFrom(setOf("candidate"), setOf("another candidate")),
        source: fc.constantFrom("reply", "backup"),
        kept: fc.constantFrom([], [setOf("kept")]),
        submitted: fc.constant([]),
        excluded: fc.constant([]),
        refused: fc.constant([]),
        hadBackup: flag,
        outcome: fc.constant("open"),
        confirmed: fc.constant([]),
        progress: fc.constant(submission.progress),
      }),
    },
  },
];
