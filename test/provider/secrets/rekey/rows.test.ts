import { RekeyInputs } from "../../../../provider/secrets";
import { inspectKeys } from "../../../../provider/secrets/rekey/protocol/crypto";
import { Holder, holders, readAll, rotate } from "../../../support/pgp";
import { refusal } from "../../../support/refusal";
import { firstKeysTargets, inputsFrom, onEachRekeyTarget, RekeyTarget } from "../../../support/rekey";
import { rekeyRows } from "../../../support/rekey-rows";
import { lines, stack, tools, toolsFor, wrong, wrongBeside } from "./story";

// Each situation that a run may find, in the state and on the server, and how the rekey then completes.

/** The service of the current test, and the inputs of its program. */
let target: RekeyTarget;
let inputs: RekeyInputs;
/** The holders of PGP keys, and a threshold of the valid shares. */
let all: Holder[];
let live: string[];
const { status, begin, submit, cancel, requests, interrupt } = toolsFor(() => target);

const like = { secret_shares: 3, secret_threshold: 2, require_verification: true };
const foreign = { ...like, secret_shares: 4, secret_threshold: 3 };
const replaceWith = async (parameters: object): Promise<void> => {
  await cancel();
  await begin(parameters);
};
const changes = (more: Partial<RekeyInputs>): void => {
  inputs = { ...inputs, ...more };
};
const changeHolders = (others: Holder[]): void => {
  all = others;
  changes({ pgpKeys: all.map(({ publicKey }) => publicKey) });
};
/** The new shares that are valid, decrypted. */
const liveShares = async (): Promise<string[]> => {
  const { shares, encryptedShares } = stack.outputs;
  return shares.length > 0 ? shares : readAll(all, encryptedShares);
};
/** Another client starts an attempt like this rekey's for the keys of its holders, of whom the first then changes the subkey. */
async function beginForOldSubkey(old: "dropped" | "revoked"): Promise<void> {
  const { pgpKeys = [], backup = false, requireVerification = true } = inputs;
  const pgp_keys = (await inspectKeys(pgpKeys)).map(({ binary }) => binary);
  await begin({ ...like, pgp_keys, backup, require_verification: requireVerification });
  const [first, ...others] = all as [Holder, ...Holder[]];
  changeHolders([await rotate(first, old), ...others]);
}
/** The nth response to such a request is another one. */
const answers = (method: string, path: string, nth: number, answer: (body: string) => string, act?: () => void): void =>
  interrupt(method, path, { when: "after", answer, act }, nth);
const withStatus = (fields: object) => (body: string) => JSON.stringify({ ...JSON.parse(body), ...fields });
/** The response to the last share has other new shares. */
const answersShares = (change: (shares: string[]) => string[]): void =>
  answers("PUT", "update", 3, (body) => {
    const { keys, keys_base64 = keys, ...more } = JSON.parse(body) as { keys: string[]; keys_base64?: string[] };
    return JSON.stringify({ ...more, keys: change(keys_base64), keys_base64: change(keys_base64) });
  });

/** The events between two runs. Every other word in a story is the stop of a run. */
const events: Record<string, () => unknown> = {
  "killed after the attempt": () => stack.up(inputs, "attempt"),
  "killed after the shares": () => stack.up(inputs, "shares"),
  "changed triggers": () => changes({ triggers: ["again"] }),
  "other triggers": () => changes({ triggers: ["other"] }),
  "one share": () => changes({ currentShares: target.first.slice(0, 1) }),
  "all shares": () => changes({ currentShares: target.first.slice(0, 3) }),
  "five shares": () => changes({ currentShares: target.first }),
  "no share": () => changes({ currentShares: [] }),
  "a wrong share": () => changes({ currentShares: [...target.first.slice(0, 2), ...wrongBeside(target.first)] }),
  "onConflict: cancel": () => changes({ onConflict: "cancel" }),
  "onConflict: resume": () => changes({ onConflict: "resume" }),
  canceled: cancel,
  sealed: () => target.sealAndUnseal(live),
  "the destroy is refused": () => expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/shares-unsettled" })),
  destroyed: async () => {
    await stack.destroy();
    expect(await status()).toMatchObject({ started: false });
  },
  // The attempt ends before the new shares are called invalid: by the commit, or by the shares if holders have them.
  "destroyed step by step": async () => {
    for (const [index, part] of [stack.commit, stack.shares, stack.attempt].entries()) {
      await part.destroy({ remembers: index > 0 });
      expect(await status()).toMatchObject({ started: all.length > 0 && index === 0 });
    }
  },
  "another rekey": async () => {
    await stack.up(inputs);
    live = (await liveShares()).slice(0, 2);
    changes({ triggers: ["another"], currentShares: live, newShares: undefined });
  },
  "the new shares are valid": () => {
    live = stack.candidate.shares.slice(0, 2);
  },
  "three holders": async () => changeHolders(await holders(3)),
  "a holder with another subkey": async () => changeHolders([await rotate(all[0] as Holder, "dropped"), ...all.slice(1)]),
  "a like attempt for a dropped subkey": () => beginForOldSubkey("dropped"),
  "a like attempt for a revoked subkey": () => beginForOldSubkey("revoked"),
  "a backup": () => changes({ backup: true }),
  "no verification": () => changes({ requireVerification: false }),
  decrypted: async () => {
    expect(await stack.stops(inputs)).toBe("rekey/new-shares-missing");
    changes({ newShares: await readAll(all, stack.candidate.encrypted) });
  },
  // Other shares than those that prove the new set.
  "new shares as current ones": () => changes({ currentShares: inputs.newShares?.slice(1) }),
  "a like attempt": () => begin(like),
  "a foreign attempt": () => begin(foreign),
  // As a killed run leaves it.
  "an old probe": async () => {
    const { attempt } = stack.attempt.outputs() as { attempt: { probe: { key: string } } };
    await cancel();
    await begin({ secret_shares: 1, secret_threshold: 1, pgp_keys: [attempt.probe.key], require_verification: true });
  },
  "others submit a share": () => submit(target.first[0] as string),
  "others submit another share": () => submit(target.first[1] as string),
  "others submit the other shares": () => submit(...target.first.slice(1, 3)),
  "others submit all shares": () => submit(...target.first.slice(0, 3)),
  // A process of an earlier run may have the new shares: the first request shuts it out, or it could commit before the cancel.
  "new-shares-lost after a restart": async () => {
    const sent = await requests(async () => expect(await stack.stops(inputs)).toBe("rekey/new-shares-lost"));
    expect(sent.filter((each) => each.startsWith("DELETE"))).toEqual(["DELETE verify", "DELETE init"]);
  },
  "no share is submitted": async () => expect(await status()).toMatchObject({ progress: 0 }),
  "the previous shares are valid": async () => expect(await target.opens(target.first.slice(0, 3))).toBe(true),
  "the response to the last share is lost": () => interrupt("PUT", "update", { when: "after" }, 3),
  "the attempt is replaced while its verification restarts": () => {
    const replaced = (): void =>
      interrupt("DELETE", "verify", { when: "after", act: () => replaceWith(foreign), answer: (body) => body }, 1);
    interrupt("PUT", "update", { when: "after", act: replaced }, 3);
  },
  "the start is replaced": () => interrupt("PUT", "init", { when: "after", act: () => replaceWith(like), answer: (body) => body }, 1),
  // It may be another client's, which would get the shares.
  "an own attempt without a response": async () => {
    interrupt("PUT", "init", { when: "after" }, 1);
    expect(await stack.stops(inputs)).toBe("rekey/foreign-attempt");
  },
  "the response to the start is lost": () => interrupt("PUT", "init", { when: "after" }, 1),
  "the response to the commit is lost": () => interrupt("PUT", "verify", { when: "after" }, 2),
  "the commit is lost": () => interrupt("PUT", "verify", { when: "before" }, 2),
  "a status with other parameters": () => answers("GET", "init", 1, withStatus({ n: 1, t: 1 })),
  "too few new shares": () => answersShares((shares) => shares.slice(1)),
  "a wrong new share": () => answersShares((shares) => [...shares.slice(1), wrong]),
  "a completion after one new share": () => answers("PUT", "verify", 1, () => '{"complete":true}'),
  "a foreign response to the commit": () => answers("PUT", "verify", 2, () => "{}"),
  "no completion after all new shares": () => answers("PUT", "verify", 2, () => '{"progress":2}'),
  "a status that does not show the commit": () => {
    const previous = (): void => answers("GET", "init", 1, withStatus({ required: 3 }));
    answers("PUT", "verify", 2, (body) => body, previous);
  },
};

/** The number of attempts that the rekey starts, probes included, and what happens until a run completes it. */
type Situation = [starts: number, story?: string];

/** For each row, by the line that it prints. */
const rows: Record<string, Situation> = {
  "attempt: started; no other rekey is in progress": [1],
  "attempt: a matching attempt without shares is in progress: the rekey adopts it": [0, "a like attempt"],
  "attempt: the inputs changed: the rekey cancels its attempt and starts a new one": [2, "killed after the shares, changed triggers"],
  "attempt: an old probe of this rekey is in progress: the rekey cancels it": [
    2,
    "killed after the attempt, an old probe, changed triggers",
  ],
  "attempt: another rekey is in progress; checked again before shares are submitted": [
    2,
    "killed after the attempt, canceled, a foreign attempt, changed triggers, foreign-attempt, canceled, attempt-restarted",
  ],
  "attempt: another client's attempt is in progress: onConflict decides": [
    1,
    "a foreign attempt, others submit a share, foreign-attempt, onConflict: resume, foreign-attempt, onConflict: cancel",
  ],
  "shares: the attempt is gone: the rekey starts a new one and saves its nonce": [2, "killed after the attempt, sealed, attempt-restarted"],
  "shares: an older attempt of this rekey is in progress: the rekey cancels it and starts a new one": [
    3,
    "killed after the attempt, canceled, attempt-restarted, one share, shares-missing, changed triggers, all shares, attempt-restarted",
  ],
  "shares: an old probe of this rekey is in progress: the rekey cancels it": [
    2,
    "killed after the attempt, an old probe, attempt-restarted",
  ],
  "shares: a matching attempt without shares is in progress: the rekey adopts it": [
    1,
    "killed after the attempt, canceled, a like attempt, attempt-adopted",
  ],
  "shares: the attempt is collecting current shares: the rekey submits the available ones": [1, "killed after the shares"],
  "shares: the response with the new shares is missing: the rekey reads the backup or starts over": [
    2,
    "killed after the attempt, others submit all shares, new-shares-lost after a restart",
  ],
  "shares: the attempt has the expected nonce but other parameters: the rekey submits no share": [
    1,
    "killed after the attempt, a status with other parameters, tampered-attempt, no share is submitted",
  ],
  "shares: another client's attempt is in progress: onConflict decides": [
    1,
    "killed after the attempt, canceled, a like attempt, others submit a share, foreign-attempt, onConflict: resume, attempt-adopted",
  ],
  "commit: the new shares are generated, and the server verifies them: the rekey sends the available ones": [1, "killed after the shares"],
  "commit: the attempt is gone, and it may have been committed: the outcome is unknown": [
    3,
    "killed after the shares, sealed, outcome-unknown, not-committed, not-committed, changed triggers",
  ],
  "commit: an old probe of this rekey is in progress: the rekey cancels it": [
    3,
    "killed after the shares, an old probe, outcome-unknown, not-committed, changed triggers",
  ],
  "commit: the attempt has the expected nonce but other parameters: the rekey submits no share": [
    1,
    "killed after the shares, a status with other parameters, tampered-attempt",
  ],
  // The like attempt may belong to another stack.
  "commit: another client's attempt is in progress: onConflict decides": [
    3,
    "killed after the shares, canceled, a like attempt, foreign-attempt, canceled, a foreign attempt, foreign-attempt, onConflict: cancel, outcome-unknown, not-committed, changed triggers",
  ],
  "commit: the outcome is unknown: a probe tests the available new shares": [2, "the response to the commit is lost, outcome-unknown"],
  "holders: the new shares are generated, and the server verifies them: the rekey sends the available ones": [
    1,
    "three holders, decrypted",
  ],
  "holders: the attempt is gone, and it may have been committed: the outcome is unknown": [
    3,
    "three holders, decrypted, sealed, outcome-unknown, not-committed, attempt-restarted, decrypted",
  ],
  "holders: an old probe of this rekey is in progress: the rekey cancels it": [
    3,
    "three holders, decrypted, an old probe, outcome-unknown, not-committed, attempt-restarted, decrypted",
  ],
  "holders: the attempt has the expected nonce but other parameters: the rekey submits no share": [
    1,
    "three holders, decrypted, a status with other parameters, tampered-attempt",
  ],
  "holders: another client's attempt is in progress: onConflict decides": [
    3,
    "three holders, decrypted, canceled, a foreign attempt, foreign-attempt, onConflict: cancel, outcome-unknown, not-committed, attempt-restarted, decrypted",
  ],
  "holders: the outcome is unknown: a probe tests the available new shares": [
    3,
    "three holders, decrypted, the response to the commit is lost, outcome-unknown",
  ],
};

/** The rows of a service without recovery keys. */
const firstRows: Record<string, Situation> = {
  "attempt: there are no recovery keys yet: the next step starts the rekey, which returns the first ones": [1, "killed after the attempt"],
  "shares: there are no recovery keys yet: the rekey starts, and saves the first ones from the response": [1, "killed after the shares"],
  "shares: a matching attempt has created the first recovery keys, and none is verified: the rekey cancels it, since its response is lost":
    [2, "the response to the start is lost, first-keys-lost"],
  "commit: the attempt is gone, and there are no recovery keys: the new ones are not valid": [
    2,
    "killed after the shares, canceled, not-committed, not-committed, changed triggers",
  ],
  "holders: the attempt is gone, and there are no recovery keys: the new ones are not valid": [
    2,
    "three holders, decrypted, canceled, not-committed, decrypted",
  ],
};

const firstClaims: Situation[] = [
  [2, "another rekey"],
  [1, "a foreign attempt, foreign-attempt, onConflict: cancel"],
  // Its keys are not taken for those of this rekey.
  [2, "the start is replaced, first-keys-lost"],
  [3, "killed after the shares, sealed, not-committed, changed triggers, killed after the shares, destroyed"],
];

/** Shares of other holders, and false or lost responses, which the rekey does not believe. */
const claims: Situation[] = [
  [0, "a like attempt, others submit a share, foreign-attempt, onConflict: resume"],
  [1, "one share, shares-missing, others submit another share, all shares"],
  [1, "a wrong share, shares-refused, no share is submitted, all shares"],
  [2, "too few new shares, new-shares-incomplete, no share is submitted"],
  [2, "a wrong new share, new-shares-not-proven, the previous shares are valid, changed triggers"],
  [1, "a completion after one new share, outcome-unknown"],
  [3, "killed after the shares, sealed, outcome-unknown, an old probe, not-committed, changed triggers"],
  // The verification shows that the share did not count: it is sent again.
  [1, "the commit is lost"],
  [2, "a foreign response to the commit, outcome-unknown"],
  [2, "no completion after all new shares, outcome-unknown"],
  [2, "a status that does not show the commit, outcome-unknown"],
  [2, "the attempt is replaced while its verification restarts, attempt-lost, foreign-attempt, onConflict: cancel, attempt-restarted"],
  // An attempt that another client started is only canceled after a share of this rekey.
  [1, "a like attempt, killed after the attempt, others submit all shares, foreign-attempt, onConflict: cancel, new-shares-lost"],
  [
    2,
    "the response to the start is lost, killed after the attempt, others submit all shares, foreign-attempt, onConflict: cancel, new-shares-lost",
  ],
  [1, "a like attempt, killed after the attempt, one share, shares-missing, others submit the other shares, all shares, new-shares-lost"],
  [2, "killed after the attempt, destroyed"],
  [2, "killed after the shares, destroyed"],
  [2, "a wrong new share, new-shares-not-proven, destroyed step by step"],
  [3, "killed after the shares, sealed, the destroy is refused, outcome-unknown, the destroy is refused, not-committed, destroyed"],
  // A valid set that only the state holds survives a later attempt.
  [
    3,
    "the response to the commit is lost, outcome-unknown, the new shares are valid, changed triggers, killed after the shares, the destroy is refused, sealed, other triggers",
  ],
  [3, "killed after the shares, changed triggers, one share, shares-missing, the destroy is refused, all shares, attempt-restarted"],
  // The valid shares in the state are submitted.
  [4, "another rekey, killed after the shares, sealed, no share, outcome-unknown, not-committed, not-committed, changed triggers"],
];

/** Rekeys for holders with PGP keys. The current shares show that the new ones are invalid. */
const ofHolders: Situation[] = [
  [2, "decrypted, destroyed step by step, decrypted"],
  [2, "a backup, decrypted, the response to the commit is lost, outcome-unknown, new shares as current ones"],
  [3, "a backup, no verification, the response to the last share is lost, attempt-lost, decrypted"],
  [3, "a backup, no verification, another rekey, killed after the attempt, canceled, attempt-restarted"],
  [3, "a backup, the response to the last share is lost, decrypted, sealed, outcome-unknown, not-committed, changed triggers, decrypted"],
  [
    3,
    "one share, shares-missing, others submit another share, all shares, decrypted, sealed, outcome-unknown, not-committed, changed triggers, decrypted",
  ],
  [3, "five shares, decrypted, sealed, outcome-unknown, not-committed, changed triggers, decrypted"],
  [3, "decrypted, a status that does not show the commit, outcome-unknown"],
  [2, "killed after the attempt, a holder with another subkey, attempt-restarted, decrypted"],
  [2, "one share, shares-missing, all shares, a holder with another subkey, attempt-restarted, decrypted"],
  [1, "a like attempt for a dropped subkey, new-shares-other-subkey, decrypted"],
  [1, "a like attempt for a revoked subkey, new-shares-other-subkey, decrypted"],
  [1, "a backup, a like attempt for a revoked subkey, the response to the last share is lost, new-shares-other-subkey, decrypted"],
  [
    2,
    "a backup, no verification, a like attempt for a dropped subkey, foreign-attempt, canceled, an own attempt without a response, onConflict: cancel",
  ],
];

async function run([starts, story = ""]: Situation): Promise<void> {
  for (const word of story.split(", ").filter(Boolean)) {
    const event = events[word];
    if (event) {
      await event();
      continue;
    }
    const before = await status();
    const { details } = await stack.fails(inputs);
    expect(details.rule).toBe(`rekey/${word}`);
    if (word === "new-shares-other-subkey") expect(details.reason).toContain(all[0]?.fingerprint);
    if (word !== "foreign-attempt") continue;
    expect(await status()).toEqual(before);
    for (const fact of [before.nonce, `${before.n} shares, threshold ${before.t}`, `${before.progress} of `])
      expect(details.reason).toContain(fact);
    expect(details.hint).toMatch(/onConflict: .*"cancel"/);
  }
  await stack.up(inputs);
  const shares = await liveShares();
  expect([stack.outputs.complete, await target.opens(shares.slice(0, 2))]).toEqual([true, true]);
  if (live.length > 0) expect(await target.opens(live)).toBe(false);
  expect(await status()).toMatchObject({ started: false, required: 2 });
  expect(target.gateway.requests.filter(({ method, path }) => method === "PUT" && path === "/v1/sys/rekey/init")).toHaveLength(starts);
  for (const share of [...target.first, ...shares]) expect(lines()).not.toContain(share);
}

function situationsOn(start: () => Promise<RekeyTarget>, table: Record<string, Situation>, others: readonly Situation[]): void {
  beforeEach(async () => {
    target = await start();
    inputs = inputsFrom(target.first);
    [all, live] = [[], target.first.slice(0, 3)];
  });
  tools(() => target);
  test.each(rekeyRows.filter(({ step, log }) => `${step}: ${log}` in table))("$step: $log", async ({ step, log, line }) => {
    await run(table[`${step}: ${log}`] as Situation);
    expect(lines().split("\n")).toContain(line);
  });
  test.each(others)("%i attempts: %s", (...situation) => run(situation));
}

test("every row of the table has a situation", () =>
  expect(Object.keys({ ...rows, ...firstRows }).sort()).toEqual(rekeyRows.map(({ step, log }) => `${step}: ${log}`).sort()));

onEachRekeyTarget("each row of the table", (current) =>
  situationsOn(async () => current(), rows, [
    ...claims,
    ...ofHolders.map(([starts, story]): Situation => [starts, `three holders, ${story}`]),
  ]),
);

describe.each(firstKeysTargets)("each row of a service without recovery keys ($name)", ({ start }) => {
  situationsOn(() => start({ shares: 0, threshold: 0 }), firstRows, firstClaims);
  afterEach(() => target.stop());
});
