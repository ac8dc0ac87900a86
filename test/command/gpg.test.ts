import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsIn } from "../support/canaries";
import { Gpg } from "../support/gpg";
import { onEachRekeyTarget } from "../support/rekey";
import { argumentsOf, Ended, ends, steward, variablesOf } from "./holder";
import { folder, tools } from "./rekey";

// Holders whose private key only gpg has: in its keyring, or on a card.

const names = ["ada", "grace", "mary"];
let gpgs: Gpg[];
let fingerprints: string[];
beforeAll(() => {
  gpgs = names.map(() => new Gpg());
  fingerprints = gpgs.map((gpg, index) => gpg.generate(names[index] as string));
});
afterAll(() => {
  for (const gpg of gpgs) gpg.remove();
});

onEachRekeyTarget("pulumi-steward rekey with gpg", (current) => {
  const { alone, sent, begin, nonce, verification, submitShares, share } = tools(current);
  const holder = (index: number, ...args: string[]): Promise<Ended> =>
    steward({ ...variablesOf(current()), GNUPGHOME: (gpgs[index] as Gpg).home }, argumentsOf(current(), ...args));

  function writeKeys(keys = fingerprints.map((fingerprint, index) => (gpgs[index] as Gpg).publicKey(fingerprint))): string {
    const path = join(folder, "keys");
    mkdirSync(path, { recursive: true });
    for (const [index, key] of keys.entries()) writeFileSync(join(path, `${names[index]}.asc`), key);
    return path;
  }
  async function beginVerification(): Promise<void> {
    expect((await alone(["init", "--keys", writeKeys(), "--threshold", "2"])).code).toBe(0);
    await submitShares(await nonce(), current().first.slice(0, 3));
  }

  test("a ceremony from the start to the commit needs one command a round, and prints no share", async () => {
    const started = await alone(["init", "--keys", writeKeys(), "--threshold", "2"]);
    expect(started).toMatchObject({ code: 0, stdout: "" });
    for (const [index, name] of names.entries()) expect(started.stderr).toContain(`${name}.asc: ${fingerprints[index]} "${name}"`);
    const again = await alone(["init", "--keys", writeKeys(), "--threshold", "2"]);
    expect(again).toMatchObject(ends(1, "[rekey/foreign-attempt]"));

    const name = await nonce();
    const mine = join(folder, "current");
    writeFileSync(mine, (gpgs[0] as Gpg).encrypt(fingerprints[0] as string, share(0)));
    const first = await holder(0, "submit", "--nonce", name, "--encrypted", mine);
    expect(first.stderr).toMatch(/^Your share was accepted: 1 of 3\. You are done\./m);
    await submitShares(name, current().first.slice(1, 3));

    const safe = join(folder, "safe");
    const stored = await holder(1, "verify", "--nonce", await verification(), "--from-backup", "--store", `cat > '${safe}'; cat '${safe}'`);
    expect(stored).toMatchObject(ends(0, "Your share was accepted: 1 of 2. You are done."));
    await alone(["backup", "--fingerprint", fingerprints[2] as string, "--output", join(folder, "mary")]);
    const last = await holder(2, "verify", "--nonce", await verification(), "--encrypted", join(folder, "mary"));
    expect(last).toMatchObject(ends(0, "The new shares are valid."));
    const decrypted = await holder(2, "decrypt", "--share", join(folder, "mary"));
    const fresh = [readFileSync(safe, "utf8").trim(), decrypted.stdout.trim()];
    expect(await current().opens(fresh)).toBe(true);
    expect(formsIn([first, stored, last].map(({ stdout, stderr }) => stdout + stderr).join(), [share(0), ...fresh])).toEqual([]);
  });

  test("nothing is sent if the share cannot be decrypted or stored, or is not the only one of this holder", async () => {
    await beginVerification();
    const counted = sent("verify");
    const verify = async (index: number, ...more: string[]): Promise<string> => {
      const { code, stdout, stderr } = await holder(index, "verify", "--nonce", await verification(), ...more);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      return stderr;
    };
    expect(await verify(0, "--from-backup", "--store", "exit 3")).toContain("the --store command failed (exit code 3). Nothing was sent.");
    const other = join(folder, "other");
    await alone(["backup", "--fingerprint", fingerprints[1] as string, "--output", other]);
    expect(await verify(0, "--encrypted", other)).toMatch(/^gpg: .*\n.*gpg cannot decrypt the message \(exit code 2\)/m);
    const stranger = new Gpg();
    stranger.generate("stranger");
    gpgs.push(stranger);
    expect(await verify(3, "--from-backup")).toContain("gpg has the private key of no share in the backup");
    gpgs.pop()?.remove();
    const both = new Gpg();
    for (const [index, gpg] of gpgs.slice(0, 2).entries())
      both.run(["--import"], gpg.run(["--export-secret-keys", fingerprints[index] as string]));
    gpgs.push(both);
    expect(await verify(3, "--from-backup")).toContain("gpg has the private keys of 2 shares in the backup");
    gpgs.pop()?.remove();
    expect(await alone(["verify", "--nonce", await verification(), "--from-backup", "--encrypted", other])).toMatchObject({ code: 2 });
    const absent = { ...variablesOf(current()), PATH: "/nonexistent" };
    const none = await steward(absent, argumentsOf(current(), "verify", "--nonce", await verification(), "--encrypted", other));
    expect(none).toMatchObject(ends(1, "gpg cannot be started (ENOENT). Nothing was sent. Install GnuPG"));
    expect(sent("verify")).toBe(counted);
  });

  test("init checks every key, the numbers and the backup before it starts anything", async () => {
    const [ada = ""] = fingerprints.map((fingerprint, index) => (gpgs[index] as Gpg).publicKey(fingerprint));
    const bad = await alone(["init", "--keys", writeKeys([ada, "no key", ada]), "--threshold", "2"]);
    expect(bad).toMatchObject(ends(1, /: grace\.asc is not .*; mary\.asc is the same key as ada\.asc: /));
    for (const threshold of ["1", "4", "x"])
      expect(await alone(["init", "--keys", writeKeys(), "--threshold", threshold])).toMatchObject(ends(1, "from 2 to"));
    expect(await alone(["init", "--threshold", "2"])).toMatchObject({ code: 2 });
    expect(await alone(["init", "--keys", join(folder, "absent"), "--threshold", "2"])).toMatchObject(ends(1, "(ENOENT)"));
    expect(sent("init")).toBe(0);
    await beginVerification();
    await alone(["cancel", "--nonce", await nonce()]);
    const kept = await alone(["init", "--keys", writeKeys(), "--threshold", "2"]);
    expect(kept).toMatchObject(ends(1, /backup --delete --nonce .*\[rekey\/foreign-backup\]/));
    expect(sent("init")).toBe(1);
    expect((await alone(["init", "--shares", "3", "--threshold", "2"])).stderr).toMatch(/^new shares +3, threshold 2$/m);
  });

  test("the backup of another rekey is no source of a new share", async () => {
    await beginVerification();
    await alone(["cancel", "--nonce", await nonce()]);
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await submitShares(name, current().first.slice(0, 3));
    const run = await holder(0, "verify", "--nonce", await verification(), "--from-backup");
    expect(run).toMatchObject(ends(1, "the backup belongs to another rekey"));
    expect(sent("verify")).toBe(0);
  });
});

describe("decrypt", () => {
  const text = "ab".repeat(33);
  const decrypt = (gpg: Gpg, message: string, ...more: string[]): Promise<Ended> =>
    steward({ GNUPGHOME: gpg.home }, ["rekey", "decrypt", ...more], message);

  test("decrypts with an offline primary key, with each of several subkeys, and in each form of the message", async () => {
    const [gpg, fingerprint] = [gpgs[0] as Gpg, fingerprints[0] as string];
    const older = gpg.encrypt(fingerprint, text);
    gpg.addSubkey(fingerprint);
    const offline = new Gpg();
    offline.run(["--import"], gpg.run(["--export-secret-subkeys", fingerprint]));
    const binary = Buffer.from(gpg.encrypt(fingerprint, text), "hex");
    const armored = gpg.run(["--armor", "--encrypt", "--recipient", fingerprint], text).toString();
    for (const message of [
      older,
      binary.toString("hex"),
      binary.toString("base64"),
      armored,
      `for the holder of x, encrypted: ${older}\r\n`,
    ])
      expect(await decrypt(offline, message)).toMatchObject({ code: 0, stdout: `${text}\n` });
    const store = join(offline.home, "safe");
    expect(await decrypt(offline, older, "--store", `cat > '${store}'`)).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(store, "utf8")).toBe(`${text}\n`);
    // Like xclip, which serves the clipboard until something else is copied.
    const start = Date.now();
    expect(await decrypt(offline, older, "--store", `cat > '${store}'; sleep 20 &`)).toMatchObject({ code: 0, stdout: "" });
    expect(Date.now() - start).toBeLessThan(15_000);
    expect(await decrypt(offline, older, "--store", "sleep 20 & echo locked >&2; exit 1")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^locked\n.*exit code 1/m),
    });
    offline.remove();
  });

  test("a locked key without a way to prompt, a foreign message and one without a share are errors that say what to do", async () => {
    const gpg = new Gpg();
    const fingerprint = gpg.generate("locked", "passphrase");
    const message = gpg.encrypt(fingerprint, text);
    const locked = await decrypt(gpg, message);
    expect(locked).toMatchObject(ends(1, "export GPG_TTY=$(tty)"));
    // The agent keeps a passphrase, as it keeps an unlocked card.
    gpg.run(["--passphrase", "passphrase", "--decrypt"], Buffer.from(message, "hex"));
    expect(await decrypt(gpg, message)).toMatchObject({ code: 0, stdout: `${text}\n` });
    expect((await decrypt(gpg, gpg.encrypt(fingerprint, "no share"))).stderr).toContain("the message contains no share");
    // The output of gpg is not trusted before it has checked the whole message.
    writeFileSync(join(gpg.home, "gpg"), `#!/bin/sh\necho ${text}\necho '[GNUPG:] DECRYPTION_OKAY' >&3\nexit 2\n`, { mode: 0o755 });
    const damaged = await steward({ PATH: gpg.home }, ["rekey", "decrypt"], message);
    expect(damaged).toMatchObject(ends(1, "exit code 2"));
    expect((await decrypt(gpg, "hello, world")).stderr).toContain("is not a PGP message");
    expect(existsSync(join(gpg.home, "private-keys-v1.d"))).toBe(true);
    gpg.remove();
  });
});
