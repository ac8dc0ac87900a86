import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { inspectKeys } from "../../../../provider/secrets/rekey/crypto";
import { formsIn } from "../../../support/canaries";
import { Holder, holders, readAll, rotate } from "../../../support/pgp";
import { refusal } from "../../../support/refusal";
import { onEachRekeyTarget } from "../../../support/rekey";
import { lines, stack, tools } from "./story";

const { createMessage, encrypt } = require("openpgp") as typeof OpenPGP;

onEachRekeyTarget("a rekey verifies the server's statements", (current) => {
  const { inputs, stackOn, status, requests, forHolders, madeFor, interrupt } = tools(current);

  test("no share is submitted for keys of other holders, and their new shares are not kept", async () => {
    const { all, pgp } = await forHolders(3);
    await stack.up(pgp, "attempt");
    const theirs = (body: string): string =>
      JSON.stringify({ ...JSON.parse(body), pgp_fingerprints: [...all.slice(0, 2).map(({ fingerprint }) => fingerprint), "0".repeat(40)] });
    interrupt("GET", "init", { when: "after", answer: theirs });
    const sent = await requests(async () => expect(await stack.stops(pgp)).toBe("rekey/tampered-attempt"));
    expect(sent.filter((request) => request.startsWith("PUT"))).toEqual([]);
    interrupt("PUT", "update", { when: "after", answer: theirs }, 3);
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-incomplete");
  });

  /** Three holders of whom the first has rotated the subkey, and an attempt with the old public key, as any other client can start one. */
  const withOldKey = async (
    old: "dropped" | "revoked",
    more: object = {},
  ): Promise<{ all: Holder[]; pgpKeys: string[]; nonce: string }> => {
    const before = await holders(3);
    const all = [await rotate(before[0] as Holder, old), ...before.slice(1)];
    const pgp_keys = (await inspectKeys(before.map(({ publicKey }) => publicKey))).map(({ binary }) => binary);
    const like = { secret_shares: 3, secret_threshold: 2, pgp_keys, require_verification: true, ...more };
    await current().outOfBand("PUT", "sys/rekey/init", like);
    return { all, pgpKeys: all.map(({ publicKey }) => publicKey), nonce: String((await status()).nonce) };
  };

  test.each(["dropped", "revoked"] as const)("new shares for an old subkey, which the new key has %s, are no candidate", async (old) => {
    const { all, pgpKeys, nonce } = await withOldKey(old);
    const { details } = await stack.fails(inputs({ pgpKeys }));
    expect(details).toMatchObject({
      rule: "rekey/new-shares-other-subkey",
      reason: expect.stringContaining(all[0]?.fingerprint as string),
    });
    expect(stack.submission.candidate).toBeUndefined();
    expect(await status()).toMatchObject({ started: true, nonce: expect.not.stringContaining(nonce), progress: 0 });
    expect(await stack.stops(inputs({ pgpKeys }))).toBe("rekey/new-shares-missing");
    await stack.up(inputs({ pgpKeys, newShares: await readAll(all, stack.candidate.encrypted) }));
    expect(stack.outputs.complete).toBe(true);
  });

  test("new shares for an old subkey are not taken from a backup", async () => {
    const { all, pgpKeys } = await withOldKey("revoked", { backup: true });
    const pgp = inputs({ pgpKeys, backup: true });
    interrupt("PUT", "update", { when: "after" }, 3);
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-other-subkey");
    expect(await stack.stops(pgp)).toBe("rekey/new-shares-missing");
    await stack.up({ ...pgp, newShares: await readAll(all, stack.candidate.encrypted) });
  });

  test("without verification no share is submitted to an attempt whose subkeys are unknown", async () => {
    const { all, pgpKeys, nonce } = await withOldKey("dropped", { backup: true, require_verification: false });
    const bold = inputs({ pgpKeys, backup: true, requireVerification: false });
    expect(await stack.stops(bold)).toBe("rekey/foreign-attempt");
    expect(await status()).toMatchObject({ nonce, progress: 0 });
    // Nor to one that appears in place of an attempt that the rekey started, or after a lost response to its start.
    await current().outOfBand("DELETE", "sys/rekey/init", { nonce });
    interrupt("PUT", "init", { when: "after" });
    expect(await stack.stops(bold)).toBe("rekey/foreign-attempt");
    current().gateway.interrupt = undefined;
    await stack.up({ ...bold, onConflict: "cancel" });
    expect(stack.outputs.complete).toBe(true);
    expect(await current().opens((await readAll(all, stack.outputs.encryptedShares)).slice(0, 2))).toBe(true);
  });

  test("without verification new shares for another subkey are kept, and a warning names it", async () => {
    const { all, pgp } = await forHolders(3, { backup: true, requireVerification: false });
    const old = await rotate(all[0] as Holder, "dropped");
    const message = await encrypt({
      message: await createMessage({ text: "00" }),
      encryptionKeys: old.privateKey.toPublic(),
      format: "binary",
    });
    const share = Buffer.from(message as Uint8Array).toString("hex");
    const theirs = (body: string): string => {
      const answer = JSON.parse(body) as { keys: string[] };
      return JSON.stringify({ ...answer, keys: [share, ...answer.keys.slice(1)] });
    };
    interrupt("PUT", "update", { when: "after", answer: theirs }, 3);
    await stack.up(pgp);
    expect(lines()).toMatch(
      new RegExp(`^warning: rekey: .* ${old.fingerprint} .* ${old.privateKey.subkeys[0]?.getKeyID().toHex()}, `, "m"),
    );
    expect(stack.outputs).toMatchObject({ complete: true, encryptedShares: [{ share }, {}, {}] });
  });

  test("the backup of another rekey does not count as a copy of the live shares and is not removed", async () => {
    const { pgp, newShares } = await madeFor(3, { backup: true });
    await stack.up({ ...pgp, newShares });
    const other = stackOn(current());
    const theirs = { ...pgp, currentShares: newShares, replaceBackup: true };
    await other.stops(theirs);
    expect(await other.stops(theirs)).toBe("rekey/new-shares-missing");
    await expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
    await stack.up({ ...pgp, newShares, removeBackup: true });
    expect((await current().outOfBand("GET", "sys/rekey/backup")).status).toBe(200);
  });

  test("an error redacts shares from references in every encoding", async () => {
    const shares = [7, 8, 9].map((byte) => Buffer.alloc(33, byte));
    for (const [index, share] of shares.entries()) process.env[`STEWARD_SHARE_${index}`] = share.toString("base64");
    const forms = shares.flatMap((share) => [share.toString("base64"), share.toString("hex")]);
    interrupt("PUT", "update", { when: "after", answer: () => JSON.stringify({ errors: forms }) }, 3);
    const { message } = await stack.fails(inputs({ currentShares: shares.map((_, index) => ({ env: `STEWARD_SHARE_${index}` })) }));
    expect(message).toContain("[secret]");
    expect(formsIn(message, forms)).toEqual([]);
    for (const index of shares.keys()) delete process.env[`STEWARD_SHARE_${index}`];
  });

  test("plaintext shares of a server that ignores the keys are neither printed nor kept", async () => {
    const { pgp } = await forHolders(3);
    const plain = [1, 2, 3].map((byte) => Buffer.alloc(33, byte).toString("hex"));
    interrupt(
      "PUT",
      "update",
      { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), keys: plain, keys_base64: null }) },
      3,
    );
    const stop = await stack.stops(pgp);
    expect(stop).toBe("rekey/new-shares-incomplete");
    expect(lines()).not.toContain(plain[0]);
    expect(JSON.stringify(stack.shares.state)).not.toContain(plain[0]);
  });
});
