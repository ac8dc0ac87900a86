import { holders } from "../../../support/pgp";
import { onEachRekeyTarget } from "../../../support/rekey";
import { lines, tools, twin } from "./story";

onEachRekeyTarget("a rekey loses no shares", (current) => {
  const { inputs, stackOn, requests, status, decrypted, candidateOf, forHolders, interrupt } = tools(current);

  test("a lost response with new shares is recovered from the backup, which is removed on request after the proof", async () => {
    const { all, pgp } = await forHolders(3, { backup: true });
    const stack = stackOn(current());
    interrupt("PUT", "update", { when: "after" }, 3);
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
    expect(lines()).toContain("took them from the backup");
    const shares = await decrypted(candidateOf(stack), all);
    await stack.up({ ...pgp, newShares: shares });
    const backup = (await current().outOfBand("GET", "sys/rekey/backup")).status;
    expect(backup).toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "update"]);
    expect((await current().outOfBand("GET", "sys/rekey/backup")).status).not.toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "same"]);
  });

  test("a set that others completed is kept with its own threshold", async () => {
    const [a = "", b = "", c = ""] = current().first;
    const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
    const stack = stackOn(current());
    await stack.stops(inputs({ pgpKeys, backup: true, currentShares: [a] }));
    const { nonce } = await status();
    for (const key of [b, c]) await current().outOfBand("PUT", "sys/rekey/update", { key, nonce });
    await stack.stops(inputs({ pgpKeys, backup: true, secretThreshold: 3, currentShares: [a] }));
    expect(stack.submission.kept).toMatchObject([{ nonce, threshold: 2 }]);
  });

  test("the backup of another rekey is overwritten only with replaceBackup, and the state keeps it", async () => {
    const all = await holders(3);
    const keys = all.map(({ publicKey }) => publicKey);
    const theirs = stackOn(current());
    await theirs.stops(inputs({ pgpKeys: keys, backup: true }));
    await theirs.destroy();
    const stack = stackOn(current());
    const pgp = inputs({ pgpKeys: keys, backup: true });
    const { details } = await stack.fails(pgp);
    expect(details.rule).toBe("rekey/foreign-backup");
    const { nonce } = (await current().outOfBand("GET", "sys/rekey/backup")).body;
    expect(details.hint).toContain(`pulumi-steward rekey backup --delete --nonce ${nonce}`);
    expect(details.hint).toContain("replaceBackup: true");
    expect(await status()).toMatchObject({ progress: 0 });
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toBe("rekey/backup-saved");
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toBe("rekey/new-shares-missing");
    const kept = stack.submission.replacedBackup as { keys: Record<string, string[]> };
    expect(Object.keys(kept.keys).sort()).toEqual(all.map(({ fingerprint }) => fingerprint).sort());
    // An attempt that never came to its commit takes its dead backup along only when it is settled.
    await stack.up({ ...pgp, replaceBackup: true, newShares: await decrypted(candidateOf(stack), all) });
  });

  test("without verification the last share commits, and a lost response is recovered from the backup", async () => {
    const { all, pgp: bold } = await forHolders(3, { backup: true, requireVerification: false });
    const stack = stackOn(current());
    interrupt("PUT", "update", { when: "after" }, 3);
    expect(await stack.stops(bold)).toBe("rekey/attempt-lost");
    current().gateway.interrupt = undefined;
    expect(await stack.stops(bold)).toBe("rekey/outcome-unknown-shares-missing");
    const shares = await decrypted(candidateOf(stack), all);
    await stack.up({ ...bold, newShares: shares });
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens(shares.slice(0, 2))).toBe(true);
  });

  test("the backup of an earlier rekey is not used for a lost attempt", async () => {
    const { all, pgp: bold } = await forHolders(3, { backup: true, requireVerification: false });
    const stack = stackOn(current());
    await stack.up(bold);
    const again = { ...bold, triggers: ["again"], currentShares: await decrypted(stack.outputs, all) };
    await stack.up(again, "attempt");
    const { nonce } = await status();
    await current().outOfBand("DELETE", "sys/rekey/init", current().dialect === "hashicorp" ? { nonce } : undefined);
    expect(await stack.stops(again)).toBe("rekey/attempt-restarted");
  });

  test("a rekey without verification and PGP keys requires allowUnverified", async () => {
    const stack = stackOn(current());
    expect(await stack.problems(inputs({ requireVerification: false }))).toEqual(["requireVerification: unverified"]);
    await stack.up(inputs({ requireVerification: false, allowUnverified: true }));
    expect(lines()).toContain("warning: rekey: requireVerification: ");
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("another address of the same server starts no new rekey", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const { shares } = stack.outputs;
    const { secrets } = current().config["steward:default"] as { secrets: { address: string } };
    const moved = {
      "steward:default": { secrets: { ...secrets, address: secrets.address.replace("127.0.0.1", "localhost"), allowAddressChange: true } },
    };
    for (const each of [stack.attempt, stack.shares, stack.commit]) each.configure(moved);
    expect(await requests(() => stack.up(inputs()))).toEqual(["GET init"]);
    expect(stack.outputs.shares).toEqual(shares);
    expect(await stack.up(inputs())).toEqual(["same", "same", "same"]);
  });

  test("a response with too few new shares is not committed", async () => {
    const stack = stackOn(current());
    const cut = (body: string): string => {
      const answer = JSON.parse(body);
      return JSON.stringify({ ...answer, keys: answer.keys?.slice(0, 2), keys_base64: answer.keys_base64?.slice(0, 2) });
    };
    interrupt("PUT", "update", { when: "after", answer: cut }, 3);
    expect(await stack.stops(inputs())).toBe("rekey/new-shares-incomplete");
    expect((await status()).started).toBe(false);
    expect(await stack.stops(inputs())).toBe("rekey/attempt-restarted");
    await stack.up(inputs());
  });

  test("unreadable new shares stop the rekey before any current share is submitted", async () => {
    process.env.STEWARD_SHARE = "!!";
    const stack = stackOn(current());
    const bold = inputs({ newShares: [{ env: "STEWARD_SHARE" }], requireVerification: false, allowUnverified: true });
    expect(await stack.stops(bold)).toBe("rekey/invalid-share");
    delete process.env.STEWARD_SHARE;
    expect(await status()).toMatchObject({ progress: 0 });
    await stack.up(bold);
  });

  const loseCommit = (): void => interrupt("PUT", "verify", { when: "after" }, 2);

  test("new shares that are also brought as current ones do not make the live set count as dead", async () => {
    const { all, pgp } = await forHolders(3, { backup: true });
    const stack = stackOn(current());
    await stack.stops(pgp);
    const shares = await decrypted(candidateOf(stack), all);
    loseCommit();
    await stack.stops({ ...pgp, newShares: shares });
    current().gateway.interrupt = undefined;
    await stack.up({ ...pgp, newShares: shares, currentShares: shares });
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens(shares.slice(0, 2))).toBe(true);
  });

  test("a probe tests the sets that come after one that cannot be combined", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const live = stack.outputs.shares;
    const [first = "", second = ""] = live;
    const again = { triggers: ["2"], currentShares: live };
    // The attempt is lost before its commit arrives.
    let verified = 0;
    current().gateway.interrupt = ({ method, path }) =>
      method === "PUT" && path.endsWith("/verify") && ++verified === 2
        ? { when: "before", act: () => current().sealAndUnseal(live.slice(0, 2)) }
        : undefined;
    expect(await stack.stops(inputs(again))).toBe("rekey/outcome-unknown");
    current().gateway.interrupt = undefined;
    expect(await stack.stops(inputs({ ...again, currentShares: [first, twin(first), second] }))).toBe("rekey/not-committed");
    expect(stack.outputs.shares).toEqual(live);
    expect((await status()).started).toBe(false);
  });

  test("a live set that only the state holds survives a later attempt", async () => {
    const stack = stackOn(current());
    loseCommit();
    await stack.stops(inputs());
    current().gateway.interrupt = undefined;
    const { shares: live } = stack.candidate;
    await stack.up(inputs({ triggers: ["2"] }), "shares");
    await expect(stack.destroy()).rejects.toMatchObject({
      details: { rule: expect.stringMatching(/^rekey\/(shares|outcome)-unsettled$/) },
    });
    expect(JSON.stringify(stack.shares.state)).toContain(live[0]);
    await current().sealAndUnseal(live.slice(0, 2));
    await stack.up(inputs({ triggers: ["3"] }));
    expect(await current().opens(stack.outputs.shares.slice(1))).toBe(true);
  });

  test("a false completion is not trusted", async () => {
    const stack = stackOn(current());
    await stack.up(inputs());
    const { shares: before } = stack.outputs;
    for (const nth of [1, 2]) {
      let count = 0;
      current().gateway.interrupt = ({ method, path }) =>
        method === "PUT" && path.endsWith("/rekey/verify") && ++count === nth
          ? { when: nth === 1 ? "after" : "before", ...(nth === 1 ? { answer: () => '{"complete":true}' } : {}) }
          : undefined;
      expect(await stack.stops(inputs({ triggers: [`${nth}`], currentShares: before }))).toBe("rekey/outcome-unknown");
      expect(stack.outputs.shares).toEqual(before);
      current().gateway.interrupt = undefined;
      await stack.up(inputs({ triggers: [`${nth}`], currentShares: before }));
      before.splice(0, before.length, ...stack.outputs.shares);
    }
  });

  test.each(["{}", '{"progress":2}'])("a completion that its response does not show is probed: %s", async (response) => {
    const stack = stackOn(current());
    interrupt("PUT", "verify", { when: "after", answer: () => response }, 2);
    expect(await stack.stops(inputs())).toBe("rekey/outcome-unknown");
    current().gateway.interrupt = undefined;
    await stack.up(inputs());
    expect(await current().opens(stack.outputs.shares.slice(1))).toBe(true);
  });

  test("no share is submitted to a probe if the server drops the verification", async () => {
    const stack = stackOn(current());
    loseCommit();
    await stack.stops(inputs());
    const forgetful = (body: string): string => body.replace(/"verification_required":true/, '"verification_required":false');
    interrupt("GET", "init", { when: "after", answer: forgetful });
    expect(await requests(() => stack.stops(inputs()))).not.toContain("PUT update");
    current().gateway.interrupt = undefined;
    await stack.up(inputs());
  });
});
