import { StewardError } from "../../../../provider/errors";
import { RekeyInputs } from "../../../../provider/secrets";
import { printed } from "../../../support/printed";
import { refusal } from "../../../support/refusal";
import { firstKeysTargets, inputsFrom, onEachRekeyTarget, RekeyTarget, stackOn, withRekeyTarget } from "../../../support/rekey";
import { rekeyRows } from "../../../support/rekey-rows";

/** The tools of a test of a row. */
function stageOf(target: RekeyTarget) {
  const { outOfBand } = target;
  const status = async () => (await outOfBand("GET", "sys/rekey/init")).body as { started: boolean; nonce: string; progress: number };
  return {
    target,
    status,
    stack: stackOn(target),
    inputs: inputsFrom(target.first),
    /** Cancels the attempt, as another client would. */
    cancel: async () => {
      const body = target.dialect === "hashicorp" ? { nonce: (await status()).nonce } : undefined;
      expect((await outOfBand("DELETE", "sys/rekey/init", body)).status).toBe(204);
    },
    /** Starts an attempt outside Pulumi. */
    begin: async (parameters: object) => {
      expect((await outOfBand("PUT", "sys/rekey/init", parameters)).status).toBe(200);
      return (await status()).nonce;
    },
    /** Submits current shares to the attempt. */
    submit: async (...shares: string[]) => {
      const { nonce } = await status();
      for (const key of shares) expect((await outOfBand("PUT", "sys/rekey/update", { key, nonce })).status).toBe(200);
    },
  };
}
type Stage = ReturnType<typeof stageOf>;

const like = { secret_shares: 3, secret_threshold: 2, require_verification: true };
const foreign = { secret_shares: 4, secret_threshold: 3, require_verification: true };
const again = (inputs: RekeyInputs): RekeyInputs => ({ ...inputs, triggers: ["again"] });

/** Leaves the throw-away attempt of the rekey on the server, as a killed run does. */
async function leaveProbe({ stack, cancel, begin }: Stage): Promise<void> {
  const { attempt } = stack.attempt.outputs() as { attempt: { probe: { key: string } } };
  await cancel();
  await begin({ secret_shares: 1, secret_threshold: 1, pgp_keys: [attempt.probe.key], require_verification: true });
}

/** Until the candidate is saved; then the service forgets the attempt. */
async function untilUnknown({ target, stack, inputs }: Stage): Promise<void> {
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
const stories: Record<string, (stage: Stage) => Promise<void>> = {
  "attempt: started; no other rekey is in progress": async ({ stack, inputs, status }) => {
    await stack.up(inputs, "attempt");
    expect(await status()).toMatchObject({ started: true, progress: 0 });
  },
  "attempt: a matching attempt without shares is in progress: the rekey adopts it": async ({ target, stack, inputs, begin }) => {
    const nonce = await begin(like);
    await stack.up(inputs);
    expect(stack.attempt.outputs().attempt).toMatchObject({ nonce });
    expect(target.gateway.requests.filter(({ method, path }) => method === "PUT" && path === "/v1/sys/rekey/init")).toEqual([]);
  },
  "attempt: the inputs changed: the rekey cancels its attempt and starts a new one": async ({ stack, inputs, status }) => {
    await stack.up(inputs, "shares");
    const { nonce } = await status();
    await stack.up(again(inputs), "attempt");
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(again(inputs));
  },
  "attempt: an old probe of this rekey is in progress: the rekey cancels it": async (stage) => {
    const { stack, inputs, status } = stage;
    await stack.up(inputs, "attempt");
    await leaveProbe(stage);
    const { nonce } = await status();
    await stack.up(again(inputs));
    expect((await status()).nonce).not.toBe(nonce);
  },
  "attempt: another rekey is in progress; checked again before shares are submitted": async ({ stack, inputs, cancel, begin, status }) => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(foreign);
    await expectForeign(stack.fails(again(inputs)), nonce, "4 shares, threshold 3", "0 of 3");
    expect((await status()).nonce).toBe(nonce);
    await cancel();
    expect(await stack.stops(again(inputs))).toBe("rekey/attempt-restarted");
    await stack.up(again(inputs));
  },
  "attempt: another client's attempt is in progress: onConflict decides": async ({ stack, inputs, begin, submit, status, target }) => {
    const nonce = await begin(foreign);
    await submit(target.first[0] as string);
    const { details } = await expectForeign(stack.fails(inputs), nonce, "4 shares, threshold 3", "1 of 3");
    expect(details).toMatchObject({ operation: "Cannot create rekey", hint: expect.stringMatching(/onConflict: "cancel"/) });
    expect(await status()).toMatchObject({ nonce, progress: 1 });
    expect(await stack.stops({ ...inputs, onConflict: "resume" })).toBe("rekey/foreign-attempt");
    await stack.up({ ...inputs, onConflict: "cancel" });
  },
  "shares: the attempt is gone: the rekey starts a new one and saves its nonce": async ({ target, stack, inputs, status }) => {
    await stack.up(inputs, "attempt");
    const { nonce } = await status();
    await target.sealAndUnseal(target.first.slice(0, 3));
    expect(await stack.stops(inputs)).toBe("rekey/attempt-restarted");
    expect(await status()).toMatchObject({ started: true, progress: 0 });
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(inputs);
  },
  "shares: an older attempt of this rekey is in progress: the rekey cancels it and starts a new one": async ({
    stack,
    inputs,
    cancel,
    status,
  }) => {
    await stack.up(inputs, "attempt");
    await cancel();
    await stack.stops(inputs);
    expect(await stack.stops({ ...inputs, currentShares: inputs.currentShares.slice(0, 1) })).toBe("rekey/shares-missing");
    const { nonce } = await status();
    expect(await stack.stops(again(inputs))).toBe("rekey/attempt-restarted");
    expect((await status()).nonce).not.toBe(nonce);
    await stack.up(again(inputs));
  },
  "shares: an old probe of this rekey is in progress: the rekey cancels it": async (stage) => {
    await stage.stack.up(stage.inputs, "attempt");
    await leaveProbe(stage);
    expect(await stage.stack.stops(stage.inputs)).toBe("rekey/attempt-restarted");
    await stage.stack.up(stage.inputs);
  },
  "shares: a matching attempt without shares is in progress: the rekey adopts it": async ({ stack, inputs, cancel, begin }) => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(like);
    expect(await stack.stops(inputs)).toBe("rekey/attempt-adopted");
    expect(stack.submission.nonce).toBe(nonce);
    await stack.up(inputs);
  },
  "shares: the attempt is collecting current shares: the rekey submits the available ones": async ({ stack, inputs, status }) => {
    await stack.up(inputs, "shares");
    expect(stack.candidate.shares).toHaveLength(3);
    expect((await status()).started).toBe(true);
  },
  "shares: the response with the new shares is missing: the rekey reads the backup or starts over": async ({
    target,
    stack,
    inputs,
    submit,
    status,
  }) => {
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
  "shares: the attempt has the expected nonce but other parameters: the rekey submits no share": async ({
    target,
    stack,
    inputs,
    status,
  }) => {
    await stack.up(inputs, "attempt");
    target.gateway.on("GET sys/rekey/init", { when: "after", answer: tampered });
    expect(await stack.stops(inputs)).toBe("rekey/tampered-attempt");
    target.gateway.interrupt = undefined;
    expect((await status()).progress).toBe(0);
    await stack.up(inputs);
  },
  "shares: another client's attempt is in progress: onConflict decides": async ({ stack, inputs, cancel, begin, submit, target }) => {
    await stack.up(inputs, "attempt");
    await cancel();
    const nonce = await begin(like);
    await submit(target.first[0] as string);
    const { details } = await expectForeign(stack.fails(inputs), nonce, "3 shares, threshold 2", "1 of 3");
    expect(details.hint).toMatch(/onConflict: "resume".*"cancel"/);
    expect(await stack.stops({ ...inputs, onConflict: "resume" })).toBe("rekey/attempt-adopted");
    await stack.up(inputs);
  },
  "commit: the new shares are saved but not verified: the rekey proves and commits them": async ({ stack, inputs, status }) => {
    await stack.up(inputs);
    expect((await status()).started).toBe(false);
  },
  "commit: the attempt is gone, and it may have been committed: the outcome is unknown": async (stage) => {
    await untilUnknown(stage);
    expect((await stage.status()).started).toBe(false);
    expect(await stage.stack.stops(stage.inputs)).toBe("rekey/not-committed");
    expect(await stage.stack.stops(stage.inputs)).toBe("rekey/not-committed");
    await stage.stack.up(again(stage.inputs));
  },
  "commit: an old probe of this rekey is in progress: the rekey cancels it": async (stage) => {
    await untilUnknown(stage);
    await leaveProbe(stage);
    expect(await stage.stack.stops(stage.inputs)).toBe("rekey/not-committed");
    expect((await stage.status()).started).toBe(false);
    await stage.stack.up(again(stage.inputs));
  },
  "commit: the attempt has the expected nonce but other parameters: the rekey submits no share": async ({ target, stack, inputs }) => {
    await stack.up(inputs, "shares");
    target.gateway.on("GET sys/rekey/init", { when: "after", answer: tampered });
    expect(await stack.stops(inputs)).toBe("rekey/tampered-attempt");
    target.gateway.interrupt = undefined;
    await stack.up(inputs);
  },
  "commit: another client's attempt is in progress: onConflict decides": async ({ stack, inputs, cancel, begin, status }) => {
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
    await stack.up(again(inputs));
  },
  "commit: the outcome is unknown: a probe tests which shares are live": async ({ target, stack, inputs }) => {
    target.gateway.on("PUT sys/rekey/verify", { when: "after" }, 2);
    expect(await stack.stops(inputs)).toBe("rekey/outcome-unknown");
    target.gateway.interrupt = undefined;
    await stack.up(inputs);
  },
};

/** The rows of a service without recovery keys. */
const firstStories: Record<string, (stage: Stage) => Promise<void>> = {
  "attempt: there are no recovery keys yet: the next step starts the rekey, which returns the first ones": async ({
    stack,
    inputs,
    status,
  }) => {
    await stack.up(inputs, "attempt");
    expect(await status()).toMatchObject({ started: false });
    await stack.up(inputs);
  },
  "shares: there are no recovery keys yet: the rekey starts, and saves the first ones from the response": async ({
    stack,
    inputs,
    status,
  }) => {
    await stack.up(inputs, "shares");
    expect(stack.candidate.shares).toHaveLength(3);
    expect(await status()).toMatchObject({ started: true, nonce: stack.candidate.nonce, required: 0 });
    await stack.up(inputs);
  },
  "shares: a matching attempt has created the first recovery keys, and none is verified: the rekey cancels it, since its response is lost":
    async ({ target, stack, inputs, status }) => {
      target.gateway.on("PUT sys/rekey/init", { when: "after" });
      expect(await stack.stops(inputs)).toBe("rekey/first-keys-lost");
      target.gateway.interrupt = undefined;
      const { nonce } = await status();
      await stack.up(inputs);
      expect(stack.candidate.nonce).not.toBe(nonce);
    },
  "commit: the attempt is gone, and there are still no recovery keys: the new ones are dead": async ({ stack, inputs, cancel }) => {
    await stack.up(inputs, "shares");
    await cancel();
    for (let run = 0; run < 2; run++) expect(await stack.stops(inputs)).toBe("rekey/not-committed");
    await stack.up(again(inputs));
  },
};

test("every row of the table has a story", () =>
  expect(Object.keys({ ...stories, ...firstStories }).sort()).toEqual(rekeyRows.map(({ step, log }) => `${step}: ${log}`).sort()));

const rowsWith = (table: object): typeof rekeyRows => rekeyRows.filter(({ step, log }) => `${step}: ${log}` in table);

onEachRekeyTarget("each row of the table", (current) => {
  test.each(rowsWith(stories))("$step: $log", async ({ step, log, line }) => {
    const stage = stageOf(current());
    const { target, status } = stage;
    await stories[`${step}: ${log}`]?.(stage);
    expect(printed).toContain(line);
    // In every case the valid shares are the previous ones, or in the state.
    const { shares = [], complete } = stage.stack.commit.state ? stage.stack.outputs : { complete: false };
    if (!complete) expect(await target.opens(target.first)).toBe(true);
    else {
      expect(await target.opens(shares.slice(0, 2))).toBe(true);
      expect(await target.opens(target.first)).toBe(false);
      expect((await status()).started).toBe(false);
    }
    expect(printed.join("\n")).not.toContain(target.first[0]);
  });
});

describe.each(firstKeysTargets)("each row of a service without recovery keys ($name)", ({ start }) => {
  test.each(rowsWith(firstStories))("$step: $log", ({ step, log, line }) =>
    withRekeyTarget(start, { shares: 0, threshold: 0 }, async (target) => {
      const stage = stageOf(target);
      await firstStories[`${step}: ${log}`]?.(stage);
      expect(printed).toContain(line);
      const { shares, complete } = stage.stack.outputs;
      expect([complete, await target.opens(shares.slice(0, 2))]).toEqual([true, true]);
      expect(await stage.status()).toMatchObject({ started: false, required: 2 });
    }),
  );
});
