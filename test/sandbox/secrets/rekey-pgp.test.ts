import { recipientsOf } from "../../../provider/secrets/rekey/crypto";
import { Holder, makeHolder as makeArmoredHolder, read, rotate } from "../../support/pgp";
import { hexOf, onEachService, refused, services } from "./rekey-service";

const binaryOf = (key: { write(): unknown }): string => Buffer.from(key.write() as Uint8Array).toString("base64");

/** A holder whose public key is the base64 of its binary form. */
async function makeHolder(options?: object): Promise<Holder> {
  const holder = await makeArmoredHolder(options);
  return { ...holder, publicKey: binaryOf(holder.privateKey.toPublic()) };
}

let ada: Holder;
let bob: Holder;
beforeAll(async () => {
  [ada, bob] = await Promise.all([makeHolder(), makeHolder({ type: "rsa", rsaBits: 2048 })]);
});

onEachService("a rekey for holders of PGP keys", services, (service) => {
  const { to, isStandard, isOpenBao } = service;
  const backup = () => to("GET", "rekey/backup");
  const nothing = isStandard ? refused(404) : refused(400, "no backed-up keys found");

  test("each share is encrypted to its holder in order, and the decrypted shares verify and unseal", async () => {
    const pgp_keys = [ada.publicKey, bob.publicKey, ada.publicKey];
    const fingerprints = [ada, bob, ada].map(({ fingerprint }) => fingerprint);
    const nonce = await service.begin({ pgp_keys, require_verification: true });
    expect((await to("GET", "rekey/init")).json).toMatchObject({ pgp_fingerprints: fingerprints, backup: false });
    for (const fingerprint of fingerprints) expect(fingerprint).toMatch(/^[0-9a-f]{40}$/);
    const { json } = await service.give(nonce);
    expect(json).toMatchObject({ complete: true, pgp_fingerprints: fingerprints, backup: false });
    expect(json.keys_base64.map(hexOf)).toEqual(json.keys);
    expect((await to("GET", "rekey/init")).json).toMatchObject({ started: true, progress: 0, pgp_fingerprints: fingerprints });
    const texts = [await read(ada, json.keys[0]), await read(bob, json.keys[1]), await read(ada, json.keys[2])];
    for (const text of texts) expect(text).toMatch(/^[0-9a-f]{66}$/);
    await expect(read(bob, json.keys[0])).rejects.toThrow();

    const prove = (key: string) => to("PUT", "rekey/verify", { key, nonce: json.verification_nonce });
    if (!isOpenBao) expect(await prove(json.keys_base64[0])).toMatchObject(refused(400, "key is longer than maximum 33 bytes"));
    expect((await prove(texts[2]!)).json.progress).toBe(1);
    expect((await prove(texts[1]!)).json.complete).toBe(true);
    expect(await service.accepts(texts.slice(0, 2))).toBe(true);
    expect(await backup()).toMatchObject(nothing);
  });

  test("a message names the subkey of the key as it was passed; an old public key has the same fingerprint", async () => {
    const changed = await rotate(ada, "revoked");
    const all = [ada, changed, bob];
    const pgp_keys = all.map(({ privateKey }) => binaryOf(privateKey.toPublic()));
    const nonce = await service.begin({ pgp_keys, require_verification: true });
    const { pgp_fingerprints, keys } = (await service.give(nonce)).json;
    expect(pgp_fingerprints).toEqual([ada, ada, bob].map(({ fingerprint }) => fingerprint));
    const subkeys = all.map(({ privateKey }) => [privateKey.subkeys.at(-1)?.getKeyID().toHex()]);
    expect(await Promise.all(keys.map(recipientsOf))).toEqual(subkeys);
    expect(subkeys[0]).not.toEqual(subkeys[1]);
  });

  test("without verification the shares are live at once, and a single share is the root key", async () => {
    const nonce = await service.begin({ secret_shares: 1, secret_threshold: 1, pgp_keys: [ada.publicKey] });
    const { keys } = (await service.give(nonce)).json;
    const text = await read(ada, keys[0]);
    expect(text).toMatch(/^[0-9a-f]{64}$/);
    expect(await service.accepts([text])).toBe(true);
  });

  test("the last current share writes the backup over an older one, and a cancel restores nothing", async () => {
    const { shares } = service;
    expect(await backup()).toMatchObject(nothing);
    const parameters = { pgp_keys: [ada.publicKey, bob.publicKey, ada.publicKey], backup: true, require_verification: true };
    const contents: unknown[] = [];
    for (const _ of [1, 2]) {
      const nonce = await service.begin(parameters);
      expect((await to("GET", "rekey/init")).json.backup).toBe(true);
      await service.give(nonce, shares.slice(0, 2));
      const before = (await backup()).json;
      expect(before.nonce).not.toBe(nonce);
      const { json } = await service.give(nonce, shares.slice(2, 3));
      expect(json.backup).toBe(true);
      const { status, text } = await backup();
      const kept = JSON.parse(text);
      const [first, second, third] = json.keys;
      const base64 = json.keys_base64;
      // A map from fingerprint to string keeps one of two messages to the same holder.
      const data = isStandard
        ? { nonce, keys: { [ada.fingerprint]: third, [bob.fingerprint]: second } }
        : {
            nonce,
            keys: { [ada.fingerprint]: [first, third], [bob.fingerprint]: [second] },
            keys_base64: { [ada.fingerprint]: [base64[0], base64[2]], [bob.fingerprint]: [base64[1]] },
          };
      expect(status).toBe(200);
      if (isStandard) expect(kept).toEqual(data);
      else expect(kept).toMatchObject({ ...data, data });
      expect((await service.cancel(nonce)).status).toBe(204);
      expect((await backup()).json.nonce).toBe(nonce);
      contents.push(kept.keys);
    }
    expect(contents[0]).not.toEqual(contents[1]);
    for (const _ of [1, 2]) expect(await to("DELETE", "rekey/backup")).toMatchObject({ status: 204, text: "" });
    expect(await backup()).toMatchObject(nothing);
  });

  // OpenBao prints these reasons otherwise.
  if (isOpenBao) return;

  test("an unusable key fails at the last share, without progress or a backup, and the attempt stays", async () => {
    const expired = await makeHolder({ date: new Date(Date.now() - 1e8), keyExpirationTime: 10 });
    const signing = await makeHolder({ subkeys: [] });
    let zero = signing;
    while (!zero.fingerprint.slice(-16).startsWith("0")) zero = await makeHolder({ subkeys: [] });
    for (const { publicKey, fingerprint } of [expired, signing, zero]) {
      const parameters = { secret_shares: 2, secret_threshold: 2, pgp_keys: [ada.publicKey, publicKey], backup: true };
      const nonce = await service.begin(parameters);
      const id = fingerprint.slice(-16).replace(/^0+/, "");
      const reason = `^failed to encrypt shares: .* key id ${id} because it has no valid encryption keys$`;
      expect(await service.give(nonce)).toMatchObject(refused(500, new RegExp(reason)));
      expect((await to("GET", "rekey/init")).json).toMatchObject({ started: true, nonce, progress: 0, required: 3 });
      expect(await backup()).toMatchObject(nothing);
      await service.cancel(nonce);
    }
    expect(await service.accepts(service.shares.slice(0, 3))).toBe(true);
  });

  test("the format of keys is checked at the start, and a private key counts as its public part", async () => {
    const start = (pgp_keys: string[]) => to("PUT", "rekey/init", { secret_shares: 2, secret_threshold: 2, pgp_keys });
    expect(await start([ada.publicKey, ada.publicKey.slice(0, 80)])).toMatchObject(refused(500, /error parsing given PGP key/));
    expect(await start([ada.publicKey, `${bob.publicKey}!`])).toMatchObject(refused(500, /error decoding given PGP key: illegal base64/));
    const lines = bob.publicKey.replace(/.{76}/g, "$&\r\n");
    expect((await start([binaryOf(ada.privateKey), lines])).status).toBe(200);
    expect((await to("GET", "rekey/init")).json.pgp_fingerprints).toEqual([ada.fingerprint, bob.fingerprint]);
  });
});

const ofSandbox = services.filter(({ isStandard }) => isStandard);

onEachService("the sandbox", ofSandbox, (service) => {
  test("lists the shares that it encrypted, and keys expire by its clock", async () => {
    const { secrets, clock } = service.sandbox!;
    const mortal = await makeHolder({ keyExpirationTime: 3600 });
    const parameters = { secret_shares: 2, secret_threshold: 2, pgp_keys: [mortal.publicKey, ada.publicKey] };
    const { keys } = (await service.give(await service.begin(parameters))).json;
    const texts = [await read(mortal, keys[0]), await read(ada, keys[1])];
    expect([secrets.shares.map(hexOf), secrets.threshold]).toEqual([texts, 2]);
    expect(await secrets.opens(texts)).toBe(true);
    await secrets.seal();
    expect(await secrets.unseal(service.shares)).toBe(false);
    expect(await secrets.unseal(texts)).toBe(true);
    clock.advance(3_601_000);
    expect(await service.give(await service.begin(parameters), texts)).toMatchObject(refused(500, /no valid encryption keys$/));
  });
});
