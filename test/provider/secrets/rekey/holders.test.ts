import { RekeyInputs } from "../../../../provider/secrets";
import { formsIn } from "../../../support/canaries";
import { base64, readAll } from "../../../support/pgp";
import { onEachRekeyTarget } from "../../../support/rekey";
import { clearLines, lines, stack, tools, wrongBeside } from "./story";

// Several holders, each of whom brings one share in a run of their own. No share enters the state.

onEachRekeyTarget("holders with one share each", (current) => {
  const { inputs, requests, status, forHolders, madeFor, submit, verify, cancel, interrupt } = tools(current);
  afterEach(() => {
    for (const name of ["SHARE", "NEW_SHARE"]) delete process.env[name];
  });
  /** The program of a ceremony: nothing in it changes from run to run. */
  const ceremony = (pgp: RekeyInputs): RekeyInputs => ({
    ...pgp,
    keepSharesInState: undefined,
    onWaiting: undefined,
    currentShares: [{ env: "SHARE" }],
    newShares: [{ env: "NEW_SHARE" }],
  });
  /** A run of a holder, whose share is only in the environment. */
  const run = async (program: RekeyInputs, variables: { SHARE?: string; NEW_SHARE?: string } = {}): Promise<string> => {
    clearLines();
    for (const name of ["SHARE", "NEW_SHARE"]) delete process.env[name];
    Object.assign(process.env, variables);
    return stack.up(program).then(
      () => "done",
      ({ details, code }) => details.rule ?? code,
    );
  };
  /** Successful runs of holders, with a new share each. */
  const bring = async (program: RekeyInputs, ...shares: (string | undefined)[]): Promise<void> => {
    for (const NEW_SHARE of shares) expect(await run(program, { NEW_SHARE })).toBe("done");
  };
  /** The same, and the last share completes the rekey. */
  const complete = async (program: RekeyInputs, ...shares: (string | undefined)[]): Promise<void> => {
    await bring(program, ...shares);
    expect(stack.outputs.complete).toBe(true);
  };
  const seal = (): Promise<void> => current().sealAndUnseal(current().first.slice(0, 3));
  /** A wrong share makes the probe discard those before it. */
  const cancelShares = (): Promise<void> => submit(...wrongBeside(current().first, 2));
  const states = (): string => JSON.stringify([stack.attempt.state, stack.shares.state, stack.commit.state]);
  /** New shares are made for holders, and decrypted. */
  const made = async (count = 3, more: Partial<RekeyInputs> = {}): Promise<{ program: RekeyInputs; shares: string[] }> => {
    const { pgp, newShares } = await madeFor(count, { secretShares: count, ...more });
    return { program: ceremony(pgp), shares: newShares };
  };

  test("a share that was supplied as a new one before the new shares exist is none of them", async () => {
    const [a = "", b = "", c = "", early = ""] = current().first;
    const { pgp } = await forHolders(3);
    const program = ceremony(pgp);
    for (const SHARE of [a, b]) await run(program, { SHARE });
    expect(await run(program, { SHARE: c, NEW_SHARE: early })).toBe("done");
    expect(await run(program, { NEW_SHARE: early })).toBe("rekey/invalid-share");
  });

  test("each run succeeds and waits for the next holder, and the state has no share at any time", async () => {
    const { first } = current();
    const { all, pgp } = await forHolders(3);
    const program = ceremony(pgp);
    expect(await run(program)).toBe("done");
    expect(lines()).toMatch(
      /^warning: rekey: No share was supplied\. Waiting for 3 more key holders: 0 of 3 .* Nothing has changed yet\./m,
    );
    for (const [count, share] of first.slice(0, 2).entries()) {
      expect(await run(program, { SHARE: share })).toBe("done");
      const waiting = `Your share was accepted: ${count + 1} of 3 current shares submitted. You are done. Waiting for ${2 - count} more key holder`;
      expect(lines()).toContain(waiting);
      expect(stack.outputs).toMatchObject({ complete: false, progress: { phase: "submitting", count: count + 1, required: 3 } });
    }
    expect(await run(program, { SHARE: first[2] })).toBe("done");
    expect(stack.outputs).toMatchObject({ complete: false, progress: { phase: "verifying", count: 0, required: 2 } });
    const shares = await readAll(all, stack.outputs.encryptedShares);
    expect((await stack.shares.preview(stack.shares.state?.inputs ?? {})).operation).toBe("update");
    await bring(program, shares[0]);
    expect(lines()).toContain("Your share was accepted: 1 of 2 new shares verified. You are done. Waiting for 1 more key holder.");
    // A repeated share is not sent again.
    const again = await requests(() => run(program, { NEW_SHARE: shares[0] }));
    expect(again.filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(await stack.shares.refresh()).toEqual([]);
    expect(formsIn(states(), [...first, ...shares.map(base64)])).toEqual([]);
    await bring(program, shares[2]);
    expect(stack.outputs).toMatchObject({ complete: true, shares: [], progress: { phase: "complete", count: 2, required: 2 } });
    expect(await current().opens([shares[0], shares[2]] as string[])).toBe(true);
    expect(formsIn(states() + lines(), [...first, ...shares.map(base64)])).toEqual([]);
    expect(await stack.up(program)).toEqual(["same", "same", "same"]);
  });

  test("a wrong share is rejected with those of the others, accuses nobody, and all bring theirs again", async () => {
    const { program, shares } = await made();
    const [bad = ""] = wrongBeside(shares.map(base64));
    await bring(program, bad);
    expect(await run(program, { NEW_SHARE: shares[1] })).toBe("rekey/new-shares-rejected");
    await complete(program, shares[1], shares[2]);
  });

  test("a run with more than a threshold leaves a wrong share out, and one with others' wrong shares needs nobody else", async () => {
    const { program, shares } = await made(4);
    const [bad = ""] = wrongBeside(shares.map(base64));
    await bring(program, bad);
    const many = { ...program, keepSharesInState: true, newShares: [bad, ...shares.slice(0, 2)] };
    expect(await run(many)).toBe("done");
    expect(stack.outputs.complete).toBe(true);
  });

  test.each([0, 1])("a whole threshold in one run restarts the verification only if nobody has verified a share: %i", async (others) => {
    const { program, shares } = await made(4, { secretThreshold: 3 });
    await bring(program, ...shares.slice(0, others));
    const many = { ...program, keepSharesInState: true, newShares: shares.slice(1) };
    const sent = await requests(() => run(many));
    expect(sent.filter((request) => request === "DELETE verify")).toHaveLength(1 - others);
    expect(stack.outputs.complete).toBe(true);
  });

  test("what cannot be a new share is named before anything is sent", async () => {
    const { program } = await made();
    const encrypted = stack.candidate.encrypted[0]?.share as string;
    for (const [share, reason] of [
      [current().first[0], "is a previous share, and not a new one"],
      [Buffer.alloc(20, 1).toString("hex"), "has 20 bytes, and a new share has 33"],
      [encrypted, "is too long for a share: decrypt an encrypted one first"],
      ["correcthorsebattery", "is no share"],
    ] as const) {
      process.env.NEW_SHARE = share;
      const sent = await requests(async () => {
        const { details } = await stack.fails(program);
        expect(details).toMatchObject({ rule: "rekey/invalid-share", reason: expect.stringContaining(`the variable NEW_SHARE ${reason}`) });
      });
      expect(sent).toEqual([]);
    }
  });

  test("a state with new shares that an earlier version collected is refused", async () => {
    const program = ceremony((await forHolders(3)).pgp);
    expect(await run(program)).toBe("done");
    Object.assign((stack.commit.state as { outputs: object }).outputs, { gathered: [{ label: "newShares[0]", share: "AAAA" }] });
    expect(await run(program, { SHARE: current().first[0] })).toBe("rekey/unexpected-state");
    await expect(stack.commit.destroy()).rejects.toMatchObject({ details: { rule: "rekey/unexpected-state" } });
  });

  test("a share in the wrong variable is not called a missing one", async () => {
    const { program } = await made();
    expect(await run(program, { SHARE: current().first[3] })).toBe("done");
    expect(lines()).toContain("The current shares are complete, so yours was not sent. Waiting for 2 more key holders");
    const second = ceremony((await forHolders(3, { triggers: ["2"] })).pgp);
    expect(await run(second, { NEW_SHARE: current().first[0] })).toBe("done");
    expect(lines()).toContain("There are no new shares yet, so yours was not sent. Waiting for 3 more key holders");
  });

  test("a share that the server rejects alone is an error", async () => {
    // OpenBao takes a share of any length.
    if (current().dialect === "openbao") return;
    const program = ceremony((await forHolders(3)).pgp);
    expect(await run(program, { SHARE: Buffer.alloc(40, 1).toString("base64") })).toBe("rekey/shares-missing");
  });

  test("a share that another holder verifies while this one's request is lost does not take its place", async () => {
    const { program, shares } = await made(3, { secretThreshold: 3 });
    interrupt("PUT", "verify", { when: "before", act: () => verify(shares[1] as string) }, 1);
    await bring(program, shares[0]);
    if (current().dialect !== "hashicorp") return;
    expect(lines()).toContain("Your share was accepted: 2 of 3 new shares verified. You are done. Waiting for 1 more key holder.");
    await complete(program, shares[2]);
  });

  test('with confirm: "all", every holder decrypts before the commit, and the first ones send nothing', async () => {
    const { program, shares } = await made(4, { confirm: "all" });
    for (const [count, share] of shares.slice(0, 2).entries()) {
      const sent = await requests(() => run(program, { NEW_SHARE: share }));
      expect(sent.filter((request) => !request.startsWith("GET"))).toEqual([]);
      if (count === 0)
        expect(lines()).toContain("Your share was accepted: 1 of 2 new shares confirmed. You are done. Waiting for 1 more key holder.");
    }
    await bring(program, shares[0], shares[2]);
    expect(lines()).toContain("1 of 2 new shares verified");
    await complete(program, shares[3]);
    expect(await stack.problems(inputs({ confirm: "all" }))).toEqual(["confirm: needs-pgp-keys"]);
  });

  test("a share that was confirmed is verified once confirm is taken back", async () => {
    const { program, shares } = await made(3, { confirm: "all" });
    await bring(program, shares[0]);
    await complete({ ...program, confirm: "threshold" }, ...shares.slice(0, 2));
  });

  test("a share that others verify counts where a repeated one does not, and otherwise the verification restarts", async () => {
    const { program, shares } = await made();
    await verify(shares[0] as string);
    const counts = current().dialect === "hashicorp";
    expect(await run(program, { NEW_SHARE: shares[1] })).toBe(counts ? "done" : "rekey/verification-restarted");
    await complete(program, ...(counts ? [] : shares.slice(0, 2)));
  });

  test("the shares that earlier runs gave are gone after a restart by others, which is an error", async () => {
    const { program, shares } = await made();
    await bring(program, shares[0]);
    await current().outOfBand("DELETE", "sys/rekey/verify");
    expect(await run(program, { NEW_SHARE: shares[1] })).toBe("rekey/verification-restarted");
    await complete(program, ...shares.slice(0, 2));
  });

  test.each(["before", "after"] as const)("a new share whose request is lost %s the server counts once", async (when) => {
    const { program, shares } = await made();
    interrupt("PUT", "verify", { when }, 1);
    await bring(program, shares[0]);
    expect(lines()).toContain("1 of 2 new shares verified");
    await complete(program, shares[1]);
  });

  test("after a commit by others, one new share a run shows that the new shares are valid", async () => {
    const { program, shares } = await made();
    await verify(...shares.slice(0, 2));
    expect(await run(program)).toBe("rekey/outcome-unknown");
    expect(lines()).not.toContain("othing was committed");
    await bring(program, shares[0]);
    expect(stack.outputs).toMatchObject({ complete: false, progress: { phase: "testing", count: 1, required: 2 } });
    expect(lines()).toMatch(/a probe for the key [0-9a-f]{40} is in progress, and blocks other rekeys\. `pulumi-steward rekey cancel/);
    await expect(stack.destroy()).rejects.toMatchObject({ details: { rule: "rekey/shares-unsettled" } });
    await cancel();
    expect(await run(program)).toBe("done");
    expect(lines()).not.toContain("is in progress");
    await complete(program, shares[0], shares[2]);
    expect(await status()).toMatchObject({ started: false });
  });

  test("new shares that are not accepted prove nothing, and a current share starts the rekey anew without an edit", async () => {
    const { program, shares } = await made(5, { secretThreshold: 3 });
    await seal();
    expect(await run(program)).toBe("rekey/outcome-unknown");
    await bring(program, ...shares.slice(0, 2));
    expect(await run(program, { NEW_SHARE: shares[2] })).toBe("rekey/not-accepted");
    expect(await status()).toMatchObject({ started: false });
    await expect(stack.destroy()).rejects.toMatchObject({ details: { rule: "rekey/shares-unsettled" } });
    expect(await run(program)).toBe("rekey/not-accepted");
    // A whole threshold in one run is refused as well, and shows no more.
    const together = { ...program, keepSharesInState: true, newShares: shares.slice(0, 3) };
    expect(await run(together)).toBe("rekey/not-accepted");
    const [a = "", b = "", c = ""] = current().first;
    expect(await run(program, { SHARE: a })).toBe("rekey/attempt-restarted");
    for (const share of [a, b, c]) expect(await run(program, { SHARE: share })).toBe("done");
    expect(stack.outputs.progress).toMatchObject({ phase: "verifying", count: 0 });
  });

  test("new shares that are proven invalid start the rekey anew as well, once a run has a current share", async () => {
    const { program, shares } = await made();
    await seal();
    expect(await run(program)).toBe("rekey/outcome-unknown");
    const proof = { ...program, keepSharesInState: true, newShares: shares.slice(0, 2), currentShares: current().first.slice(0, 3) };
    expect(await run(proof)).toBe("rekey/not-committed");
    expect(await run(program)).toBe("rekey/not-committed");
    expect(await run(program, { SHARE: current().first[0] })).toBe("rekey/attempt-restarted");
    for (const share of current().first.slice(0, 3)) expect(await run(program, { SHARE: share })).toBe("done");
    expect(stack.outputs.progress).toMatchObject({ phase: "verifying", count: 0 });
  });

  test("a server that requires another number of shares does not have the new ones", async () => {
    const { program, shares } = await made();
    await seal();
    expect(await run(program)).toBe("rekey/outcome-unknown");
    expect(await run(program, { NEW_SHARE: shares[0] })).toBe("rekey/not-accepted");
    expect(await status()).toMatchObject({ started: false });
  });

  test("a probe with shares of others ends without a result, even if it is complete", async () => {
    const { program, shares } = await made(5, { secretThreshold: 3 });
    await seal();
    expect(await run(program)).toBe("rekey/outcome-unknown");
    // The server then verifies the new share of the probe: that says nothing about the new shares.
    for (const others of [1, 3]) {
      await bring(program, shares[0]);
      if (others === 3) await cancelShares();
      await submit(...current().first.slice(0, others));
      expect(await run(program, { NEW_SHARE: shares[1] })).toBe("rekey/probe-disturbed");
      expect(await status()).toMatchObject({ started: false });
    }
    expect(stack.outputs.complete).toBe(false);
  });
});
