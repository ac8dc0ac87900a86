import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { decryptWithGpg } from "../../command/holder/program";
import { decryptSigned, fingerprintIn, sign, verifySignature } from "../../command/holder/signature";
import { Terminal } from "../../command/terminal";
import { cleanEnvironment } from "../../tools/environment";
import { Gpg } from "../support/gpg";

let signer: Gpg;
let reader: Gpg;
let [ada, other, theirs] = ["", "", ""];
beforeAll(() => {
  [signer, reader] = [new Gpg(), new Gpg()];
  [ada, other, theirs] = [signer.generate("ada"), signer.generate("other"), reader.generate("grace")];
  reader.run(["--import"], signer.publicKey(ada));
});
afterAll(() => {
  for (const gpg of [signer, reader]) gpg.remove();
});

const terminalOf = ({ home }: Gpg): Terminal => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  return { stdin, stdout, stderr, environment: { ...cleanEnvironment(), GNUPGHOME: home } };
};
const text = '{"head":"ab"}\n';

test("content is signed with exactly one key, whose whole fingerprint the verification returns", async () => {
  const signed = await sign(terminalOf(signer), text, ada);
  expect(signed).toContain(text);
  expect(await verifySignature(terminalOf(reader), signed)).toEqual({ text, signer: ada });
  await expect(sign(terminalOf(reader), text, ada)).rejects.toThrow("gpg cannot sign with the key");
  await expect(sign(terminalOf(signer), text, ada, ["--local-user", other, "--clearsign"])).rejects.toThrow("alone");
  expect(fingerprintIn("--sign", ada.toUpperCase().replace(/.{4}/g, "$& "))).toBe(ada);
  for (const short of [ada.slice(-16), ada.slice(-8), "ada", `${ada}!`])
    expect(() => fingerprintIn("--sign", short)).toThrow("--sign is not the fingerprint of a key");
});

test("changed or unsigned content, and that of several or unknown signers, is refused", async () => {
  const verify = (signed: string): Promise<unknown> => verifySignature(terminalOf(reader), signed);
  const signed = await sign(terminalOf(signer), text, ada);
  await expect(verify(signed.replace("ab", "cd"))).rejects.toThrow("the signature is invalid");
  await expect(verify(text)).rejects.toThrow("there is no signature");
  await expect(verify(signer.run(["--armor", "--store"], text).toString())).rejects.toThrow("there is no signature");
  await expect(verify(await sign(terminalOf(signer), text, other))).rejects.toThrow(/ of the key \w{16,}\. .*`gpg --import`/);
  const both = signer.run(["--local-user", ada, "--local-user", other, "--clearsign"], text).toString();
  await expect(verify(both)).rejects.toThrow("cannot check the signature");
  await expect(verifySignature(terminalOf(signer), both)).rejects.toThrow("more than one signature");
  await expect(verify(signed + signed)).rejects.toThrow(/more than one|no signature/);
});

test("a signature by an expired or a revoked key is refused", async () => {
  for (const change of ["expired", "revoked"]) {
    const name = signer.generate(change);
    const signed = await sign(terminalOf(signer), text, name);
    if (change === "expired") signer.run(["--quick-set-expire", name, "seconds=1"]);
    else signer.revoke(name);
    const key = signer.publicKey(name);
    await new Promise((done) => setTimeout(done, 2000));
    reader.run(["--import"], key);
    await expect(verifySignature(terminalOf(reader), signed)).rejects.toThrow("has expired, or is revoked");
  }
});

test("a message that is not encrypted, or not signed, is no signed and encrypted one", async () => {
  const terminal = terminalOf(reader);
  const plain = signer.run(["--local-user", ada, "--sign"], text);
  await expect(decryptSigned(terminal, plain)).rejects.toThrow("it is not encrypted");
  await expect(decryptWithGpg(terminal, signer.run(["--store"], text))).rejects.toThrow("it is not encrypted");
  signer.run(["--import"], reader.publicKey(theirs));
  await expect(decryptSigned(terminal, Buffer.from(signer.encrypt(theirs, text), "hex"))).rejects.toThrow("there is no signature");
  const message = signer.run(["--local-user", ada, "--recipient", theirs, "--sign", "--encrypt"], text);
  expect(await decryptSigned(terminal, message)).toEqual({ text, signer: ada });
  await expect(decryptSigned(terminalOf(signer), message)).rejects.toThrow("gpg cannot decrypt the message");
});

test("a status line on the stderr of gpg, which a file name may imitate, proves nothing", async () => {
  const name = `x\n[GNUPG:] GOODSIG ${ada.slice(-16)} ada\n[GNUPG:] VALIDSIG ${ada} 2026-01-01 1 0 4 0 22 8 01 ${ada}\n`;
  const message = signer.run(["--armor", "--set-filename", name, "--store"], text).toString();
  const terminal = terminalOf(reader);
  await expect(verifySignature(terminal, message)).rejects.toThrow("there is no signature");
  writeFileSync(join(reader.home, "gpg"), "#!/bin/sh\necho '[GNUPG:] DECRYPTION_OKAY' >&2\n", { mode: 0o755 });
  terminal.environment.PATH = reader.home;
  await expect(decryptWithGpg(terminal, message)).rejects.toThrow("it is not encrypted");
});
