import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A holder's GnuPG, with a home of its own. */
export class Gpg {
  readonly home = mkdtempSync(join(tmpdir(), "steward-gpg-"));

  constructor() {
    // Fast passphrases, and no prompt on the screen of the tests.
    writeFileSync(join(this.home, "gpg-agent.conf"), "s2k-count 65536\npinentry-program /nonexistent\n");
  }

  run = (args: readonly string[], input: string | Buffer = ""): Buffer =>
    execFileSync("gpg", ["--batch", "--quiet", "--pinentry-mode", "loopback", "--trust-model", "always", ...args], {
      input,
      env: { ...process.env, GNUPGHOME: this.home },
      stdio: ["pipe", "pipe", "ignore"],
    });

  /** Makes a key, and returns its fingerprint. */
  generate(name: string, passphrase = ""): string {
    this.run(["--passphrase", passphrase, "--quick-generate-key", name, "ed25519", "sign"]);
    const fingerprint = this.fingerprintOf(name);
    this.addSubkey(fingerprint, passphrase);
    return fingerprint;
  }

  addSubkey = (fingerprint: string, passphrase = ""): void =>
    void this.run(["--passphrase", passphrase, "--quick-add-key", fingerprint, "cv25519", "encr"]);

  /** Imports the revocation that gpg keeps of each new key. */
  revoke(fingerprint: string): void {
    const kept = readFileSync(join(this.home, "openpgp-revocs.d", `${fingerprint.toUpperCase()}.rev`), "utf8");
    this.run(["--import"], kept.replace(":-----BEGIN", "-----BEGIN"));
  }

  private fingerprintOf = (name: string): string =>
    (/^fpr:+([0-9A-F]+):/m.exec(this.run(["--with-colons", "--list-keys", `=${name}`]).toString())?.[1] ?? "").toLowerCase();

  publicKey = (fingerprint: string): string => this.run(["--armor", "--export", fingerprint]).toString();

  encrypt = (fingerprint: string, text: string): string => this.run(["--encrypt", "--recipient", fingerprint], text).toString("hex");

  remove(): void {
    execFileSync("gpgconf", ["--homedir", this.home, "--kill", "all"]);
    rmSync(this.home, { recursive: true, force: true });
  }
}
