import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsIn } from "../support/canaries";
import { binaryKey, holders } from "../support/pgp";
import { onEachRekeyTarget } from "../support/rekey";
import { endOfInput, ends, enter, interrupt, steward } from "./holder";
import { askedForShare, confirmed, folder, hexOf, tools } from "./rekey";

onEachRekeyTarget("pulumi-steward rekey", (current) => {
  const { alone, atTerminal, sent, begin, nonce, verification, forHolders, cancel, submitShares, share } = tools(current);

  test("holders with PGP keys submit and verify their own shares, and the last one commits", async () => {
    const none = `no rekey of the ${current().keys} keys in progress on ${current().gateway.url}\n`;
    expect(await alone(["status"])).toEqual({ code: 0, stdout: none, stderr: "" });
    const all = await holders(3);
    const name = await forHolders(all);
    const status = await alone(["status"]);
    expect(status.stdout.split("\n")).toEqual([
      `server          ${current().gateway.url}`,
      `keys            ${current().keys} keys`,
      `nonce           ${name}`,
      "new shares      3, threshold 2",
      "current shares  0 of 3 submitted",
      "verification    required: nothing is committed before new shares are verified",
      "encrypted to    a subkey of each of these keys",
      ...all.map(({ fingerprint }, index) => `  share ${index + 1}       ${fingerprint}`),
      expect.stringMatching(/^backup {10}(Vault|OpenBao|the service) stores the encrypted new shares$/),
      "",
    ]);

    const first = await alone(["submit", "--nonce", name], `${share(0)}\n`);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr.replace(status.stdout, "")).toBe(
      "Your share was accepted: 1 of 3. You are done. The server checks the shares with the last one.\n",
    );
    // In hex, although the others are in base64.
    const second = await atTerminal(["submit"], {
      [confirmed]: `y${enter}`,
      [askedForShare]: hexOf(share(1)) + enter,
    });
    expect(second).toMatchObject({ code: 0, stdout: "", raw: [true, false, true, false] });
    for (const { fingerprint } of all) expect(second.stderr.indexOf(fingerprint)).toBeLessThan(second.stderr.indexOf(askedForShare));
    expect(second.stderr).toContain("Your share was accepted: 2 of 3. You are done.");
    const output = join(folder, "new");
    const third = await alone(["submit", "--nonce", name, "--output", output], share(2));
    expect(third).toMatchObject({ code: 0, stdout: "" });
    expect(third.stderr).toContain(output);
    expect(third.stderr).toMatch(new RegExp(`pulumi-steward rekey verify --nonce ${await verification()}( --target recovery)?\n`));
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(sent("update")).toBe(3);

    const decrypted: string[] = [];
    for (const [index, holder] of all.entries()) {
      const line = readFileSync(output, "utf8").split("\n")[index] ?? "";
      const [, message = ""] =
        new RegExp(`^share ${index + 1}, for the holder of ${holder.fingerprint}, encrypted: ([0-9a-f]+)$`).exec(line) ?? [];
      const key = join(folder, `key${index}`);
      writeFileSync(key, holder.privateKey.armor());
      const { code, stdout } = await alone(["decrypt", "--key", key], index === 0 ? message : line);
      expect(code).toBe(0);
      decrypted.push(stdout.trim());
    }
    const back = await atTerminal(["verify"], { [confirmed]: `yes${enter}`, [askedForShare]: decrypted[0] + enter });
    expect(back.stderr).toContain("Your share was accepted: 1 of 2. You are done.");
    expect((await alone(["status"])).stdout).toMatch(new RegExp(`^verification +1 of 2 .* ${await verification()}$`, "m"));
    const last = await alone(["verify", "--nonce", await verification()], decrypted[2]);
    expect(last).toMatchObject({ code: 0, stdout: "" });
    expect(await current().opens(decrypted.slice(1))).toBe(true);
    expect(await current().opens(current().first)).toBe(false);

    const shown = [status, first, second, third, back, last].map(({ stdout, stderr }) => stdout + stderr).join();
    expect(formsIn(shown, [...current().first, ...decrypted])).toEqual([]);
  });

  test("without PGP keys the last share prints all new shares, checked, on standard output only", async () => {
    const name = await begin({ secret_shares: 4, secret_threshold: 2 });
    await submitShares(name);
    const { code, stdout, stderr } = await alone(["submit", "--nonce", name], share(2));
    expect(code).toBe(0);
    expect(stderr).toContain("All 4 new shares ");
    const shares = stdout
      .trimEnd()
      .split("\n")
      .map((line, index) => new RegExp(`^share ${index + 1}: (\\S{44})$`).exec(line)?.[1] ?? "");
    expect(shares).toHaveLength(4);
    for (const each of shares) expect(stderr).not.toContain(each);
    await alone(["verify", "--nonce", await verification()], shares[3]);
    await alone(["verify", "--nonce", await verification()], shares[1]);
    expect(await current().opens(shares.slice(0, 2))).toBe(true);
  });

  test("without verification the output warns before and after the last share", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2, require_verification: false });
    await submitShares(name);
    const { stdout, stderr } = await alone(["submit", "--nonce", name], share(2));
    // The line is printed before the prompt, in addition to the row of the status.
    expect(stderr).toMatch(/^verification +none: .*$(?=[\s\S]*^.*\bverification\b)/m);
    expect(await current().opens([...stdout.matchAll(/: (\S+)/g)].map(([, each]) => each as string))).toBe(true);
  });

  test("status --json has the fields of getRekeyStatus()", async () => {
    const all = await holders(2);
    const name = await forHolders(all);
    await submitShares(name);
    expect(JSON.parse((await alone(["status", "--json"])).stdout)).toMatchObject({
      started: true,
      nonce: name,
      threshold: 2,
      shares: 2,
      progress: 2,
      required: 3,
      backup: true,
      verificationRequired: true,
      pgpFingerprints: all.map(({ fingerprint }) => fingerprint),
    });
  });

  test("submit sends nothing to a rekey that makes a single share, and asks for no confirmation", async () => {
    const pgp_keys = (await holders(1)).map(binaryKey);
    for (const more of [{}, { pgp_keys }]) {
      const name = await begin({ secret_shares: 1, secret_threshold: 1, ...more });
      const typed = await atTerminal(["submit"], { "[y/N] ": `y${enter}` });
      expect(typed).toMatchObject({ code: 1, stdout: "", raw: [], stderr: expect.stringContaining("this rekey creates a single share") });
      expect(typed.stderr).not.toContain("[y/N]");
      expect(await alone(["submit", "--nonce", name], share(0))).toMatchObject({ code: 1, stdout: "" });
      await cancel();
    }
    expect(sent("update")).toBe(0);
  });

  test("no share is sent if the rekey changed after it was shown", async () => {
    await begin({ secret_shares: 5, secret_threshold: 3 });
    const replaced = await atTerminal(["submit"], {
      [confirmed]: `y${enter}`,
      [askedForShare]: async () => {
        await cancel();
        await begin({ secret_shares: 2, secret_threshold: 2 });
        return share(0) + enter;
      },
    });
    expect(replaced).toMatchObject(ends(1, /\(its nonce, .*threshold\)/));
    // A malicious service may keep the nonce.
    const next = (answer: (body: string) => string): void => current().gateway.on("GET sys/rekey/init", { when: "after", answer }, 2);
    const name = await nonce();
    next((body) => JSON.stringify({ ...JSON.parse(body), pgp_fingerprints: ["feed"], backup: true }));
    const altered = await alone(["submit", "--nonce", name], share(0));
    expect(altered.stderr).toMatch(/\(the keys, the backup\)/);
    next(() => JSON.stringify({ started: false, nonce: "" }));
    const gone = await alone(["submit", "--nonce", name], share(0));
    expect(gone.code).toBe(1);
    expect(sent("update")).toBe(0);
  });

  test("no share is sent if the verification restarted after it was shown", async () => {
    const all = await holders(2);
    const name = await forHolders(all);
    await submitShares(name, current().first.slice(0, 3));
    const before = await verification();
    const anew = await atTerminal(["verify"], {
      [confirmed]: `y${enter}`,
      [askedForShare]: async () => {
        await current().outOfBand("DELETE", "sys/rekey/verify");
        return share(0) + enter;
      },
    });
    expect(anew).toMatchObject(ends(1, /\(.*nonce.*\)/));
    const stale = await alone(["verify", "--nonce", before], share(0));
    expect(stale).toMatchObject(ends(1, await verification()));
    const late = await alone(["submit", "--nonce", name], share(0));
    expect(late).toMatchObject(ends(1, "pulumi-steward rekey verify"));
    expect(sent("verify") + sent("update")).toBe(0);
  });

  test("invalid arguments and shares are rejected before anything is sent", async () => {
    const refused = async (args: string[], input: string, code: number, fact: string): Promise<void> => {
      const run = await alone(args, input);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toContain(fact);
      expect(formsIn(run.stderr, [share(0)])).toEqual([]);
      expect(run.stderr).not.toMatch(/^\s+at .*:\d+/m);
    };
    await refused(["submit", "--nonce", "x"], share(0), 1, current().gateway.url);
    await refused(["cancel", "--nonce", "x"], "", 1, current().gateway.url);
    const name = await begin({ secret_shares: 5, secret_threshold: 3 });
    await refused(["verify", "--nonce", name], share(0), 1, "0 of 3 ");
    await refused(["restart", "--nonce", name], share(0), 1, "0 of 3 ");
    await refused(["submit", "--nonce", share(0)], share(0), 1, name);
    await refused(["submit"], share(0), 2, "--nonce");
    for (const text of ["", `two ${share(0)}`, "hunter2", "Tr0ub4dor3", "correcthorse"])
      await refused(["submit", "--nonce", name], text, 1, "nothing was sent. Check that it is whole.");
    await refused(["submit", "--nonce", name], "85".padEnd(900, "0123456789abcdef"), 1, "pulumi-steward rekey decrypt");
    for (const args of [["submit", share(0)], ["submit", `--share=${share(0)}`], [share(0)], ["submit", "--nonce", name, share(0)]])
      await refused(args, "", 2, "(Never pass a share as an argument");
    const there = join(folder, "there");
    writeFileSync(there, "");
    await refused(["submit", "--nonce", name, "--output", there], share(0), 1, "EEXIST");
    expect(sent("update") + sent("verify")).toBe(0);
    const fresh = join(folder, "fresh");
    await alone(["submit", "--nonce", name, "--output", fresh], share(0));
    expect([sent("update"), existsSync(fresh)]).toEqual([1, false]);
  });

  test.each([
    ["Ctrl-C at the confirmation", { [confirmed]: interrupt }, [true, false]],
    ["no at the confirmation", { [confirmed]: `n${enter}` }, [true, false]],
    [
      "Ctrl-C at the prompt for the share",
      { [confirmed]: `y${enter}`, [askedForShare]: `half of it${interrupt}` },
      [true, false, true, false],
    ],
    ["Ctrl-D at the prompt for the share", { [confirmed]: `y${enter}`, [askedForShare]: endOfInput }, [true, false, true, false]],
  ])("%s sends nothing and restores the terminal", async (_, person, modes) => {
    await begin({ secret_shares: 5, secret_threshold: 3 });
    const { code, stderr, raw } = await atTerminal(["submit", "--output", join(folder, "new")], person);
    expect({ code, raw }).toEqual({ code: 130, raw: modes });
    expect(stderr).toMatch(/\npulumi-steward: canceled; nothing was sent\.\n$/);
    expect(stderr).not.toContain("half");
    expect([sent("update"), existsSync(join(folder, "new"))]).toEqual([0, false]);
  });
});

test("rekey rejects plain HTTP to another host, and a missing address names the variables to set", async () => {
  const plain = await steward({ VAULT_ADDR: "http://192.0.2.1:8200" }, ["rekey", "submit", "--nonce", "x"], "00");
  expect(plain).toEqual(ends(1, /http:\/\/192\.0\.2\.1:8200.*--allow-http\.\n$/));
  const nowhere = await steward({}, ["rekey", "status"]);
  for (const name of ["SECRETS_ADDR", "SECRETS_TOKEN", "BAO_ADDR", "BAO_TOKEN", "VAULT_ADDR", "VAULT_TOKEN"])
    expect(nowhere.stderr).toContain(name);
});

test("a warning about the connection does not go to standard output", async () => {
  const { stdout, stderr } = await steward({ SECRETS_ADDR: "http://secrets.invalid:1" }, ["rekey", "status", "--json"]);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^warning: .*"default".* http:\/\/secrets\.invalid:1/m);
});

test("the help of every command describes its purpose, the source of the address and the exit codes", async () => {
  const { stdout } = await steward({}, ["rekey", "--help"]);
  const commands = ["status", "submit", "verify", "restart", "cancel", "backup", "decrypt"];
  for (const name of commands) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    const help = await steward({}, ["rekey", name, "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^Usage: pulumi-steward rekey \w+ \[options\]$/m);
    expect(help.stdout).toMatch(/Exit code: 0/);
  }
});

test("an unknown command prints the list of commands", async () => {
  const unknown = await steward({}, ["rekey", "foo"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toContain("error: unknown command 'foo'");
  expect(unknown.stderr).toContain("Usage: pulumi-steward rekey [options] [command]");
  expect(unknown.stderr).toMatch(/^ {2}submit /m);
  expect((await steward({}, ["foo"])).stderr).toContain("Usage: pulumi-steward [options] [command]");
  // An invalid option does not print the help of the command.
  expect((await steward({}, ["rekey", "status", "--foo"])).stderr).not.toContain("Usage:");
});
