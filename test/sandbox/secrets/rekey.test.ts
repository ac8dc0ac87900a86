import { combine } from "shamir-secret-sharing";
import { call } from "../../support/call";
import { rekeyTargets } from "../../support/rekey";
import { accepts, begin, cancel, damaged, give, hexOf, idle, onEachService, plain, refused, startStored, uuid } from "./rekey-service";

onEachService("the rekey", (current, { to, status, update, verify }) => {
  test("the status responds without an attempt, and submit, verify and restart fail", async () => {
    expect(await to("GET", "rekey/init")).toMatchObject({ status: 200, json: idle(current(), 3) });
    expect(await status()).toEqual(idle(current(), 3));
    const [share] = current().shares;
    expect(await update(share, "x")).toMatchObject(refused(400, current().errors.notStarted));
    expect(await verify(share, "x")).toMatchObject(refused(400, /^no rekey in progress$/));
    for (const method of ["GET", "DELETE"])
      expect(await to(method, "rekey/verify")).toMatchObject(refused(400, /^no rekey configuration found$/));
    expect(await cancel(current(), "x")).toBe(204);
  });

  test.each([
    [400, /^provided threshold greater than the total shares$/, { secret_shares: 2, secret_threshold: 3 }],
    [400, /^provided threshold greater/, { secret_threshold: 2 }],
    [500, "threshold must be at least one$", { secret_shares: 3 }],
    [500, "shares must be at least one$", {}],
    [500, "shares must be less than 256$", { secret_shares: 256, secret_threshold: 2 }],
    [400, /^cannot request a backup .* without providing PGP keys/, { secret_shares: 3, secret_threshold: 2, backup: true }],
    [400, /^incorrect number of PGP keys for rekey$/, { secret_shares: 3, secret_threshold: 2, pgp_keys: ["", ""] }],
    [500, /error decoding given PGP key/, { secret_shares: 1, secret_threshold: 1, pgp_keys: ["no key"] }],
    [500, /error parsing given PGP key/, { secret_shares: 1, secret_threshold: 1, pgp_keys: ["bm8ga2V5"] }],
    [400, /cannot unmarshal string into .*secret_shares of type int$/, { secret_shares: "3", secret_threshold: 2 }],
    [400, /cannot unmarshal number 2\.5 into .*secret_threshold of type int$/, { secret_shares: 3, secret_threshold: 2.5 }],
    [400, /cannot unmarshal string into .*backup of type bool$/, { secret_shares: 3, secret_threshold: 2, backup: "true" }],
    [400, /cannot unmarshal string into .*pgp_keys of type \[\]string$/, { secret_shares: 3, secret_threshold: 2, pgp_keys: "a" }],
    [400, /cannot unmarshal number into .*pgp_keys of type string$/, { secret_shares: 1, secret_threshold: 1, pgp_keys: [1] }],
    [400, /^EOF$/, undefined],
  ])("a start is rejected: %i %s", async (code, reason, body) => {
    const whole = typeof reason === "string" ? current().errors.invalid + reason : reason;
    expect(await to("PUT", "rekey/init", body)).toMatchObject(refused(code, whole));
    expect(await status()).toEqual(idle(current(), 3));
  });

  test("only one attempt exists at a time, and a new one has a new nonce", async () => {
    const answer = await to("PUT", "rekey/init", { secret_shares: 7, secret_threshold: 4, pgp_keys: null, unknown: true });
    const started = { ...idle(current(), 3), nonce: expect.stringMatching(uuid), started: true, t: 4, n: 7 };
    expect(answer).toMatchObject({ status: 200, json: current().real ? started : {} });
    const { nonce } = await status();
    expect(await status()).toEqual(started);
    expect(await to("PUT", "rekey/init", { secret_shares: 3, secret_threshold: 2 })).toMatchObject(
      refused(400, /^rekey already in progress$/),
    );
    expect(await status()).toEqual({ ...started, nonce });
    expect(await cancel(current(), nonce)).toBe(204);
    expect(await begin(current())).not.toBe(nonce);
  });

  test("shares are submitted one by one in base64 or hex, and the last one makes the new set live", async () => {
    const { shares } = current();
    const nonce = await begin(current(), { secret_shares: 4, secret_threshold: 3 });
    expect(await update(shares[4], nonce)).toMatchObject({
      status: 200,
      json: { nonce, started: true, progress: 1, t: 3, n: 4, required: 3 },
    });
    expect((await update(hexOf(shares[1]!).toUpperCase(), nonce)).json.progress).toBe(2);
    const { status: code, json } = await update(shares[2], nonce);
    expect(code).toBe(200);
    const base64 = json.keys.map((key: string) => Buffer.from(key, "hex").toString("base64"));
    const result = {
      complete: true,
      nonce,
      backup: false,
      verification_required: false,
      keys: json.keys,
      keys_base64: base64,
      ...plain(current()),
    };
    expect(json).toEqual(result);
    expect(base64).toHaveLength(4);
    for (const key of json.keys) expect(key).toMatch(/^[0-9a-f]{66}$/);
    expect(await status()).toEqual(idle(current(), 3));
    expect(await accepts(current(), base64.slice(1))).toBe(true);
    expect(await accepts(current(), shares.slice(0, 3))).toBe(false);
    const secret = (some: string[]) => combine(some.map((share) => new Uint8Array(Buffer.from(share, "base64"))));
    expect(await secret(base64.slice(1))).toEqual(await secret(base64.slice(0, 3)));
    expect(await secret(base64)).not.toEqual(await secret(shares));
  });

  test("an invalid share is rejected without losing progress", async () => {
    const { shares } = current();
    const nonce = await begin(current());
    await update(shares[0], nonce);
    for (const key of [shares[0], hexOf(shares[0]!)])
      expect(await update(key, nonce)).toMatchObject(refused(400, current().errors.repeated));
    for (const wrong of [undefined, "", shares[0]])
      expect(await update(shares[1], wrong)).toMatchObject(
        refused(400, `^incorrect nonce supplied; nonce for this rekey operation is "${nonce}"$`),
      );
    for (const none of [undefined, "", null])
      expect(await update(none, nonce)).toMatchObject(refused(400, /^'key' must be specified in request body as JSON$/));
    for (const text of ["not a share!", `${shares[1]}=`, "abc", "ab".repeat(35)])
      expect(await update(text, nonce)).toMatchObject(refused(400, /^'key' must be a valid hex or base64 string$/));
    for (const short of ["abcd", Buffer.alloc(15).toString("base64")])
      expect(await update(short, nonce)).toMatchObject(refused(400, /^key is shorter than minimum 16 bytes$/));
    for (const long of ["ab".repeat(34), Buffer.alloc(34).toString("base64")])
      expect(await update(long, nonce)).toMatchObject(refused(400, /^key is longer than maximum 33 bytes$/));
    expect(await update(5, nonce)).toMatchObject(refused(400, /cannot unmarshal number/));
    expect(await to("PUT", "rekey/update")).toMatchObject(refused(400, /^EOF$/));
    expect(await status()).toMatchObject({ nonce, progress: 1 });
    // It is too short for a share in hex, but is one in base64. Names are case-insensitive.
    const key = "abcdef".repeat(4);
    expect((await to("PUT", "rekey/update", { KEY: key, Nonce: nonce })).json.progress).toBe(2);
  });

  test.each([
    ["a wrong share", (shares: string[]) => damaged(shares[2]!), undefined],
    ["a share of another length", () => Buffer.alloc(20, 1).toString("base64"), "all parts must be the same length$"],
    ["two shares with the same index", (shares: string[]) => damaged(shares[0]!), "duplicate part detected$"],
  ])("%s fails at the threshold, which discards the progress and keeps the attempt and its nonce", async (_, third, reason) => {
    const { shares } = current();
    const nonce = await begin(current());
    expect((await give(current(), nonce, shares.slice(0, 2))).json.progress).toBe(2);
    const { wrong, notCombined } = current().errors;
    expect(await update(third(shares), nonce)).toMatchObject(reason ? refused(500, notCombined + reason) : wrong);
    expect(await status()).toMatchObject({ started: true, nonce, progress: 0 });
    // Only the last valid share was submitted again, so one share counts.
    expect((await update(shares[2], nonce)).json).toMatchObject({ progress: 1 });
    expect((await give(current(), nonce, shares.slice(0, 2))).json.complete).toBe(true);
  });

  test("a cancel in any state keeps the current shares live", async () => {
    const { shares } = current();
    for (const given of [0, 1, 3]) {
      const nonce = await begin(current(), { require_verification: true });
      if (given > 0) await give(current(), nonce, shares.slice(0, given));
      expect(await cancel(current(), nonce)).toBe(204);
      expect(await status()).toEqual(idle(current(), 3));
    }
    expect(await accepts(current(), shares.slice(2))).toBe(true);
  });

  test("the hashicorp dialect cancels a recent attempt only with its nonce", async () => {
    const nonce = await begin(current(), { require_verification: true });
    const { verification_nonce: proof } = (await give(current(), nonce, current().shares.slice(0, 3))).json;
    const stop = (body?: unknown) => to("DELETE", "rekey/init", body);
    if (current().real) {
      expect(await stop()).toMatchObject(refused(400, /^EOF$/));
      for (const body of [{}, { nonce: proof }, { nonce: "" }, "null"])
        expect(await stop(body)).toMatchObject(refused(400, /^invalid request$/));
      for (const [code, body] of [
        [400, "[]"],
        [400, { nonce: 1 }],
        [500, "{"],
      ] as const)
        expect((await stop(body)).status).toBe(code);
      expect((await status()).started).toBe(true);
      expect(await stop({ nonce })).toMatchObject({ status: 204, text: "" });
      expect(await stop()).toMatchObject(refused(400, /^EOF$/));
      for (const body of [{}, { nonce }]) expect((await stop(body)).status).toBe(204);
    } else for (const _ of [1, 2]) expect(await stop()).toMatchObject({ status: 204, text: "" });
    expect(await status()).toEqual(idle(current(), 3));
  });

  test("a single share is the root key, and a rekey to the same numbers makes another key", async () => {
    let nonce = await begin(current(), { secret_shares: 1, secret_threshold: 1 });
    const one = (await give(current(), nonce, current().shares.slice(0, 3))).json.keys_base64;
    expect(one.map((share: string) => Buffer.from(share, "base64").length)).toEqual([32]);
    nonce = await begin(current(), { secret_shares: 1, secret_threshold: 1, require_verification: true });
    expect(await update(damaged(one[0]), nonce)).toMatchObject(current().errors.wrong);
    expect(await update(Buffer.alloc(20).toString("base64"), nonce)).toMatchObject(current().errors.wrongLength);
    const { verification_nonce: proof, keys: other } = (await update(one[0], nonce)).json;
    expect(other[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(other[0]).not.toBe(hexOf(one[0]));
    expect(await verify(one[0], proof)).toMatchObject(refused(400, /^rekey verification failed/));
    expect((await verify(other[0], (await to("GET", "rekey/verify")).json.nonce)).json.complete).toBe(true);
    expect(await status()).toEqual(idle(current(), 1));
    expect(await accepts(current(), [other[0]])).toBe(true);
    expect(await accepts(current(), one)).toBe(false);
  });

  test("the hashicorp dialect requires a token only for the backup, and the standard one everywhere", async () => {
    const nonce = await begin(current());
    const body = { key: current().shares[0], nonce, secret_shares: 3, secret_threshold: 2 };
    for (const token of ["", "wrong"]) {
      for (const [method, path, code] of [
        ["GET", "init", 200],
        ["PUT", "init", 400],
        ["PUT", "update", token ? 400 : 200],
        ["GET", "verify", 200],
        ["PUT", "verify", 400],
        ["DELETE", "verify", 200],
      ] as const)
        expect([path, (await to(method, `rekey/${path}`, method === "PUT" ? body : undefined, token)).status]).toEqual([
          path,
          current().real ? code : 403,
        ]);
      for (const method of ["GET", "DELETE"]) expect((await to(method, "rekey/backup", undefined, token)).status).toBe(403);
    }
    expect((await status()).progress).toBe(current().real ? 1 : 0);
    expect((await to("DELETE", "rekey/init", { nonce }, "")).status).toBe(current().real ? 204 : 403);
  });

  test("other methods are rejected", async () => {
    const nonce = await begin(current(), { require_verification: true });
    const [first, ...others] = current().shares;
    expect((await to("POST", "rekey/update", { key: first, nonce })).status).toBe(current().real ? 200 : 405);
    if (current().real) {
      await give(current(), nonce, others.slice(0, 2));
      expect((await to("POST", "rekey/verify", { key: first, nonce })).status).toBe(400);
      for (const path of ["init", "verify"])
        expect(await to("OPTIONS", `rekey/${path}`)).toMatchObject({ status: 405, json: { errors: [] } });
      // Any method on this path is an update.
      for (const method of ["GET", "DELETE"]) expect(await to(method, "rekey/update")).toMatchObject(refused(400, /^EOF$/));
      expect((await to("GET", "rekey/init?list=true")).json.nonce).toBe(nonce);
      await cancel(current(), nonce);
      expect((await to("POST", "rekey/init", { secret_shares: 3, secret_threshold: 2 })).json).toMatchObject({ started: true });
    } else
      for (const [method, path] of [
        ["POST", "init"],
        ["POST", "verify"],
        ["GET", "update"],
        ["DELETE", "update"],
      ] as const)
        expect((await to(method, `rekey/${path}`, method === "POST" ? {} : undefined)).status).toBe(405);
    expect((await to("PUT", "rekey/backup", {})).status).toBe(405);
    expect((await to("GET", "rekey/nothing")).status).toBe(404);
  });
});

test("a rekey of the recovery keys and one of the unseal key are independent, and need the same recovery keys", async () => {
  const service = await startStored("hashicorp");
  const to = (method: string, path: string, body?: object) => call(service, method, `/v1/sys/${path}`, body);
  try {
    const parameters = { secret_shares: 3, secret_threshold: 2 };
    expect(await to("PUT", "rekey-recovery-key/init", { ...parameters, stored_shares: 1 })).toMatchObject(
      refused(400, /^stored shares not supported by recovery key$/),
    );
    const { nonce: unseal } = (await to("PUT", "rekey/init", { ...parameters, stored_shares: 1 })).json;
    const { nonce: recovery } = (await to("PUT", "rekey-recovery-key/init", { ...parameters, require_verification: true })).json;
    const [first, second, third] = service.shares;
    await to("PUT", "rekey/update", { key: first, nonce: unseal });
    for (const key of [second, third]) await to("PUT", "rekey-recovery-key/update", { key, nonce: recovery });
    expect((await to("GET", "rekey/init")).json).toMatchObject({ nonce: unseal, t: 1, n: 1, progress: 1, required: 3 });
    expect((await to("GET", "rekey-recovery-key/init")).json).toMatchObject({ nonce: recovery, t: 2, n: 3, progress: 2, required: 3 });
    const { keys, verification_nonce: nonce } = (await to("PUT", "rekey-recovery-key/update", { key: first, nonce: recovery })).json;
    for (const key of keys.slice(1)) await to("PUT", "rekey-recovery-key/verify", { key, nonce });
    expect((await to("GET", "seal-status")).json).toMatchObject({ t: 2, n: 3 });
    expect((await to("GET", "rekey/init")).json).toMatchObject({ nonce: unseal, progress: 1, required: 2 });
    expect((await to("DELETE", "rekey/init", { nonce: unseal })).status).toBe(204);
  } finally {
    await service.stop();
  }
});

test("a Shamir seal has no recovery keys", async () => {
  const { gateway, token, first, stop } = await rekeyTargets.find(({ dialect }) => dialect === "hashicorp")!.start();
  const to = (method: string, path: string, body?: object) => call({ url: gateway.url, token }, method, `/v1/sys/${path}`, body);
  try {
    for (const path of ["init", "verify"])
      for (const [method, body] of [["GET"], ["PUT"], ["PUT", { secret_shares: 3 }], ["DELETE"], ["OPTIONS"]] as const)
        expect(await to(method, `rekey-recovery-key/${path}`, body)).toMatchObject(refused(400, /^recovery rekeying not supported$/));
    expect(await to("PUT", "rekey-recovery-key/update")).toMatchObject(refused(400, /^EOF$/));
    expect(await to("PUT", "rekey-recovery-key/update", { key: first[0], nonce: "x" })).toMatchObject(
      refused(500, /^failed to fetch existing recovery config: recovery not supported$/),
    );
    expect(await to("GET", "rekey/recovery-key-backup")).toMatchObject(refused(400, /^no backed-up keys found$/));
    expect((await to("DELETE", "rekey/recovery-key-backup")).status).toBe(204);
  } finally {
    await stop();
  }
});
