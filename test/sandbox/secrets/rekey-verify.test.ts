import { accepts, begin, damaged, give, hexOf, idle, onEachService, refused, uuid } from "./rekey-service";

onEachService("the verification of new shares", (current, { to, status, update, verify }) => {
  test("a completed verification makes the new set live with its threshold", async () => {
    const { shares, real } = current();
    const nonce = await begin(current(), { require_verification: true });
    expect(await to("GET", "rekey/verify")).toMatchObject({ status: 200, json: { nonce: "", t: 2, n: 3, progress: 0 } });
    expect(await verify(shares[0], nonce)).toMatchObject(refused(400, /^no rekey verification in progress$/));
    const { json } = await give(current(), nonce, shares.slice(0, 3));
    expect(json).toMatchObject({ complete: true, verification_required: true, verification_nonce: expect.stringMatching(uuid) });
    const { verification_nonce: proof, keys_base64: candidate } = json;
    expect(proof).not.toBe(nonce);

    const verifying = { ...idle(current(), 3), started: true, nonce, t: 2, n: 3, verification_required: true };
    expect(await status()).toEqual(real ? { ...verifying, verification_nonce: proof } : verifying);
    const progress = (count: number) => ({ nonce: proof, t: 2, n: 3, progress: count, ...(real && { started: true }) });
    expect((await to("GET", "rekey/verify")).json).toEqual(progress(0));
    for (const any of [nonce, proof])
      expect(await update(shares[0], any)).toMatchObject(refused(400, `^rekey operation already finished; .* is "${proof}"$`));
    expect(await to("PUT", "rekey/init", { secret_shares: 1, secret_threshold: 1 })).toMatchObject(
      refused(400, /^rekey already in progress$/),
    );

    expect(await verify(candidate[2], proof)).toMatchObject({ status: 200, json: progress(1) });
    expect(await verify(hexOf(candidate[2]), proof)).toMatchObject(refused(400, /^given key has already been provided during this verify/));
    expect(await verify(candidate[0], nonce)).toMatchObject(
      refused(400, `^incorrect nonce supplied; nonce for this verify operation is "${proof}"$`),
    );
    expect(await verify("", proof)).toMatchObject(refused(400, /^'key' must be specified/));
    expect(await verify("abcd", proof)).toMatchObject(refused(400, /^key is shorter/));
    expect(await verify("!", proof)).toMatchObject(refused(400, /^'key' must be a valid hex/));
    expect((await to("GET", "rekey/verify")).json).toEqual(progress(1));
    const last = await verify(candidate[0], proof);
    expect(last).toMatchObject({ status: 200 });
    expect(last.json).toEqual({ nonce: proof, complete: true });
    expect(await status()).toEqual(idle(current(), 2));
    expect(await accepts(current(), candidate.slice(0, 2))).toBe(true);
    expect(await accepts(current(), shares.slice(0, 2))).toBe(false);
  });

  test("a failed verification discards its progress and changes only its nonce", async () => {
    const nonce = await begin(current(), { require_verification: true });
    let { verification_nonce: proof, keys_base64: candidate } = (await give(current(), nonce, current().shares.slice(0, 3))).json;
    // Two shares may have the same point by chance, which is a different error.
    const pointOf = (share: string) => Buffer.from(share, "base64").at(-1);
    const another = current().shares.find((share) => pointOf(share) !== pointOf(candidate[0]));
    for (const [wrong, code, reason] of [
      [another, 400, /^rekey verification failed; incorrect key shares supplied$/],
      [Buffer.alloc(20, 1).toString("base64"), 500, /^failed to compute key for verification: all parts must be the same length$/],
      [damaged(candidate[0]), 500, /^failed to compute key for verification: duplicate part detected$/],
    ] as const) {
      expect((await verify(candidate[0], proof)).json.progress).toBe(1);
      expect(await verify(wrong, proof)).toMatchObject(refused(code, reason));
      const after = (await to("GET", "rekey/verify")).json;
      expect(after).toMatchObject({ progress: 0, nonce: expect.stringMatching(uuid) });
      expect(after.nonce).not.toBe(proof);
      expect(await status()).toMatchObject({ started: true, nonce });
      proof = after.nonce;
    }
    await verify(candidate[1], proof);
    expect((await verify(candidate[0], proof)).json).toEqual({ nonce: proof, complete: true });
  });

  test("a verification restarts under a new nonce", async () => {
    const nonce = await begin(current(), { require_verification: true });
    const { verification_nonce: proof, keys_base64: candidate } = (await give(current(), nonce, current().shares.slice(0, 3))).json;
    await verify(candidate[0], proof);
    const anew = await to("DELETE", "rekey/verify");
    expect(anew).toMatchObject({ status: 200, json: { progress: 0, t: 2, n: 3, nonce: expect.stringMatching(uuid) } });
    expect(anew.json.nonce).not.toBe(proof);
    expect(await verify(candidate[1], proof)).toMatchObject(refused(400, /^incorrect nonce/));
    await verify(candidate[0], anew.json.nonce);
    expect((await verify(candidate[1], anew.json.nonce)).json.complete).toBe(true);
  });

  test("a restart before the verification keeps the submitted shares", async () => {
    const nonce = await begin(current(), { require_verification: true });
    await update(current().shares[0], nonce);
    const { status: code, json } = await to("DELETE", "rekey/verify");
    // Vault returns a nonce that is not usable, and shows it in the status.
    expect([code, json]).toEqual([
      200,
      { nonce: current().real ? expect.stringMatching(uuid) : "", t: 2, n: 3, progress: 0, ...(current().real && { started: false }) },
    ]);
    expect(await status()).toMatchObject({ nonce, progress: 1, ...(current().real && { verification_nonce: json.nonce }) });
    expect(await verify(current().shares[0], json.nonce)).toMatchObject(refused(400, /^no rekey verification in progress$/));
  });
});
