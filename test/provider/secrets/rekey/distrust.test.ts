import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { formsIn } from "../../../support/canaries";
import { Holder, rotate } from "../../../support/pgp";
import { refusal } from "../../../support/refusal";
import { onEachRekeyTarget, spoiled } from "../../../support/rekey";
import { lines, stack, tools } from "./story";

const { createMessage, encrypt } = require("openpgp") as typeof OpenPGP;

onEachRekeyTarget("a rekey verifies the server's statements", (current) => {
  const { inputs, stackOn, requests, forHolders, madeFor, verify, backupStatus, interrupt } = tools(current);

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

  test("the backup of another rekey does not count as a copy of the valid shares and is not removed", async () => {
    const { pgp, newShares } = await madeFor(3, { backup: true });
    await stack.up({ ...pgp, newShares });
    const other = stackOn(current());
    const theirs = { ...pgp, currentShares: newShares, replaceBackup: true };
    await other.stops(theirs);
    expect(await other.stops(theirs)).toBe("rekey/new-shares-missing");
    await expect(stack.destroy()).rejects.toThrow(refusal("ERR_INCOMPLETE", { rule: "rekey/only-copy" }));
    await stack.up({ ...pgp, newShares, removeBackup: true });
    expect(await backupStatus()).toBe(200);
  });

  test("a new share of another client stops the verification of shares in the state, and the next run restarts it", async () => {
    const theirs = (): Promise<void> => verify(spoiled(stack.candidate.shares[2]));
    interrupt("PUT", "verify", { when: "after", act: theirs, answer: (body) => body }, 1);
    expect(await stack.stops(inputs({ secretThreshold: 3 }))).toBe("rekey/verification-disturbed");
    await stack.up(inputs({ secretThreshold: 3 }));
    expect(stack.outputs.complete).toBe(true);
  });

  test("a verification that another client restarts is not called a rejection of the new shares", async () => {
    const restart = async (): Promise<void> => void (await current().outOfBand("DELETE", "sys/rekey/verify"));
    // The last look before the share. The status of the API document does not show a verification.
    const nth = current().dialect === "standard" ? 4 : 2;
    interrupt("GET", "verify", { when: "after", act: restart, answer: (body) => body }, nth);
    expect(await stack.stops(inputs())).toBe("rekey/verification-disturbed");
    await stack.up(inputs());
    expect(stack.outputs.complete).toBe(true);
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

  test("an error redacts new shares in an encoding that the program does not use", async () => {
    const { pgp, newShares } = await madeFor(3);
    const wrong = [newShares[0] ?? "", "07".repeat(33)];
    const forms = wrong.map((share) => Buffer.from(share, "hex").toString("base64"));
    interrupt("PUT", "verify", { when: "after", answer: () => JSON.stringify({ errors: forms }) }, 2);
    const { message } = await stack.fails({ ...pgp, newShares: wrong });
    expect(message).toContain("([secret]");
    expect(formsIn(message, forms)).toEqual([]);
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
