import { Holder, makeHolder as makeArmoredHolder, read } from "../../support/pgp";
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
