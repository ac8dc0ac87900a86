import { holders } from "../../support/pgp";
import { firstKeysTargets } from "../../support/rekey";
import { anyNonce, damaged, hexOf, onEachService, refused, Service, services } from "./rekey-service";

// OpenBao only. The suites of the rekey run on its API, too.

const three = { secret_shares: 3, secret_threshold: 2 };

onEachService(
  "a rotation",
  services.filter(({ isOpenBao }) => isOpenBao),
  (service) => {
    test.each([
      ["init", "GET POST PUT DELETE"],
      ["update", "POST PUT"],
      ["verify", "GET POST DELETE"],
    ])("replaces Vault's rekey, whose %s is disabled for %s, with and without a token", async (end, methods) => {
      for (const token of ["", undefined])
        for (const method of methods.split(" "))
          for (const [path, error] of [
            ["rekey", refused(405, "unsupported operation")],
            ["rekey-recovery-key", refused(404, "unsupported path")],
          ] as const)
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
    const { to, other, status, verify, errors } = service;
    const sealStatus = async () => (await to("GET", "seal-status")).json;

    test("need no current ones, and are live after their verification", async () => {
      expect(service.shares).toEqual([]);
      expect(await sealStatus()).toMatchObject({ t: 0, n: 0, recovery_seal: true });
      expect(await status()).toEqual(service.idle(0));
      expect(await to("PUT", "rekey/init", { ...three, secret_threshold: 4 })).toMatchObject(
        errors.invalid("threshold cannot be larger than shares"),
      );
      const { keys_base64, keys, verification_nonce, ...rest } = (await to("PUT", "rekey/init", { ...three, require_verification: true }))
        .json;
      expect(rest).toEqual({ backup: false, complete: true, n: 3, t: 2, pgp_fingerprints: null, verification_required: true });
      expect(keys_base64.map(hexOf)).toEqual(keys);
      expect(await status()).toEqual(service.running({ required: 0, verification_nonce, verification_required: true }));
      expect(await to("PUT", "rekey/init", three)).toMatchObject(errors.inProgress);
      expect((await verify(keys[0], verification_nonce)).json).toEqual({
        n: 3,
        nonce: verification_nonce,
        progress: 1,
        started: true,
        t: 2,
      });
      expect(await verify(damaged(keys_base64[1]), verification_nonce)).toMatchObject(errors.notVerified);
      expect(await sealStatus()).toMatchObject({ t: 0, n: 0 });
      const nonce = (await status()).verification_nonce;
      await verify(keys[0], nonce);
      expect((await verify(keys[1], nonce)).json).toEqual({ complete: true, nonce });
      expect(await sealStatus()).toMatchObject({ t: 2, n: 3 });
      expect(await status()).toEqual(service.idle(2));
    });

    test("are live at once without a verification, and an attempt can be canceled", async () => {
      const [holder] = await holders(1);
      const pgp_keys = [holder!.publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, "")];
      const encrypted = { secret_shares: 1, secret_threshold: 1, pgp_keys, backup: true, require_verification: true };
      const { json } = await to("PUT", "rekey/init", encrypted);
      expect(json).toMatchObject({ backup: true, n: 1, t: 1, pgp_fingerprints: [holder!.fingerprint] });
      const { nonce } = await status();
      expect((await to("GET", "rekey/backup")).json).toMatchObject({ nonce, keys: { [holder!.fingerprint]: json.keys } });
      expect((await service.cancel(nonce)).status).toBe(204);
      expect(await sealStatus()).toMatchObject({ t: 0, n: 0 });
      const made = (await to("PUT", "rekey/init", three)).json;
      expect(made).toMatchObject({ complete: true, verification_nonce: "", verification_required: false });
      expect(await sealStatus()).toMatchObject({ t: 2, n: 3 });
      expect(await service.accepts(made.keys.slice(0, 2))).toBe(true);
    });

    test("are missing, so no share rotates the root key", async () => {
      const { json } = await other("PUT", "rekey/init", three);
      expect(json).toMatchObject({ n: 1, t: 1, required: 0, nonce: anyNonce });
      const key = Buffer.alloc(33, 1).toString("base64");
      expect(await other("PUT", "rekey/update", { key, nonce: json.nonce })).toMatchObject(
        errors.notCombined("less than two parts cannot be used to reconstruct the secret"),
      );
    });
  },
);
