import { firstKeysTargets } from "../../support/rekey";
import { anyNonce, damaged, hexOf, onEachService, refused, Service, services, unsupported } from "./rekey-service";

const threeOfTwo = { secret_shares: 3, secret_threshold: 2 };
const keysAndShares = "provided PGP keys and number of shares";
const length20 = Buffer.alloc(20, 1).toString("base64");

onEachService("the rekey", services, (service) => {
  const { to, status, update, verify, cancel, errors, isStandard, isVault, isOpenBao } = service;

  test("without an attempt only the status and a cancel succeed", async () => {
    expect(await to("GET", "rekey/init")).toMatchObject({ status: 200, json: service.idle(3) });
    expect(await status()).toEqual(service.idle(3));
    expect(await update(service.shares[0], "x")).toMatchObject(errors.notStarted);
    expect(await verify(service.shares[0], "x")).toMatchObject(errors.notRunning);
    for (const method of ["GET", "DELETE"]) expect(await to(method, "rekey/verify")).toMatchObject(errors.noConfiguration);
    expect(await cancel("x")).toMatchObject({ status: 204, text: "" });
  });

  // A string is the reason of an invalid configuration. OpenBao has no other errors, and accepts a body of other types.
  test.each(
    [
      [{ secret_shares: 3 }, "threshold must be at least one"],
      [{}, "shares must be at least one"],
      [{ secret_shares: 256, secret_threshold: 2 }, "shares must be less than 256"],
      ...(isStandard
        ? []
        : [[{ secret_shares: 5, secret_threshold: 1 }, "threshold must be greater than one for multiple shares"] as const]),
      [{ secret_shares: 2, secret_threshold: 3 }, /^provided threshold greater than the/, "threshold cannot be larger than shares"],
      [{ secret_threshold: 2 }, /^provided threshold greater/, "shares must be at least one"],
      [
        { ...threeOfTwo, pgp_keys: ["", ""] },
        /^incorrect number of PGP keys for rekey$/,
        `count mismatch between number of ${keysAndShares}`,
      ],
      [{ ...threeOfTwo, backup: true }, /^cannot request a backup .* without providing PGP keys/],
      [{ secret_shares: 1, secret_threshold: 1, pgp_keys: ["no key"] }, refused(500, /error decoding given PGP key/)],
      [{ secret_shares: 1, secret_threshold: 1, pgp_keys: ["bm8ga2V5"] }, refused(500, /error parsing given PGP key/)],
      [{ ...threeOfTwo, secret_shares: "3" }, /cannot unmarshal string into .*secret_shares of type int$/],
      [{ ...threeOfTwo, secret_threshold: 2.5 }, /cannot unmarshal number 2\.5 into .*secret_threshold of type int$/],
      [{ ...threeOfTwo, backup: "true" }, /cannot unmarshal string into .*backup of type bool$/],
      [{ ...threeOfTwo, pgp_keys: "a" }, /cannot unmarshal string into .*pgp_keys of type \[\]string$/],
      [{ secret_shares: 1, secret_threshold: 1, pgp_keys: [1] }, /cannot unmarshal number into .*pgp_keys of type string$/],
      [undefined, /^EOF$/],
    ]
      .map(([body, vault, openBao = vault]) => [body, isOpenBao ? openBao : vault] as const)
      .filter(([, reason]) => !isOpenBao || typeof reason === "string"),
  )("a start with %j is rejected", async (body, reason) => {
    const error = typeof reason === "string" ? errors.invalid(reason) : reason instanceof RegExp ? refused(400, reason) : reason;
    expect(await to("PUT", "rekey/init", body)).toMatchObject(error as object);
    expect(await status()).toEqual(service.idle(3));
  });

  test("only one attempt exists at a time, and a new one has a new nonce", async () => {
    const started = service.running({ t: 4, n: 7 });
    const answer = await to("PUT", "rekey/init", { secret_shares: 7, secret_threshold: 4, pgp_keys: null, unknown: true });
    expect([answer.status, answer.json]).toEqual([200, isStandard ? {} : started]);
    const { nonce } = await status();
    for (const body of [threeOfTwo, ...(isOpenBao ? [{}] : [])])
      expect(await to("PUT", "rekey/init", body)).toMatchObject(errors.inProgress);
    expect(await status()).toEqual({ ...started, nonce });
    for (const _ of [1, 2]) expect(await cancel(nonce)).toMatchObject({ status: 204, text: "" });
    expect(await service.begin()).not.toBe(nonce);
  });

  test("an invalid share is rejected without losing progress", async () => {
    const { shares } = service;
    const nonce = await service.begin();
    await update(shares[0], nonce);
    for (const key of [shares[0], hexOf(shares[0]!)]) expect(await update(key, nonce)).toMatchObject(errors.repeated);
    expect(await update(shares[1], shares[0])).toMatchObject(errors.wrongNonce(nonce));
    for (const none of [undefined, ""]) expect(await update(shares[1], none)).toMatchObject(errors.noNonce(nonce));
    for (const none of [undefined, "", null]) expect(await update(none, nonce)).toMatchObject(errors.noKey);
    expect(await status()).toMatchObject({ nonce, progress: 1 });
    // OpenBao checks the length of a share only when it combines shares.
    if (isOpenBao) return;
    for (const text of ["not a share!", `${shares[1]}=`, "abc", "ab".repeat(35)])
      expect(await update(text, nonce)).toMatchObject(refused(400, "'key' must be a valid hex or base64 string"));
    for (const short of ["abcd", Buffer.alloc(15).toString("base64")])
      expect(await update(short, nonce)).toMatchObject(refused(400, "key is shorter than minimum 16 bytes"));
    for (const long of ["ab".repeat(34), Buffer.alloc(34).toString("base64")])
      expect(await update(long, nonce)).toMatchObject(refused(400, "key is longer than maximum 33 bytes"));
    expect(await update(5, nonce)).toMatchObject(refused(400, /cannot unmarshal number/));
    expect(await to("PUT", "rekey/update")).toMatchObject(refused(400, "EOF"));
    expect(await status()).toMatchObject({ nonce, progress: 1 });
    // It is too short for a share in hex, but is one in base64. Names are case-insensitive.
    expect((await to("PUT", "rekey/update", { KEY: "abcdef".repeat(4), Nonce: nonce })).json.progress).toBe(2);
  });

  const wrongShares: [string, (shares: string[]) => string, string | undefined][] = [
    ["a wrong share", (shares) => damaged(shares[2]!), undefined],
    ["a share of another length", () => length20, "all parts must be the same length"],
    ["two shares with the same index", (shares) => damaged(shares[0]!), "duplicate part detected"],
  ];
  if (isOpenBao) wrongShares.push(["a share of three bytes", () => "abcd", "all parts must be the same length"]);

  test.each(wrongShares)(
    "%s fails at the threshold, which discards the progress and keeps the attempt and its nonce",
    async (_, third, reason) => {
      const { shares } = service;
      const nonce = await service.begin();
      expect((await service.give(nonce, shares.slice(0, 2))).json.progress).toBe(2);
      expect(await update(third(shares), nonce)).toMatchObject(reason ? errors.notCombined(reason) : errors.wrong);
      expect(await status()).toMatchObject({ started: true, nonce, progress: 0 });
      // Only the last valid share was submitted again, so one share counts.
      expect((await update(shares[2], nonce)).json).toMatchObject({ progress: 1 });
      expect((await service.give(nonce, shares.slice(0, 2))).json.complete).toBe(true);
    },
  );

  test("Vault requires a token only for the backup, and the other services everywhere", async () => {
    const nonce = await service.begin();
    const body = { key: service.shares[0], nonce, ...threeOfTwo };
    const codes = { "GET init": 200, "PUT init": 400, "PUT update": 200, "GET verify": 200, "PUT verify": 400, "DELETE verify": 200 };
    const all = Object.entries({ ...codes, "GET backup": 403, "DELETE backup": 403 });
    for (const [token, expected] of [
      ["", all],
      // The share has been submitted.
      ["wrong", all.map(([request, code]) => [request, request === "PUT update" ? 400 : code] as const)],
    ] as const)
      for (const [request, code] of expected) {
        const [method = "", path = ""] = request.split(" ");
        const { status } = await to(method, `rekey/${path}`, method === "PUT" ? body : undefined, token);
        expect([request, status]).toEqual([request, isVault ? code : 403]);
      }
    expect((await status()).progress).toBe(isVault ? 1 : 0);
    expect((await to("DELETE", "rekey/init", { nonce }, "")).status).toBe(isVault ? 204 : 403);
  });

  test("a completed verification makes the new set valid with its threshold", async () => {
    const { shares } = service;
    const nonce = await service.begin({ require_verification: true });
    expect(await to("GET", "rekey/verify")).toMatchObject({ status: 200, json: { nonce: "", t: 2, n: 3, progress: 0 } });
    expect(await verify(shares[0], nonce)).toMatchObject(errors.notVerifying);
    const { json } = await service.give(nonce);
    expect(json).toMatchObject({ complete: true, verification_required: true, verification_nonce: anyNonce });
    const { verification_nonce: proof, keys_base64: candidate } = json;
    expect(proof).not.toBe(nonce);

    const withProof = !isStandard && { verification_nonce: proof };
    expect(await status()).toEqual(service.running({ nonce, verification_required: true, ...withProof }));
    const progress = (count: number) => ({ nonce: proof, t: 2, n: 3, progress: count, ...(!isStandard && { started: true }) });
    expect((await to("GET", "rekey/verify")).json).toEqual(progress(0));
    for (const any of [nonce, proof]) expect(await update(shares[0], any)).toMatchObject(errors.finished(proof));
    expect(await to("PUT", "rekey/init", { secret_shares: 1, secret_threshold: 1 })).toMatchObject(errors.inProgress);

    const { status: code, json: one } = await verify(candidate[2], proof);
    expect([code, one]).toEqual([200, progress(1)]);
    expect(await verify(candidate[0], nonce)).toMatchObject(
      refused(400, `incorrect nonce supplied; nonce for this verify operation is "${proof}"`),
    );
    expect(await verify("", proof)).toMatchObject(errors.noKey);
    if (!isOpenBao)
      for (const [key, reason] of [
        [hexOf(candidate[2]), /^given key has already been provided during this verify operation$/],
        ["abcd", /^key is shorter/],
        ["!", /^'key' must be a valid hex/],
      ] as const)
        expect(await verify(key, proof)).toMatchObject(refused(400, reason));
    expect((await to("GET", "rekey/verify")).json).toEqual(progress(1));
    const last = await verify(candidate[0], proof);
    expect([last.status, last.json]).toEqual([200, { nonce: proof, complete: true }]);
    expect(await status()).toEqual(service.idle(2));
    expect(await service.accepts(candidate.slice(0, 2))).toBe(true);
    expect(await service.accepts(shares.slice(0, 2))).toBe(false);
  });

  test("a failed verification discards its progress and changes only its nonce", async () => {
    const nonce = await service.begin({ require_verification: true });
    let { verification_nonce: proof, keys_base64: candidate } = (await service.give(nonce)).json;
    // Two shares may have the same point by chance, which is a different error.
    const pointOf = (share: string) => Buffer.from(share, "base64").at(-1);
    const another = service.shares.find((share) => pointOf(share) !== pointOf(candidate[0]));
    for (const [wrong, error] of [
      [another, errors.notVerified],
      [length20, errors.notCombinedNew("all parts must be the same length")],
      [damaged(candidate[0]), errors.notCombinedNew("duplicate part detected")],
      // OpenBao counts a new share each time.
      ...(isOpenBao ? [[candidate[0], errors.notCombinedNew("duplicate part detected")] as const] : []),
    ] as const) {
      expect((await verify(candidate[0], proof)).json.progress).toBe(1);
      expect(await verify(wrong, proof)).toMatchObject(error);
      const after = (await to("GET", "rekey/verify")).json;
      expect(after).toMatchObject({ progress: 0, nonce: anyNonce });
      expect(after.nonce).not.toBe(proof);
      expect(await status()).toMatchObject({ started: true, nonce });
      proof = after.nonce;
    }
    await verify(candidate[1], proof);
    expect((await verify(candidate[0], proof)).json).toEqual({ nonce: proof, complete: true });
  });

  test("a restart before the verification keeps the submitted shares", async () => {
    const nonce = await service.begin({ require_verification: true });
    await update(service.shares[0], nonce);
    const { status: code, json } = await to("DELETE", "rekey/verify");
    // Vault returns a nonce that is not usable, and shows it in the status.
    const early = isStandard ? { nonce: "" } : { nonce: anyNonce, started: false };
    expect([code, json]).toEqual([200, { t: 2, n: 3, progress: 0, ...early }]);
    expect(await status()).toMatchObject({ nonce, progress: 1, ...(!isStandard && { verification_nonce: json.nonce }) });
    expect(await verify(service.shares[0], json.nonce || "x")).toMatchObject(errors.notVerifying);
  });
});

onEachService(
  "Vault's rekey",
  services.filter(({ isVault }) => isVault),
  (service) => {
    const { to, status } = service;

    test("cancels a recent attempt only with its nonce", async () => {
      const nonce = await service.begin({ require_verification: true });
      const { verification_nonce: proof } = (await service.give(nonce)).json;
      const stop = (body?: unknown) => to("DELETE", "rekey/init", body);
      expect(await stop()).toMatchObject(refused(400, "EOF"));
      for (const body of [{}, { nonce: proof }, { nonce: "" }, "null"])
        expect(await stop(body)).toMatchObject(refused(400, "invalid request"));
      for (const body of ["[]", { nonce: 1 }]) expect((await stop(body)).status).toBe(400);
      expect((await stop("{")).status).toBe(500);
      expect((await status()).started).toBe(true);
      expect(await stop({ nonce })).toMatchObject({ status: 204, text: "" });
      expect(await stop()).toMatchObject(refused(400, "EOF"));
      for (const body of [{}, { nonce }]) expect((await stop(body)).status).toBe(204);
      expect(await status()).toEqual(service.idle(3));
    });

    test("updates with any method", async () => {
      const nonce = await service.begin({ require_verification: true });
      const [first, ...others] = service.shares;
      expect((await to("POST", "rekey/update", { key: first, nonce })).status).toBe(200);
      await service.give(nonce, others.slice(0, 2));
      expect((await to("POST", "rekey/verify", { key: first, nonce })).status).toBe(400);
      for (const path of ["init", "verify"]) expect(await to("OPTIONS", `rekey/${path}`)).toMatchObject(refused(405));
      for (const method of ["GET", "DELETE"]) expect(await to(method, "rekey/update")).toMatchObject(refused(400, "EOF"));
      expect((await to("GET", "rekey/init?list=true")).json.nonce).toBe(nonce);
      await service.cancel(nonce);
      expect((await to("POST", "rekey/init", threeOfTwo)).json).toMatchObject({ started: true });
      expect((await to("PUT", "rekey/backup", {})).status).toBe(405);
      expect((await to("GET", "rekey/nothing")).status).toBe(404);
    });
  },
);

onEachService(
  "recovery keys",
  services.filter(({ keys }) => keys === "recovery"),
  (service) => {
    const { to, other, status, errors, isOpenBao } = service;

    test("are rekeyed independently of the unseal key, and both rekeys need the same ones", async () => {
      const stored = { ...threeOfTwo, stored_shares: 1 };
      // OpenBao ignores this parameter of Vault.
      if (!isOpenBao)
        expect(await to("PUT", "rekey/init", stored)).toMatchObject(refused(400, "stored shares not supported by recovery key"));
      const { nonce: unseal } = (await other("PUT", "rekey/init", stored)).json;
      const recovery = await service.begin({ require_verification: true, ...(isOpenBao && { stored_shares: 1 }) });
      const [first, second, third] = service.shares;
      await other("PUT", "rekey/update", { key: first, nonce: unseal });
      await service.give(recovery, [second!, third!]);
      const statusOfUnseal = async () => (await other("GET", "rekey/init")).json;
      expect(await statusOfUnseal()).toMatchObject({ nonce: unseal, t: 1, n: 1, progress: 1, required: 3 });
      expect(await status()).toMatchObject({ nonce: recovery, t: 2, n: 3, progress: 2, required: 3 });
      const { keys, verification_nonce: nonce } = (await service.give(recovery, [first!])).json;
      for (const key of keys.slice(1)) await service.verify(key, nonce);
      expect((await to("GET", "seal-status")).json).toMatchObject({ t: 2, n: 3, recovery_seal: true });
      expect(await statusOfUnseal()).toMatchObject({ nonce: unseal, progress: 1, required: 2 });
      expect((await other("DELETE", "rekey/init", { nonce: unseal })).status).toBe(204);
    });

    test("of the seal's own key, a rekey has neither PGP keys nor a backup nor a verification", async () => {
      const noPgp = "PGP key encryption not supported when using stored keys";
      const noBackup = isOpenBao ? "key backup not supported when using stored keys" : /^cannot request a backup/;
      for (const [more, error] of [
        [{ require_verification: true }, errors.withRecoveryKeys],
        [{ pgp_keys: ["", "", ""] }, refused(400, noPgp)],
        [{ pgp_keys: ["", "", ""], backup: true, require_verification: true }, refused(400, noPgp)],
        [{ backup: true, require_verification: true }, refused(400, noBackup)],
      ] as const)
        expect(await other("PUT", "rekey/init", { ...threeOfTwo, ...more })).toMatchObject(error);
    });
  },
);

onEachService(
  "recovery keys with a Shamir seal",
  services.filter(({ keys, isStandard }) => keys === "unseal" && !isStandard),
  (service) => {
    test("do not exist", async () => {
      const share = { key: service.shares[0], nonce: "x" };
      const none = "recovery rekeying not supported";
      const unread = "failed to fetch existing";
      // The reason of an error, or the response. OpenBao's is listed if it is another one.
      const requests: [request: string, body: unknown, vault: string | object, openBao?: string | object][] = [
        ["GET rekey/init", undefined, none, `unable to look up config: ${unsupported}`],
        ["PUT rekey/init", {}, none, "recovery keys not supported"],
        ["PUT rekey/init", threeOfTwo, none, "recovery keys not supported"],
        ["DELETE rekey/init", undefined, none, { status: 204 }],
        ["GET rekey/verify", undefined, none, "no rotation configuration found"],
        ["DELETE rekey/verify", undefined, none, "no rotation configuration found"],
        ["PUT rekey/verify", share, none, "no rotation in progress"],
        ["PUT rekey/update", {}, "'key' must be specified in request body as JSON", "missing required field 'key'"],
        ["PUT rekey/update", share, refused(500, `${unread} recovery config: recovery not supported`), `${unread} config: ${unsupported}`],
        ["GET rekey/backup", undefined, "no backed-up keys found"],
        ["DELETE rekey/backup", undefined, { status: 204 }],
      ];
      for (const [request, body, vault, openBao = vault] of requests) {
        const [method = "", path = ""] = request.split(" ");
        const expected = service.isOpenBao ? openBao : vault;
        const response = typeof expected === "string" ? refused(400, expected) : expected;
        expect([request, await service.other(method, path, body)]).toMatchObject([request, response]);
      }
      if (service.isVault)
        for (const path of ["init", "verify"]) expect(await service.other("OPTIONS", `rekey/${path}`)).toMatchObject(refused(400, none));
    });
  },
);

onEachService(
  "the documented rekey",
  services.filter(({ isStandard }) => isStandard),
  (service) => {
    test("has no other method or path", async () => {
      await service.begin({ require_verification: true });
      for (const request of ["POST init", "POST update", "POST verify", "GET update", "DELETE update", "PUT backup"]) {
        const [method = "", path = ""] = request.split(" ");
        const { status } = await service.to(method, `rekey/${path}`, method.startsWith("P") ? {} : undefined);
        expect([request, status]).toEqual([request, 405]);
      }
      expect((await service.to("GET", "rekey/nothing")).status).toBe(404);
    });
  },
);

onEachService(
  "a rotation",
  services.filter(({ isOpenBao }) => isOpenBao),
  (service) => {
    test("replaces Vault's rekey, which is disabled with and without a token", async () => {
      const errors = { rekey: refused(405, "unsupported operation"), "rekey-recovery-key": refused(404, "unsupported path") };
      const methods = { init: ["GET", "POST", "PUT", "DELETE"], update: ["POST", "PUT"], verify: ["GET", "POST", "DELETE"] };
      for (const [path, error] of Object.entries(errors))
        for (const [end, all] of Object.entries(methods))
          for (const method of all)
            for (const token of ["", undefined])
              expect(await service.raw(method, `${path}/${end}`, method.startsWith("P") ? {} : undefined, token)).toMatchObject(error);
    });

    test("accepts a backup without PGP keys, and does not make it", async () => {
      const nonce = await service.begin({ backup: true });
      expect(await service.status()).toEqual(service.running({ nonce }));
      expect((await service.give(nonce)).json).toMatchObject({ complete: true, backup: true, pgp_fingerprints: null });
      expect(await service.to("GET", "rekey/backup")).toMatchObject(refused(400, "no backed-up keys found"));
    });
  },
);

onEachService(
  "the first recovery keys",
  firstKeysTargets.map(({ name, start }) => new Service(name, "openbao", "recovery", () => start({ shares: 0, threshold: 0 }))),
  (service) => {
    test("are missing, so no share rotates the root key", async () => {
      const { json } = await service.other("PUT", "rekey/init", threeOfTwo);
      expect(json).toMatchObject({ n: 1, t: 1, required: 0, nonce: anyNonce });
      const key = Buffer.alloc(33, 1).toString("base64");
      expect(await service.other("PUT", "rekey/update", { key, nonce: json.nonce })).toMatchObject(
        service.errors.notCombined("less than two parts cannot be used to reconstruct the secret"),
      );
    });
  },
);
