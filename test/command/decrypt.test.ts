import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as OpenPGP from "openpgp" with { "resolution-mode": "import" };
import { Holder, holders, rotate } from "../support/pgp";
import { enter, interrupt, steward, typing } from "./holder";

const { createMessage, encrypt, encryptKey, enums, armor } = require("openpgp") as typeof OpenPGP;

const share = "ab".repeat(33);
let holder: Holder;
let other: Holder;
let message: Buffer;
let folder: string;
beforeAll(async () => {
  [holder, other] = (await holders(2)) as [Holder, Holder];
  message = await encrypted(share);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-decrypt-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function encrypted(text: string): Promise<Buffer> {
  const binary = await encrypt({
    message: await createMessage({ text }),
    encryptionKeys: holder.privateKey.toPublic(),
    format: "binary",
  });
  return Buffer.from(binary as Uint8Array);
}

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const decrypt = (key: string, input: string, ...more: string[]): ReturnType<typeof steward> =>
  steward({}, ["rekey", "decrypt", "--key", key, ...more], input);
const subkeyOf = ({ privateKey }: Holder): string => privateKey.subkeys[0]?.getKeyID().toHex() ?? "";
const done = (): object => ({ code: 0, stdout: `${share}\n`, stderr: `The share is encrypted to the key ${subkeyOf(holder)}.\n` });

test("decrypts a share from a message and a key in every format", async () => {
  const key = Buffer.from(holder.privateKey.write());
  const forms = {
    message: [
      message.toString("hex"),
      message.toString("hex").replace(/.{64}/g, "$&\n"),
      message.toString("base64"),
      `${armor(enums.armor.message, new Uint8Array(message))}\n`,
      `share 1, for the holder of ab12, encrypted: ${message.toString("hex")}`,
      `    rekey: for the holder of ab12, encrypted: ${message.toString("hex")}\n`,
    ],
    key: [holder.privateKey.armor(), new Uint8Array(key), key.toString("base64")],
  };
  for (const each of forms.message) expect(await decrypt(file("key", holder.privateKey.armor()), each)).toEqual(done());
  for (const each of forms.key) expect(await decrypt(file("key", each), message.toString("hex"))).toEqual(done());
  for (const each of [message, message.toString("hex")])
    expect(await decrypt(file("key", new Uint8Array(key)), "", "--share", file("mine", each))).toEqual(done());
});

test("reads the passphrase of a locked key from a file or, without echo, from the terminal", async () => {
  const locked = await encryptKey({ privateKey: holder.privateKey, passphrase: " open sesame " });
  const key = file("key", locked.armor());
  const hex = message.toString("hex");
  expect(await decrypt(key, hex, "--passphrase-file", file("passphrase", " open sesame \n"))).toEqual(done());
  const args = ["rekey", "decrypt", "--key", key];
  const asked = "(will be hidden): ";
  const typed = await typing({}, args, { "Encrypted share, on one line: ": hex + enter, [asked]: ` open sesame ${enter}` });
  expect(typed).toMatchObject({ code: 0, stdout: `${share}\n` });
  expect(typed.stderr).not.toContain("sesame");

  const wrong = await typing({}, [...args, "--share", file("mine", hex)], { [asked]: `canary${enter}` });
  expect(wrong).toMatchObject({ code: 1, stdout: "" });
  expect(wrong.stderr).toContain("passphrase ");
  expect(wrong.stderr).not.toContain("canary");
  expect(await typing({}, [...args, "--share", file("mine", hex)], { [asked]: interrupt })).toMatchObject({
    code: 130,
    raw: [true, false],
  });
  const nobody = await decrypt(key, hex);
  expect(nobody).toMatchObject({ code: 1, stdout: "" });
  expect(nobody.stderr).toContain("--passphrase-file");
});

test("reads files that PowerShell wrote, in UTF-16 or with a byte order mark", async () => {
  const locked = await encryptKey({ privateKey: holder.privateKey, passphrase: "open sesame" });
  const written = [(text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le"), (text: string): string => `\ufeff${text}`];
  for (const by of written) {
    const args = [
      "--share",
      file("mine", by(`${message.toString("hex")}\r\n`)),
      "--passphrase-file",
      file("passphrase", by("open sesame\r\n")),
    ];
    expect(await decrypt(file("key", by(locked.armor())), "", ...args)).toEqual(done());
  }
});

test("says to which subkey a share is encrypted, with a warning if the key revokes it", async () => {
  const hex = message.toString("hex");
  const revoked = await decrypt(file("revoked", (await rotate(holder, "revoked")).privateKey.armor()), hex);
  expect(revoked).toMatchObject({ code: 0, stdout: `${share}\n` });
  expect(revoked.stderr).toMatch(new RegExp(`the key ${subkeyOf(holder)}\\.\nWarning: .*revoked`));
  const dropped = await rotate(holder, "dropped");
  const refused = await decrypt(file("dropped", dropped.privateKey.armor()), hex);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  for (const id of [subkeyOf(holder), subkeyOf(dropped)]) expect(refused.stderr).toContain(id);
});

test("rejects invalid input in one message and never prints it", async () => {
  const key = file("key", holder.privateKey.armor());
  const hex = message.toString("hex");
  for (const [args, fact] of [
    [[file("other", other.privateKey.armor()), hex], ": privateKey "],
    [[file("public", holder.publicKey), hex], ": privateKey "],
    [[key, share], ": share "],
    [[key, ""], ": share "],
    [
      [
        key,
        [1, 2]
          .map(
            (n) => `share ${n}, for the holder of ab12, encrypted: ${hex}
`,
          )
          .join(""),
      ],
      "fingerprint",
    ],
    [[key, (await encrypted("no share")).toString("hex")], "base64"],
    [[join(folder, share), hex], "--key"],
    [[key, hex, "--share", share], "--share"],
  ] as [[string, string, ...string[]], string][]) {
    const run = await decrypt(...args);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain(fact);
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(run.stderr).not.toContain(share);
  }
});
