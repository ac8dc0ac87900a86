import { StewardError } from "../../../../provider/errors";
import { RekeyInputs } from "../../../../provider/secrets";
import { refusal } from "../../../support/refusal";
import { firstKeysTargets, inputsFrom, onEachRekeyTarget, RekeyTarget } from "../../../support/rekey";
import { rekeyRows } from "../../../support/rekey-rows";
import { lines, stack, tools } from "./story";

/** The service of the current test, and the inputs of its rekey. */
let target: RekeyTarget;
let inputs: RekeyInputs;
/** Tests the rows that have a story. */
function rowsOn(current: () => RekeyTarget, table: Record<string, () => Promise<void>>, check: () => Promise<void>): void {
  tools(current);
  beforeEach(() => {
    target = current();
    inputs = inputsFrom(target.first);
  });
  test.each(rekeyRows.filter(({ step, log }) => `${step}: ${log}` in table))("$step: $log", async ({ step, log, line }) => {
    await table[`${step}: ${log}`]?.();
    expect(lines().split("\n")).toContain(line);
    await check();
  });
}

const status = async () =>
  (await target.outOfBand("GET", "sys/rekey/init")).body as { started: boolean; nonce: string; progress: number; required: number };
/** Cancels the attempt, as another client would. */
const cancel = async (): Promise<void> => {
  const body = target.dialect === "hashicorp" ? { nonce: (await status()).nonce } : undefined;
  expect((await target.outOfBand("DELETE", "sys/rekey/init", body)).status).toBe(204);
};
/** Starts an attempt outside Pulumi. */
const begin = async (parameters: object): Promise<string> => {
  expect((await target.outOfBand("PUT", "sys/rekey/init", parameters)).status).toBe(200);
  return (await status()).nonce;
};
/** Submits current shares to the attempt. */
const submit = async (...shares: string[]): Promise<void> => {
  const { nonce } = await status();
  for (const key of shares) expect((await target.outOfBand("PUT", "sys/rekey/update", { key, nonce })).status).toBe(200);
};

const like = { secret_shares: 3, secret_threshold: 2, require_verification: true };
const foreign = { secret_shares: 4, secret_threshold: 3, require_verification: true };
const again = (): RekeyInputs => ({ ...inputs, triggers: ["again"] });

/** Leaves the throw-away attempt of the rekey on the server, as a killed run does. */
async function leaveProbe(): Promise<void> {
  const { attempt } = stack.attempt.outputs() as { attempt: { probe: { key: string } } };
  await cancel();
  await begin({ secret_shares: 1, secret_threshold: 1, pgp_keys: [attempt.probe.key], require_verification: true });
}

/** Until the candidate is saved; then the service forgets the attempt. */
async function untilUnknown(): Promise<void> {
  await stack.up(inputs, "shares");
  await target.sealAndUnseal(target.first.slice(0, 3));
  expect(await stack.stops(inputs)).toBe("rekey/outcome-unknown");
}

/** The stop at another client's attempt, with its parameters and progress. */
async function expectForeign(failure: Promise<StewardError>, nonce: string, ...facts: string[]): Promise<StewardError> {
  const error = await failure;
  expect(error).toEqual(refusal("ERR_CONFLICT", { rule: "rekey/foreign-attempt" }));
  for (const fact of [nonce, ...facts]) expect(error.details.reason).toContain(fact);
  return error;
}

/** The status of an attempt with other parameters. */
const tampered = (body: string): string => JSON.stringify({ ...JSON.parse(body), n: 1, t: 1 });

/** For each row, by the line that it prints: the way to it, its action, and the next steps of the rekey. */
const stories: Record<string, () => Promise<void>> = {
  "attempt: started; no other rekey is in progress": async () => {
    await stack.up(inputs, "attempt");
    expect(await status()).toMatchObject({ started: true, progress: 0 });
  },
  "attempt: a matching attempt without shares is in progress: the rekey adopts it": async () => {
    const nonce = await begin(like);
    await stack.up(inputs);
    expect(stack.attempt.outputs().attempt).toMatchObject({ nonce });
    expect(target.gateway.requests.filter(({ method, path }) => method === "PUT" && path === "/v1/sys/rekey/init")).toEqual([]);
  },
  "attempt: the inputs changed: the rekey cancels its attempt and starts a new one": async () => {
    await stack.up(inputs, "shares");
    const { nonce } = await status();
    await stack.up(again(), "attempt");
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(again());
  },
  "attempt: an old probe of this rekey is in progress: the rekey cancels it": async () => {
    await stack.up(inputs, "attempt");
    await leaveProbe();
    const { nonce } = await status();
    await stack.up(again());
    expect((await status()).nonce).not.toBe(nonce);
  },
  "attempt: another rekey is in progress; checked again before shares are submitted": async () => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(foreign);
    await expectForeign(stack.fails(again()), nonce, "4 shares, threshold 3", "0 of 3");
    expect((await status()).nonce).toBe(nonce);
    await cancel();
    expect(await stack.stops(again())).toBe("rekey/attempt-restarted");
    await stack.up(again());
  },
  "attempt: another client's attempt is in progress: onConflict decides": async () => {
    const nonce = await begin(foreign);
    await submit(target.first[0] as string);
    const { details } = await expectForeign(stack.fails(inputs), nonce, "4 shares, threshold 3", "1 of 3");
    expect(details).toMatchObject({ operation: "Cannot create rekey", hint: expect.stringMatching(/onConflict: "cancel"/) });
    expect(await status()).toMatchObject({ nonce, progress: 1 });
    expect(await stack.stops({ ...inputs, onConflict: "resume" })).toBe("rekey/foreign-attempt");
    await stack.up({ ...inputs, onConflict: "cancel" });
  },
  "shares: the attempt is gone: the rekey starts a new one and saves its nonce": async () => {
    await stack.up(inputs, "attempt");
    const { nonce } = await status();
    await target.sealAndUnseal(target.first.slice(0, 3));
    expect(await stack.stops(inputs)).toBe("rekey/attempt-restarted");
    expect(await status()).toMatchObject({ started: true, progress: 0 });
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(inputs);
  },
  "shares: an older attempt of this rekey is in progress: the rekey cancels it and starts a new one": async () => {
    await stack.up(inputs, "attempt");
    await cancel();
    await stack.stops(inputs);
    expect(await stack.stops({ ...inputs, currentShares: inputs.currentShares.slice(0, 1) })).toBe("rekey/shares-missing");
    const { nonce } = await status();
    expect(await stack.stops(again())).toBe("rekey/attempt-restarted");
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(again());
  },
  "shares: an old probe of this rekey is in progress: the rekey cancels it": async () => {
    await stack.up(inputs, "attempt");
    await leaveProbe();
    expect(await stack.stops(inputs)).toBe("rekey/attempt-restarted");
    await stack.up(inputs);
  },
  "shares: a matching attempt without shares is in progress: the rekey adopts it": async () => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(like);
    expect(await stack.stops(inputs)).toBe("rekey/attempt-adopted");
    expect(stack.submission.nonce).toBe(nonce);
    await stack.up(inputs);
  },
  "shares: the attempt is collecting current shares: the rekey submits the available ones": async () => {
    await stack.up(inputs, "shares");
    expect(stack.candidate.shares).toHaveLength(3);
    expect((await status()).started).toBe(true);
  },
  "shares: the response with the new shares is missing: the rekey reads the backup or starts over": async () => {
    await stack.up(inputs, "attempt");
    const { nonce } = await status();
    await submit(...target.first.slice(0, 3));
    const before = target.gateway.requests.length;
    expect(await stack.stops(inputs)).toBe("rekey/new-shares-lost");
    expect((await status()).nonce).not.toBe(nonce);
    // A process of an earlier run may have the new shares: the first request shuts it out, or it could commit before the cancel.
    const ends = target.gateway.requests.slice(before).filter(({ method }) => method === "DELETE");
    expect(ends.map(({ path }) => path)).toEqual(["/v1/sys/rekey/verify", "/v1/sys/rekey/init"]);
    await stack.up(inputs);
  },
  "shares: the attempt has the expected nonce but other parameters: the rekey submits no share": async () => {
    await stack.up(inputs, "attempt");
    target.gateway.on("GET sys/rekey/init", { when: "after", answer: tampered });
    expect(await stack.stops(inputs)).toBe("rekey/tampered-attempt");
    target.gateway.interrupt = undefined;
    expect((await status()).progress).toBe(0);
    await stack.up(inputs);
  },
  "shares: another client's attempt is in progress: onConflict decides": async () => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(like);
    await submit(target.first[0] as string);
    const { details } = await expectForeign(stack.fails(inputs), nonce, "3 shares, threshold 2", "1 of 3");
    expect(details.hint).toMatch(/onConflict: "resume".*"cancel"/);
    expect(await stack.stops({ ...inputs, onConflict: "resume" })).toBe("rekey/attempt-adopted");
    await stack.up(inputs);
  },
  "commit: the new shares are saved but not verified: the rekey proves and commits them": async () => {
    await stack.up(inputs);
    expect((await status()).started).toBe(false);
  },
  "commit: the attempt is gone, and it may have been committed: the outcome is unknown": async () => {
    await untilUnknown();
    expect((await status()).started).toBe(false);
    expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    await stack.up(again());
  },
  "commit: an old probe of this rekey is in progress: the rekey cancels it": async () => {
    await untilUnknown();
    await leaveProbe();
    expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    expect((await status()).started).toBe(false);
    await stack.up(again());
  },
  "commit: the attempt has the expected nonce but other parameters: the rekey submits no share": async () => {
    await stack.up(inputs, "shares");
    target.gateway.on("GET sys/rekey/init", { when: "after", answer: tampered });
    expect(await stack.stops(inputs)).toBe("rekey/tampered-attempt");
    target.gateway.interrupt = undefined;
    await stack.up(inputs);
  },
  "commit: another client's attempt is in progress: onConflict decides": async () => {
    await stack.up(inputs, "shares");
    await cancel();
    // Also one like this rekey's, without shares: it may belong to another stack.
    for (const [parameters, size] of [
      [like, "3 shares, threshold 2"],
      [foreign, "4 shares, threshold 3"],
    ] as const) {
      const nonce = await begin(parameters);
      await expectForeign(stack.fails(inputs), nonce, size, "0 of 3");
      expect((await status()).nonce).toBe(nonce);
      if (parameters === like) await cancel();
    }
    expect(await stack.stops({ ...inputs, onConflict: "cancel" })).toBe("rekey/outcome-unknown");
    expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    await stack.up(again());
  },
  "commit: the outcome is unknown: a probe tests which shares are live": async () => {
    target.gateway.on("PUT sys/rekey/verify", { when: "after" }, 2);
    expect(await stack.stops(inputs)).toBe("rekey/outcome-unknown");
    target.gateway.interrupt = undefined;
    await stack.up(inputs);
  },
};

/** The rows of a service without recovery keys. */
const firstStories: Record<string, () => Promise<void>> = {
  "attempt: there are no recovery keys yet: the next step starts the rekey, which returns the first ones": async () => {
    await stack.up(inputs, "attempt");
    expect(await status()).toMatchObject({ started: false });
    await stack.up(inputs);
  },
  "shares: there are no recovery keys yet: the rekey starts, and saves the first ones from the response": async () => {
    await stack.up(inputs, "shares");
    expect(stack.candidate.shares).toHaveLength(3);
    expect(await status()).toMatchObject({ started: true, nonce: stack.candidate.nonce, required: 0 });
    await stack.up(inputs);
  },
  "shares: a matching attempt has created the first recovery keys, and none is verified: the rekey cancels it, since its response is lost":
    async () => {
      target.gateway.on("PUT sys/rekey/init", { when: "after" });
      expect(await stack.stops(inputs)).toBe("rekey/first-keys-lost");
      target.gateway.interrupt = undefined;
      const { nonce } = await status();
      await stack.up(inputs);
      expect(stack.candidate.nonce).not.toBe(nonce);
    },
  "commit: the attempt is gone, and there are still no recovery keys: the new ones are dead": async () => {
    await stack.up(inputs, "shares");
    await cancel();
    for (let run = 0; run < 2; run++) expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    await stack.up(again());
  },
};

test("every row of the table has a story", () =>
  expect(Object.keys({ ...stories, ...firstStories }).sort()).toEqual(rekeyRows.map(({ step, log }) => `${step}: ${log}`).sort()));

onEachRekeyTarget("each row of the table", (current) =>
  // In every case the valid shares are the previous ones, or in the state.
  rowsOn(current, stories, async () => {
    const { shares = [], complete } = stack.commit.state ? stack.outputs : { complete: false };
    expect(await target.opens(target.first)).toBe(!complete);
    if (complete) expect([await target.opens(shares.slice(0, 2)), (await status()).started]).toEqual([true, false]);
    expect(lines()).not.toContain(target.first[0]);
  }),
);

describe.each(firstKeysTargets)("each row of a service without recovery keys ($name)", ({ start }) => {
  let first: RekeyTarget;
  beforeEach(async () => {
    first = await start({ shares: 0, threshold: 0 });
  });
  rowsOn(
    () => first,
    firstStories,
    async () => {
      const { shares, complete } = stack.outputs;
      expect([complete, await target.opens(shares.slice(0, 2))]).toEqual([true, true]);
      expect(await status()).toMatchObject({ started: false, required: 2 });
    },
  );
  afterEach(() => first.stop());
});
