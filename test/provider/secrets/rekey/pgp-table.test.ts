import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { secrets } from "../../../../provider";
import { decryptMessage, inspectKeys, recipientsOf } from "../../../../provider/secrets/rekey/protocol/crypto";
import { services } from "../../../sandbox/secrets/rekey-service";
import { Gpg } from "../../../support/gpg";
import { makeHolder } from "../../../support/pgp";
import { refusal } from "../../../support/refusal";

// Kinds of PGP keys: the package takes those to which the servers encrypt, and which gpg or the library decrypts. docs/rekey/how-it-works.md has them in a table.

const { config, readKey, SignaturePacket } = require("openpgp") as typeof OpenPGP;
const gpg = new Gpg();
const servers = services.filter(({ keys }) => keys === "unseal");
beforeAll(() => Promise.all(servers.map((server) => server.start())));
afterAll(async () => {
  gpg.remove();
  await Promise.all(servers.map((server) => server.stop()));
});

/** A public key, and its private one as a whole and without the primary key. */
interface Made {
  publicKey: string;
  privateKeys: string[];
}
type Make = (name: string) => Made | Promise<Made>;

const quick = (year: number, ...args: string[]): Buffer =>
  gpg.run(["--passphrase", "", `--faked-system-time=${year}0101T000000!`, ...args]);
const fingerprintOf = (name: string): string =>
  /^fpr:+([0-9A-F]+):/m.exec(gpg.run(["--with-colons", "--list-keys", `=${name}`]).toString())?.[1] ?? "";
const exported = (name: string, ...unlock: string[]): Made => {
  const kinds = ["--export", "--export-secret-keys", "--export-secret-subkeys"];
  const [publicKey = "", ...privateKeys] = kinds.map((kind) => gpg.run([...unlock, "--armor", kind, `=${name}`]).toString());
  // Without subkeys, the primary key decrypts.
  return { publicKey, privateKeys: /\nssb/.test(`${gpg.run(["--list-secret-keys", `=${name}`])}`) ? privateKeys : privateKeys.slice(0, 1) };
};

/** A subkey: its algorithm, the year of its creation, and its expiry. */
type Subkey = readonly [algorithm: string, year: number, expires?: string];
/** Makes a key of 2020 with gpg. `last` changes it. */
const made =
  (primary: string, subkeys: readonly Subkey[], { usage = "sign", expires = "never", last = (_: string): unknown => 0 } = {}): Make =>
  (name) => {
    quick(2020, "--quick-generate-key", name, primary, usage, expires);
    const fingerprint = fingerprintOf(name);
    for (const [algorithm, year, until = "never"] of subkeys) quick(year, "--quick-add-key", fingerprint, algorithm, "encr", until);
    last(fingerprint);
    return exported(name);
  };
const same = (algorithm: string): Make => made(algorithm, [[algorithm, 2021]]);
/** With an RSA or DSA key for signatures, since the quick commands make no ElGamal key. */
const elgamal =
  (primary: string): Make =>
  (name) => {
    const lines = [`Key-Type: ${primary}`, "Key-Length: 2048", "Key-Usage: sign", "Subkey-Type: ELG", "Subkey-Length: 2048"];
    gpg.run(["--generate-key"], [...lines, `Name-Real: ${name}`, "%no-protection", "%commit\n"].join("\n"));
    return exported(name);
  };
const revokes = (subkey: number) => (fingerprint: string) =>
  gpg.run(["--no-tty", "--command-fd", "0", "--edit-key", fingerprint], `key ${subkey}\nrevkey\ny\n1\n\ny\nsave\n`);
const valid: Subkey = ["cv25519", 2021];
const [expired, future]: Subkey[] = [
  ["cv25519", 2022, "20230101T000000"],
  ["cv25519", 2035],
];
const of = (...subkeys: Subkey[]): Make => made("ed25519", subkeys);

/** A key of the library. gpg imports it if it knows the algorithm. */
const ofLibrary =
  (options: object, change: (key: OpenPGP.PrivateKey) => Promise<unknown> = async () => {}): Make =>
  async () => {
    const { privateKey } = await makeHolder(options);
    await change(privateKey);
    await Promise.resolve()
      .then(() => gpg.run(["--import"], privateKey.armor()))
      .catch(() => {});
    return { publicKey: privateKey.toPublic().armor(), privateKeys: [privateKey.armor()] };
  };
/** Makes the first of these subkeys one with these flags. */
const flagged = (all: object[], ...flags: number[]): Make =>
  ofLibrary({ subkeys: all }, async ({ subkeys, keyPacket }) => {
    const [subkey] = subkeys as [OpenPGP.Subkey];
    const { signatureType, publicKeyAlgorithm, hashAlgorithm } = subkey.bindingSignatures[0] as OpenPGP.SignaturePacket;
    const keyFlags = flags.length > 0 ? new Uint8Array(flags) : null;
    const binding = Object.assign(new SignaturePacket(), { signatureType, publicKeyAlgorithm, hashAlgorithm, keyFlags });
    const data = { key: keyPacket, bind: subkey.keyPacket };
    await (binding as unknown as { sign(...args: unknown[]): Promise<void> }).sign(keyPacket, data, new Date(), false, config);
    Object.assign(subkey, { bindingSignatures: [binding] });
  });
/** Made by GnuPG 2.4 with --gnupg, as upstream builds do. */
const withOcb =
  "lFgEawnegRYJKwYBBAHaRw8BAQdAQ8FBhPPkmDsmgvC5f0FubVMFxzTfm4QFb7CCugSnzgUAAQD+LJUueH/p3d13i5VTYfuirQoFK5zNtfJMuoBS74IFnhFTtARhZWFkiI0EExYKADUWIQTIicalWstFASp2UTf+gErjQfN5swUCawnegQIbAwQLCQgHAiICAxUKCAIWAgIeBwIXgAAKCRD+gErjQfN5s+hTAP9DRXQsbEJ8x3INmfseU1iIcLG6uBJf/hrF15R/NOSFEAEAoZk4fXRDEwzwU/D5nki8UvnLMF872x8cv5/FSy6FfQmcXQRrCd6BEgorBgEEAZdVAQUBAQdAhVpT/4FpI6EptNeorsMCTUEJ3kmrtmIgR42756TyOSkDAQgHAAD/Yaw9eWJBiVV69j/8kOUkV6quIZsYzAGw8h7WU/nCB/gReoh4BBgWCgAgFiEEyInGpVrLRQEqdlE3/oBK40HzebMFAmsJ3oECGwwACgkQ/oBK40HzebMBiAD+PB59Z7rSmoLU13E48q0gPFPuwNW8umYI84cblJ0DVM8A/2ghdnDfQDHL+5eT+D0K9f/Yd4KaVB/Oqu9n2/SGWXAH";
const ofGpg24: Make = () => {
  gpg.run(["--import"], Buffer.from(withOcb, "base64"));
  return exported("aead");
};

interface Row {
  kind: string;
  makes: Make[];
  /** Why the package refuses it. */
  refused?: RegExp;
  /** The servers reject it, or take this one of its keys, from the primary one on. The default is the last. */
  takes?: "none" | number;
  /** gpg cannot import it. */
  isForeign?: true;
}

const weak = /: the server would use [0-9a-f]{16} \(.* too weak\)$/;
const rows: Row[] = [
  { kind: "RSA from 2048 bits", makes: ["rsa2048", "rsa4096"].map(same) },
  { kind: "RSA that signs and encrypts, without subkeys", makes: [made("rsa2048", [], { usage: "sign,encr" })] },
  { kind: "Curve25519", makes: [of(valid)] },
  { kind: "NIST P-256, P-384, P-521", makes: ["nistp256", "nistp384", "nistp521"].map(same) },
  { kind: "brainpool P256r1, P384r1, P512r1", makes: ["brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1"].map(same) },
  { kind: "secp256k1", makes: [same("secp256k1"), of(["secp256k1", 2021])] },
  { kind: "AEAD preferences of GnuPG 2.4 or RFC 9580", makes: [ofGpg24, ofLibrary({ config: { aeadProtect: true } })] },
  {
    kind: "X25519 and X448 of RFC 9580, versions 4 and 6",
    makes: [{ type: "curve25519" }, { type: "curve448" }, { type: "curve25519", config: { v6Keys: true } }].map((each) => ofLibrary(each)),
    isForeign: true,
  },
  { kind: "several subkeys", makes: [of(valid, ["cv25519", 2022])] },
  {
    kind: "an older subkey that is expired or revoked",
    makes: [of(["cv25519", 2020, "20200601T000000"], valid), made("ed25519", [valid, ["cv25519", 2022]], { last: revokes(1) })],
  },
  {
    kind: "a newer subkey that is expired, revoked or not yet valid",
    makes: [of(valid, expired as Subkey), of(valid, future as Subkey), made("ed25519", [valid, ["cv25519", 2022]], { last: revokes(2) })],
    takes: 1,
  },
  {
    kind: "an extended expiry",
    makes: [made("ed25519", [valid], { expires: "20230101T000000", last: (key) => quick(2022, "--quick-set-expire", key, "0") })],
  },
  { kind: "a subkey only for storage, beside another", makes: [flagged([{}, {}], 8)] },
  { kind: "a subkey only for communications", makes: [flagged([{}], 4)] },
  {
    kind: "RSA below 2048 bits, ElGamal, DSA, also as a newer subkey",
    makes: [same("rsa1024"), elgamal("RSA"), elgamal("DSA"), of(valid, ["rsa1024", 2022])],
    refused: weak,
  },
  {
    kind: "a subkey only for storage",
    makes: [flagged([{}], 8)],
    refused: /\(those for encryption are only for storage\)$/,
    takes: "none",
  },
  { kind: "a subkey without flags", makes: [flagged([{}])], refused: /\(None of the key flags is set\)$/, takes: "none" },
  { kind: "only for signatures", makes: [of(), made("rsa2048", [])], refused: /^no-encryption-subkey: /, takes: "none" },
  { kind: "only an expired subkey", makes: [of(expired as Subkey)], refused: /\(Subkey is expired\)$/, takes: "none" },
  {
    kind: "only a revoked subkey",
    makes: [made("ed25519", [valid], { last: revokes(1) })],
    refused: /\(Subkey is revoked\)$/,
    takes: "none",
  },
  {
    kind: "only a subkey that is not yet valid",
    makes: [of(future as Subkey)],
    refused: /creation time is in the future\)$/,
    takes: "none",
  },
  {
    kind: "an expired key",
    makes: [made("ed25519", [valid], { expires: "20230101T000000" })],
    refused: /^expired: .* 2023-01-01$/,
    takes: "none",
  },
  { kind: "a revoked key", makes: [made("ed25519", [valid], { last: (key) => gpg.revoke(key) })], refused: /^revoked: /, takes: "none" },
];

const share = "ab".repeat(33);

/** Decrypts a message with gpg, and with each private key. */
async function decrypts(message: string, { privateKeys }: Made, { isForeign }: Row): Promise<string[]> {
  const byKey = privateKeys.map((privateKey) => decryptMessage({ share: message, privateKey, passphrase: async () => undefined }));
  const decrypted = await Promise.all(byKey);
  // A key that is too weak for a rekey decrypts without a warning.
  expect(decrypted.filter(({ problem }) => problem !== undefined)).toEqual([]);
  const texts = decrypted.map(({ text }) => text);
  const byGpg = (): string => gpg.run(["--decrypt"], Buffer.from(message, "hex")).toString();
  if (isForeign) expect(byGpg).toThrow();
  else texts.push(byGpg());
  expect(new Set(texts).size).toBe(1);
  return texts;
}

test.each(rows)("a key is taken or refused with the reason, as the servers, gpg and the library do: $kind", async (row) => {
  const { kind, makes, refused, takes = -1, isForeign } = row;
  for (const [index, make] of makes.entries()) {
    const key = await make(`${kind.replace(/\W+/g, " ")} ${index}`);
    const [inspected] = await inspectKeys([key.publicKey]);
    const { rule, reason } = inspected?.problem ?? {};
    expect(rule && `${rule}: ${reason}`).toEqual(refused && expect.stringMatching(refused));
    const ids = (await readKey({ armoredKey: key.publicKey })).getKeyIDs().map((id) => id.toHex());
    const taken = takes === "none" ? undefined : ids.at(takes);
    expect(inspected?.encryptionKeys).toEqual(taken ? expect.arrayContaining([taken]) : []);
    if (taken && !isForeign) await decrypts(gpg.encrypt(inspected?.fingerprint ?? "", share), key, row);
    const pgp_keys = [inspected?.binary, inspected?.binary];
    for (const server of servers) {
      const nonce = await server.begin({ secret_shares: 2, pgp_keys, require_verification: true });
      const { pgp_fingerprints } = await server.status();
      const { status, text, json } = await server.give(nonce);
      await server.cancel(nonce);
      expect(pgp_fingerprints).toEqual([inspected?.fingerprint, inspected?.fingerprint]);
      const { keys: [message] = [] } = json;
      if (taken === undefined) expect([status >= 400, text]).toEqual([true, expect.stringContaining("no valid encryption keys")]);
      else expect({ text, keys: await recipientsOf(message ?? "") }).toEqual({ text, keys: [taken] });
      if (taken !== undefined) expect((await decrypts(message, key, row))[0]).toMatch(/^[0-9a-f]{66}$/);
    }
  }
});

test("the table of the page says what these tests show", () => {
  const page = readFileSync(join(__dirname, "../../../../docs/rekey/how-it-works.md"), "utf8");
  const [, table = ""] = /^\| Key +\| Accepted +\|\n.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  const said = [...table.matchAll(/^\| (.*?) +\| (.*?) +\|$/gm)].flatMap(([, kinds = "", accepted]) =>
    kinds.split("; ").map((kind) => `${kind}: ${accepted}`),
  );
  const result = ({ refused, takes, isForeign }: Row): string =>
    takes === "none"
      ? "no, the servers fail"
      : refused
        ? "no, though the servers encrypt"
        : isForeign
          ? "yes, only `--key` decrypts"
          : "yes";
  expect(said.sort()).toEqual(rows.map((row) => `${row.kind}: ${result(row)}`).sort());
});

test("the right passphrase unlocks a key whose primary key is offline, with and without a subkey that signs", async () => {
  const passphrase = "open sesame";
  const unlock = ["--passphrase", passphrase];
  const fingerprint = gpg.generate("locked", passphrase);
  for (const addition of [[], ["--quick-add-key", fingerprint, "ed25519", "sign"]]) {
    if (addition.length > 0) gpg.run([...unlock, ...addition]);
    const [, privateKey = ""] = exported("locked", ...unlock).privateKeys;
    const given = { share: gpg.encrypt(fingerprint, share), privateKey };
    await secrets.decryptShare({ ...given, passphrase });
    await expect(secrets.decryptShare({ ...given, passphrase: "other" })).rejects.toThrow(
      refusal("ERR_INVALID_INPUT", { rule: "passphrase" }),
    );
    await expect(secrets.decryptShare(given)).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule: "key-locked" }));
  }
});
