import { base64, holders, readAll } from "../../../support/pgp";
import { onEachRekeyTarget, spoiled } from "../../../support/rekey";
import { lines, stack, tools } from "./story";

onEachRekeyTarget("a rekey loses no shares", (current) => {
  const { inputs, stackOn, requests, status, forHolders, madeFor, submit, verify, backupStatus, cancel, interrupt } = tools(current);

  test("a lost response with new shares is recovered from the backup, which is removed on request after the proof", async () => {
    const { all, pgp } = await forHolders(3, { backup: true });
    interrupt("PUT", "update", { when: "after" }, 3);
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
    expect(lines()).toContain("took them from the backup");
    const shares = await readAll(all, stack.candidate.encrypted);
    await stack.up({ ...pgp, newShares: shares });
    expect(await backupStatus()).toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "update"]);
    expect(await backupStatus()).not.toBe(200);
    expect(await stack.up({ ...pgp, removeBackup: true })).toEqual(["same", "same", "same"]);
  });

  test("a set that others completed is kept with its own threshold", async () => {
    const [a = "", b = "", c = ""] = current().first;
    const pgpKeys = (await holders(3)).map(({ publicKey }) => publicKey);
    await stack.stops(inputs({ pgpKeys, backup: true, currentShares: [a] }));
    const { nonce } = await status();
    await submit(b, c);
    await stack.stops(inputs({ pgpKeys, backup: true, secretThreshold: 3, currentShares: [a] }));
    expect(stack.submission.kept).toMatchObject([{ nonce, threshold: 2 }]);
  });

  test("the backup of another rekey is overwritten only with replaceBackup, and the state keeps it", async () => {
    const all = await holders(3);
    const keys = all.map(({ publicKey }) => publicKey);
    const theirs = stackOn(current());
    await theirs.stops(inputs({ pgpKeys: keys, backup: true }));
    await theirs.destroy();
    const pgp = inputs({ pgpKeys: keys, backup: true });
    const { details } = await stack.fails(pgp);
    expect(details.rule).toBe("rekey/foreign-backup");
    const { nonce } = (await current().outOfBand("GET", "sys/rekey/backup")).body;
    expect(details.hint).toContain(`pulumi-steward rekey backup --delete --nonce ${nonce}`);
    expect(details.hint).toContain("replaceBackup: true");
    expect((await status()).started).toBe(false);
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toBe("rekey/backup-saved");
    expect(await stack.stops({ ...pgp, replaceBackup: true })).toBe("rekey/new-shares-missing");
    const kept = stack.submission.replacedBackups[0] as unknown as { keys: Record<string, string[]> };
    expect(Object.keys(kept.keys).sort()).toEqual(all.map(({ fingerprint }) => fingerprint).sort());
    // An attempt that never came to its commit takes its invalid backup along only when it is settled.
    await stack.up({ ...pgp, replaceBackup: true, newShares: await readAll(all, stack.candidate.encrypted) });
  });

  test("the state keeps each backup that the rekey overwrites", async () => {
    const { pgp } = await forHolders(3, { backup: true, replaceBackup: true });
    const [one, two] = [stackOn(current()), stackOn(current())];
    expect(await one.stops(pgp)).toBe("rekey/new-shares-missing");
    await cancel();
    for (const each of [stack, two]) {
      expect(await each.stops(pgp)).toBe("rekey/backup-saved");
      expect(await each.stops(pgp)).toBe("rekey/new-shares-missing");
      await cancel();
    }
    const again = { ...pgp, triggers: ["2"] };
    while ((await stack.stops(again)) !== "rekey/new-shares-missing");
    const { replacedBackups } = stack.submission;
    expect(replacedBackups.map(({ nonce }) => nonce)).toEqual([one, two].map(({ candidate }) => candidate.nonce));
  });

  test("another rekey's backup stops a rekey before its start, and leaves no attempt of a later one", async () => {
    const { all, pgp } = await forHolders(3, { backup: true });
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
    const shares = await readAll(all, stack.candidate.encrypted);
    await stack.up({ ...pgp, newShares: shares });
    const theirs = stackOn(current());
    const sent = await requests(async () => expect(await theirs.stops({ ...pgp, currentShares: shares })).toBe("rekey/foreign-backup"));
    expect(sent.filter((each) => !each.startsWith("GET"))).toEqual([]);
    expect(sent.filter((each) => each === "GET backup")).toHaveLength(1);
    for (const id of ["backup-saved", "new-shares-missing"])
      expect(await theirs.stops({ ...pgp, currentShares: shares, replaceBackup: true })).toBe(`rekey/${id}`);
    await theirs.destroy();
    // The backup of a later rekey may be that of an attempt that only its second step knows. The third run finds no attempt.
    for (let run = 0; run < 3; run++) {
      expect(await stack.stops({ ...pgp, currentShares: shares, triggers: ["2"] })).toBe("rekey/foreign-backup");
      expect((await status()).started).toBe(false);
    }
    expect((await current().outOfBand("DELETE", "sys/rekey/backup")).status).toBe(204);
    for (const id of ["attempt-restarted", "new-shares-missing"])
      expect(await stack.stops({ ...pgp, currentShares: shares, triggers: ["2"] })).toBe(`rekey/${id}`);
  });

  test("a rekey without verification and PGP keys requires allowUnverified", async () => {
    expect(await stack.problems(inputs({ requireVerification: false }))).toEqual(["requireVerification: unverified"]);
    await stack.up(inputs({ requireVerification: false, allowUnverified: true }));
    expect(lines()).toContain("warning: rekey: requireVerification: ");
    expect(await current().opens(stack.outputs.shares.slice(0, 2))).toBe(true);
  });

  test("without verification, a rekey does not say that a lost attempt committed nothing", async () => {
    interrupt("PUT", "update", { when: "after" }, 3);
    for (const id of ["attempt-lost", "attempt-restarted"]) {
      const { details } = await stack.fails(inputs({ requireVerification: false, allowUnverified: true }));
      expect(details.rule).toBe(`rekey/${id}`);
      expect(`${details.reason}. ${details.hint}`).not.toContain("committed nothing");
    }
  });

  test("a probe tests the sets that come after one that cannot be combined", async () => {
    await stack.up(inputs());
    const live = stack.outputs.shares;
    const [first = "", second = ""] = live;
    const again = { triggers: ["2"], currentShares: live };
    // The attempt is lost before its commit arrives.
    current().gateway.on("PUT sys/rekey/verify", { when: "before", act: () => current().sealAndUnseal(live.slice(0, 2)) }, 2);
    expect(await stack.stops(inputs(again))).toBe("rekey/outcome-unknown");
    expect(stack.outputs.shares).toEqual(live);
    expect(await stack.stops(inputs({ ...again, currentShares: [first, spoiled(first), second] }))).toBe("rekey/not-committed");
    expect(stack.outputs.shares).toEqual(live);
    expect((await status()).started).toBe(false);
  });

  test("encrypted shares that holders committed themselves stay in the state until the next rekey is committed", async () => {
    const { all, pgp } = await forHolders(5, { secretShares: 5, secretThreshold: 2, backup: true });
    const [a = "", b = "", c = ""] = current().first;
    const { outOfBand } = current();
    expect(await stack.stops({ ...pgp, currentShares: [a] })).toBe("rekey/shares-missing");
    // The other holders submit theirs on the command line, as pgpKeys and backup allow, and two new holders verify theirs there.
    await submit(b, c);
    const backup = (await outOfBand("GET", "sys/rekey/backup")).body as { keys: Record<string, string | string[]> };
    const messages = all.map(({ fingerprint }) => ({ fingerprint, share: [backup.keys[fingerprint]].flat()[0] as string }));
    const live = await readAll(all, messages);
    await verify(...live.slice(0, 2));
    expect(await current().opens(live.slice(0, 2))).toBe(true);
    const kept = async (): Promise<object> => {
      const last = messages[4]?.share as string;
      return {
        state: JSON.stringify([stack.attempt.state, stack.shares.state, stack.commit.state]).includes(last),
        server: JSON.stringify((await outOfBand("GET", "sys/rekey/backup")).body).includes(last),
      };
    };
    expect(await stack.stops({ ...pgp, currentShares: [] })).toBe("rekey/attempt-restarted");
    expect(await stack.stops({ ...pgp, currentShares: [] })).toBe("rekey/shares-missing");
    expect(await kept()).toEqual({ state: true, server: true });
    // The two holders bring what is valid now, as the hint of the stop says.
    expect(await stack.stops({ ...pgp, currentShares: live.slice(0, 2) })).toBe("rekey/new-shares-missing");
    const made = await kept();
    // The attempt is lost: the set is still the valid one, and three of five holders have never decrypted theirs.
    await current().sealAndUnseal(live.slice(0, 2));
    const stop = await stack.stops({ ...pgp, currentShares: live.slice(0, 2) });
    expect({ made, stop, live: await current().opens(live.slice(3, 5)), after: await kept() }).toMatchObject({
      made: { state: true },
      stop: "rekey/outcome-unknown",
      live: true,
      after: { state: true },
    });
  });

  test("a set to which the submitted shares do not belong is not kept", async () => {
    await stack.up(inputs());
    const live = stack.outputs.shares;
    await stack.up(inputs({ triggers: ["2"], currentShares: live.slice(1) }), "shares");
    const [dead] = stack.candidate.shares;
    await current().sealAndUnseal(live.slice(1));
    await stack.stops(inputs({ triggers: ["2"] }));
    await stack.up(inputs({ triggers: ["3"], currentShares: live.slice(1) }), "shares");
    expect(JSON.stringify(stack.shares.state)).toContain(live[0]);
    expect(JSON.stringify(stack.shares.state)).not.toContain(dead);
  });

  test("valid new shares that are passed as current ones beside a wrong new share are not called invalid", async () => {
    const { pgp, newShares } = await madeFor(5, { secretShares: 5, backup: true });
    const [first = "", second = ""] = newShares;
    await verify(first, second);
    expect(await stack.stops({ ...pgp, currentShares: [] })).toBe("rekey/outcome-unknown");
    const mixed = { ...pgp, newShares: [spoiled(base64(first)), second], currentShares: newShares.slice(2) };
    expect(await stack.stops(mixed)).toBe("rekey/not-accepted");
    expect([stack.submission.outcome, await backupStatus()]).toEqual(["not accepted", 200]);
    await stack.up({ ...pgp, newShares: newShares.slice(0, 2) });
    expect(stack.outputs.complete).toBe(true);
  });

  test("previous shares that are passed as new ones are not called valid if a submitted one is beside them", async () => {
    const [a = "", b = "", c = "", d = "", e = ""] = current().first;
    const { pgp } = await forHolders(5, { secretShares: 5, secretThreshold: 3 });
    expect(await stack.stops({ ...pgp, currentShares: [] })).toBe("rekey/shares-missing");
    await submit(a, b);
    expect(await stack.stops({ ...pgp, currentShares: [c] })).toBe("rekey/new-shares-missing");
    await current().sealAndUnseal([a, b, c]);
    expect(await stack.stops({ ...pgp, currentShares: [] })).toBe("rekey/outcome-unknown");
    expect(await stack.stops({ ...pgp, newShares: [a, b, d], currentShares: [c, a, e] })).toBe("rekey/not-committed");
    expect(stack.submission.outcome).toBe("dead");
  });

  test.each([true, false])("a claim drops no copy of the previous shares, which may be the valid ones (new backup: %s)", async (backup) => {
    const { pgp, newShares } = await madeFor(5, { secretShares: 5, backup: true });
    await stack.up({ ...pgp, newShares });
    const previous = stack.outputs.encryptedShares[4]?.share as string;
    const again = { ...pgp, backup, triggers: ["2"], currentShares: newShares.slice(0, 2) };
    expect(await stack.stops(again)).toBe("rekey/new-shares-missing");
    await current().sealAndUnseal(newShares.slice(0, 2));
    expect(await stack.stops({ ...again, currentShares: [] })).toBe("rekey/outcome-unknown");
    // Holders bring previous shares as new ones.
    await stack.up({ ...again, currentShares: [], newShares: newShares.slice(2, 4) });
    expect(stack.outputs.complete).toBe(true);
    expect(await backupStatus()).toBe(200);
    await expect(stack.destroy()).rejects.toMatchObject({ details: { rule: "rekey/only-copy" } });
    expect(JSON.stringify(stack.commit.state)).toContain(previous);
  });
});
