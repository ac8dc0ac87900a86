import { isSecret, Output } from "@pulumi/pulumi/output";
import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { secrets } from "../../../../provider";
import { encryptedTo, flawOf, inspectKeys } from "../../../../provider/secrets/rekey/protocol/crypto";
import { makeHolder, rotate } from "../../../support/pgp";
import { invalidInputs, refusal } from "../../../support/refusal";

const { armor, createMessage, encrypt, encryptKey, encryptSessionKey, enums, generateKey, readPrivateKey } =
  require("openpgp") as typeof OpenPGP;
const generate = (options: object = {}): Promise<{ privateKey: OpenPGP.PrivateKey; publicKey: OpenPGP.PublicKey }> =>
  generateKey({ userIDs: [{ name: "holder" }], format: "object", ...options }) as never;
const binary = async (): Promise<Uint8Array> => (await generate()).publicKey.write();
const inBase64 = async (): Promise<string> => Buffer.from(await binary()).toString("base64");
/** Two keys without a separator, as GnuPG exports those that match a name. */
const twoKeys = async (): Promise<Uint8Array> => Buffer.concat([await binary(), await binary()]);
const longAgo = new Date("2020-01-01T00:00:00Z");

type Key = Promise<string> | string;
test.each<[string, rule: string, key: () => Key]>([
  ["private", "private-key", async () => (await generate()).privateKey.armor()],
  ["next to another in one block", "several-keys", async () => armor(enums.armor.publicKey, await twoKeys())],
  ["next to another in binary form", "several-keys", async () => Buffer.from(await twoKeys()).toString("base64")],
  // The padding ends the first one for Node.
  ["next to another, each in base64", "several-keys", async () => `${(await inBase64()).replace(/=*$/, "=")}\nAAAA`],
  [
    "next to another in a block of its own",
    "several-keys",
    async () => (await generate()).publicKey.armor() + (await generate()).publicKey.armor(),
  ],
  [
    "next to a private one",
    "private-key",
    async () => Buffer.concat([await binary(), (await generate()).privateKey.write()]).toString("base64"),
  ],
  ["no key", "not-a-key", () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"],
  ["a word", "not-a-key", () => "keybase:somebody"],
])("a key that cannot decrypt a share is rejected with the reason: %s", async (_, rule, key) => {
  const [inspected] = await inspectKeys([await key()]);
  expect(inspected?.problem).toMatchObject({ rule });
  expect(inspected?.binary === "" || rule !== "private-key").toBe(true);
});

/** Changes of an armored key: the first file is what a holder exported. */
const forms: [string, reason: RegExp | undefined, change: (armored: string, binary: Buffer) => string][] = [
  ["binary, read as UTF-8", /^is binary: .*`gpg --armor --export`/, (_, bytes) => bytes.toString("utf8")],
  ["binary, read as Latin-1", /^is binary: /, (_, bytes) => bytes.toString("latin1")],
  ["UTF-16 of PowerShell", /^is UTF-16, .* in UTF-8$/, (text) => Buffer.from(`\ufeff${text}`, "utf16le").toString("utf8")],
  ["UTF-16, big-endian", /^is UTF-16/, (text) => Buffer.from(text, "utf16le").swap16().toString("utf8")],
  ["indented", /\(Misformed armored text\): .*without indentation/, (text) => text.replace(/^/gm, "  ")],
  ["on one line", /\(Misformed armored text\): .*with its line breaks/, (text) => text.replaceAll("\n", " ")],
  ["with \\n for line breaks", /\(Misformed armored text\)/, (text) => text.replaceAll("\n", "\\n")],
  ["without the blank line", /\(Mandatory blank line missing /, (text) => text.replace("\n\n", "\n")],
  ["without its end", /\(Misformed armored text\)/, (text) => text.replace(/-----END.*/, "")],
  ["of another kind", /\(Armored text not of type key\)/, (text) => text.replaceAll("PUBLIC KEY BLOCK", "MESSAGE")],
  ["with comments of Kleopatra", undefined, (text) => text.replace("\n\n", "\nComment: \tGr\ufffd\n\n").replaceAll("\n", "\r\n")],
  ["with an empty header", undefined, (text) => text.replace("\n\n", "\nVersion: \n\n")],
  ["without a checksum", undefined, (text) => text.replace(/\n=.{4}\n/, "\n")],
  ["without its frame", undefined, (text) => text.replace(/-----.*\n+/g, "")],
  ["after a byte order mark", undefined, (text) => `\ufeff${text}`],
  ["in a mail", undefined, (text) => `Hello,\n\nhere = my key:\n\n${text}\n-- \nAda\n`],
  ["in wrapped base64", undefined, (_, bytes) => bytes.toString("base64").replace(/.{64}/g, "$&\n")],
];
test.each(forms)("a file with a key is read, or the library's reason says what is wrong with it: %s", async (_, reason, change) => {
  const { publicKey } = await generate();
  const text = change(publicKey.armor().replaceAll("\r", ""), Buffer.from(publicKey.write()));
  const [inspected] = await inspectKeys([text]);
  expect(inspected?.problem).toEqual(reason && { rule: "not-a-key", reason: expect.stringMatching(reason) });
  expect(inspected?.fingerprint).toBe(reason ? "" : publicKey.getFingerprint());
});

test("a private key in UTF-16 is a private one, and a key without a user id says where the rest is", async () => {
  const { privateKey, publicKey } = await generate();
  const unnamed = Object.assign(publicKey, { users: [] }).armor();
  const inspected = await inspectKeys([Buffer.from(privateKey.armor(), "utf16le").toString("utf8"), unnamed]);
  expect(inspected.map(({ problem }) => problem)).toEqual([
    { rule: "private-key", reason: expect.any(String) },
    { rule: "no-user-id", reason: expect.stringMatching(/no user id.*keys\.openpgp\.org.*`gpg --armor --export`/) },
  ]);
});

test("a user id stays in its quotes, beside the fingerprint", async () => {
  const { publicKey } = await generateKey({ userIDs: [{ name: 'Ada", 00ff "Grace', email: "ada@example.com" }], format: "object" });
  expect(await encryptedTo([publicKey.armor()])).toBe(`, encrypted to ${publicKey.getFingerprint()} "Ada', 00ff 'Grace <ada@example.com>"`);
});

test("a key is the same in armored and in binary form, and RSA keys work as well", async () => {
  for (const options of [{}, { type: "rsa", rsaBits: 2048 }]) {
    const { publicKey } = await generate(options);
    const binary = Buffer.from(publicKey.write()).toString("base64");
    const fingerprint = publicKey.getFingerprint();
    const encryptionKeys = publicKey.subkeys.map((subkey) => subkey.getKeyID().toHex());
    for (const form of [publicKey.armor(), `\n${publicKey.armor().replaceAll("\n", "\r\n")}\n`, binary])
      expect(await inspectKeys([form])).toEqual([{ fingerprint, binary, encryptionKeys, userId: "holder", problem: undefined }]);
  }
});

/** The flaw of a share that is encrypted for a holder with this key. */
async function flawIn(share: string, publicKey: string): Promise<string | undefined> {
  const [{ fingerprint, encryptionKeys, problem } = { fingerprint: "", encryptionKeys: [] }] = await inspectKeys([publicKey]);
  expect(problem).toBeUndefined();
  const set = { nonce: "", threshold: 1, shares: [], encrypted: [{ fingerprint, share }] };
  return (await flawOf(set, { shares: 1, fingerprints: [fingerprint], encryptionKeys: [encryptionKeys] }))?.id;
}

const [other, incomplete] = ["new-shares-other-subkey", "new-shares-incomplete"];
test.each<[string, flaw: string | undefined, to: (old: OpenPGP.PublicKey, own: OpenPGP.PublicKey) => object, hasAnonymous?: boolean]>([
  ["its subkey", undefined, (_, own) => ({ encryptionKeys: own })],
  ["a revoked subkey", other, (old) => ({ encryptionKeys: old })],
  ["its subkey and another", other, (old, own) => ({ encryptionKeys: [own, old] })],
  ["nobody, as for an anonymous recipient", incomplete, (_, own) => ({ encryptionKeys: own, wildcard: true })],
  ["its subkey, and an anonymous recipient", incomplete, (_, own) => ({ encryptionKeys: own }), true],
])("a message must name a valid encryption key of the key that the program passed: %s", async (_, flaw, to, hasAnonymous = false) => {
  const holder = await makeHolder();
  const rotated = await rotate(holder, "revoked");
  const old = holder.privateKey.toPublic();
  const text = { message: await createMessage({ text: "00" }), format: "binary" } as const;
  const message = await encrypt({ ...text, ...(to(old, rotated.privateKey.toPublic()) as { encryptionKeys: OpenPGP.PublicKey }) });
  const hidden = { encryptionKeys: old, data: new Uint8Array(32), algorithm: "aes256", wildcard: true, format: "binary" };
  const packets = [...(hasAnonymous ? [await encryptSessionKey(hidden as never)] : []), message] as unknown as Uint8Array[];
  expect(await flawIn(Buffer.concat(packets).toString("hex"), rotated.publicKey)).toBe(flaw);
});

test("a message may name any valid subkey of several, but no revoked or expired one", async () => {
  const { privateKey: key } = await generate({ date: longAgo, subkeys: [{}, {}, {}, { keyExpirationTime: 60 }] });
  const messages = await Promise.all(
    key.subkeys.map(async (subkey) => {
      const message = await createMessage({ text: "00" });
      const to = { encryptionKeys: key.toPublic(), encryptionKeyIDs: [subkey.getKeyID()], date: longAgo };
      return Buffer.from((await encrypt({ message, format: "binary", ...to })) as Uint8Array).toString("hex");
    }),
  );
  const revoked = await (key.subkeys[0] as OpenPGP.Subkey).revoke(key.keyPacket as OpenPGP.SecretKeyPacket);
  const armored = Object.assign(key, { subkeys: [revoked, ...key.subkeys.slice(1)] })
    .toPublic()
    .armor();
  expect(await Promise.all(messages.map((share) => flawIn(share, armored)))).toEqual([other, undefined, undefined, other]);
});

const known = (value: Output<string>): Promise<string> => new Promise((done) => value.apply(done));

test("a holder decrypts a share with a locked or unlocked key, and the result is a secret", async () => {
  const { privateKey, publicKey } = await generate();
  const text = await encrypt({ message: await createMessage({ text: "00ff" }), encryptionKeys: publicKey, format: "binary" });
  const share = Buffer.from(text as Uint8Array).toString("hex");
  const locked = (await encryptKey({ privateKey, passphrase: "words" })).armor();
  for (const options of [
    { share, privateKey: privateKey.armor() },
    { share: `${share}\n`, privateKey: Buffer.from(privateKey.write()).toString("base64") },
    { share, privateKey: locked, passphrase: "words" },
  ]) {
    const decrypted = await secrets.decryptShare(options);
    expect(await known(decrypted)).toBe("00ff");
    expect(await isSecret(decrypted)).toBe(true);
  }
  const other = (await generate()).privateKey.armor();
  // As with a smart card: the file names the key, and the private part is elsewhere.
  const card = (await readPrivateKey({ armoredKey: locked })) as OpenPGP.PrivateKey;
  for (const { keyPacket } of card.getKeys()) (keyPacket as OpenPGP.SecretKeyPacket).makeDummy();
  const damaged = share.replace(/..$/, (byte) => (byte === "00" ? "01" : "00"));
  for (const [options, rule] of [
    [{ share: "00", privateKey: other }, "not-a-message"],
    [{ share, privateKey: "words" }, "not-a-key"],
    [{ share, privateKey: locked }, "key-locked"],
    [{ share, privateKey: locked, passphrase: "other" }, "passphrase"],
    [{ share, privateKey: other }, "other-key"],
    [{ share, privateKey: other, passphrase: "words" }, "other-key"],
    [{ share, privateKey: card.armor(), passphrase: "words" }, "no-private-part"],
    [{ share: damaged, privateKey: privateKey.armor() }, "damaged"],
    [{ share, privateKey: Buffer.from(locked, "utf16le").toString("utf8") }, "not-a-key"],
  ] as const)
    await expect(secrets.decryptShare(options)).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule }));
  const [needed = ""] = publicKey.subkeys.map((subkey) => subkey.getKeyID().toHex());
  await expect(secrets.decryptShare({ share, privateKey: other })).rejects.toThrow(needed);
  // The reason for a share of this very key does not say that it is another's.
  const contradiction = expect.objectContaining({ message: expect.not.stringContaining(needed) });
  await expect(secrets.decryptShare({ share: damaged, privateKey: privateKey.armor() })).rejects.toEqual(contradiction);
  const mistaken = { share, privateKey: undefined, passPhrase: "words" } as never;
  await expect(secrets.decryptShare(mistaken)).rejects.toThrow(invalidInputs("privateKey: missing", "unrecognized-keys"));
});
