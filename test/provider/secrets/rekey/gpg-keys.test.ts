import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secrets } from "../../../../provider";
import { decryptMessage, inspectKeys } from "../../../../provider/secrets/rekey/protocol/crypto";
import { refusal } from "../../../support/refusal";

// Keys of GnuPG, in each algorithm that it shares with the library. Vault encrypts a share to any of them.

const home = mkdtempSync(join(tmpdir(), "steward-gpg-"));
// Fast passphrases.
writeFileSync(join(home, "gpg-agent.conf"), "s2k-count 65536\n");
const env = { ...process.env, GNUPGHOME: home };
const gpg = (args: string[], input = ""): Buffer =>
  execFileSync("gpg", ["--batch", "--quiet", "--pinentry-mode", "loopback", "--trust-model", "always", ...args], {
    input,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
afterAll(() => {
  execFileSync("gpgconf", ["--homedir", home, "--kill", "all"]);
  rmSync(home, { recursive: true, force: true });
});

const share = "ab".repeat(33);
const encrypted = (name: string): string => gpg(["--encrypt", "--recipient", `=${name}`], share).toString("hex");
const exported = (name: string, kind: string, ...options: string[]): string => gpg([...options, "--armor", kind, `=${name}`]).toString();

interface Kind {
  primary: string;
  subkey: string;
  /** The usage of the primary key. */
  usage?: string;
  /** The library's reason to reject the key. */
  reason?: string;
}
const bits = { ed25519: "EdDSA\nKey-Curve: ed25519", cv25519: "ECDH\nSubkey-Curve: cv25519" } as Record<string, string>;
/** The parameters of an algorithm, as `gpg --gen-key` takes them. */
const parameters = (prefix: "Key" | "Subkey", name: string): string => {
  const [, algorithm, size] = /^(RSA|DSA|ELG)(\d+)$/.exec(name) ?? [];
  const curve = `${prefix === "Key" ? "ECDSA" : "ECDH"}\n${prefix}-Curve: ${name}`;
  return `${prefix}-Type: ${algorithm ? `${algorithm}\n${prefix}-Length: ${size}` : (bits[name] ?? curve)}`;
};
const make = ({ primary, subkey, usage = "cert sign" }: Kind, protection: string): string => {
  const name = `${primary} ${subkey} ${protection.slice(0, 1)}`;
  const lines = [
    parameters("Key", primary),
    `Key-Usage: ${usage}`,
    parameters("Subkey", subkey),
    `Name-Real: ${name}`,
    protection,
    "%commit\n",
  ];
  gpg(["--generate-key"], lines.join("\n"));
  return name;
};
const same = (name: string): Kind => ({ primary: name, subkey: name });
const weakRsa = "RSA keys shorter than 2047 bits are considered too weak";
const disabled = (algorithm: string): string => `Support for ${algorithm} keys using curve secp256k1 is disabled`;

test.each<Kind>([
  { primary: "ed25519", subkey: "cv25519" },
  ...["nistp256", "nistp384", "nistp521", "brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1", "RSA2048", "RSA3072"].map(same),
  { ...same("secp256k1"), reason: disabled("ecdsa") },
  { primary: "ed25519", subkey: "secp256k1", reason: disabled("ecdh") },
  { primary: "DSA2048", subkey: "ELG2048", reason: "dsa keys are considered too weak" },
  // The primary key could decrypt, but the server takes the subkey.
  { primary: "RSA2048", subkey: "ELG2048", usage: "cert sign encrypt", reason: "elgamal keys are considered too weak" },
  { ...same("RSA1024"), reason: weakRsa },
  { primary: "RSA2048", subkey: "RSA1024", usage: "cert sign encrypt", reason: weakRsa },
])("a key of GnuPG, $primary with $subkey, gets a share or the library's reason, and decrypts one without a warning", async (kind) => {
  const name = make(kind, "%no-protection");
  const [key] = await inspectKeys([exported(name, "--export")]);
  const reason = expect.stringMatching(/^the key [0-9a-f]{40} has no valid subkey for encryption: the server would use [0-9a-f]{16} \(/);
  expect(key?.problem).toEqual(kind.reason && { rule: "no-encryption-subkey", reason });
  if (kind.reason) expect(key?.problem?.reason).toContain(`(${kind.reason})`);
  // Also without the private part of the primary key.
  for (const each of ["--export-secret-keys", "--export-secret-subkeys"]) {
    const decrypted = await decryptMessage({
      share: encrypted(name),
      privateKey: exported(name, each),
      passphrase: async () => undefined,
    });
    expect(decrypted).toEqual({ text: share, recipients: [expect.any(String)] });
    expect(key?.encryptionKeys).toContain(decrypted.recipients[0]);
  }
});

test("the right passphrase unlocks a key whose primary key is offline, with and without a subkey that signs", async () => {
  const passphrase = "open sesame";
  const unlock = ["--passphrase", passphrase];
  const name = make({ primary: "ed25519", subkey: "cv25519", usage: "cert" }, `Passphrase: ${passphrase}`);
  const [fingerprint = ""] = /[0-9A-F]{40}/.exec(gpg(["--with-colons", "--list-keys", `=${name}`]).toString()) ?? [];
  for (const addition of [[], ["--quick-add-key", fingerprint, "ed25519", "sign"]]) {
    if (addition.length > 0) gpg([...unlock, ...addition]);
    const given = { share: encrypted(name), privateKey: exported(name, "--export-secret-subkeys", ...unlock) };
    await secrets.decryptShare({ ...given, passphrase });
    await expect(secrets.decryptShare({ ...given, passphrase: "other" })).rejects.toThrow(
      refusal("ERR_INVALID_INPUT", { rule: "passphrase" }),
    );
    await expect(secrets.decryptShare(given)).rejects.toThrow(refusal("ERR_INVALID_INPUT", { rule: "key-locked" }));
  }
});
