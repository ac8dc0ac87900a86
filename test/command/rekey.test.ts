import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Holder, holders } from "../pgp";
import { onEachRekeyTarget } from "../rekey";
import { Ended, endOfInput, enter, interrupt, Person, steward, typing, variablesOf } from "./holder";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "steward-command-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const askedForCurrent = "Your current share (it is not shown): ";
const askedForNew = "Your new share (it is not shown): ";
const confirmed = "to this rekey? [y/N] ";
const formsOf = (share: string): string[] => {
  const bytes = /^[0-9a-f]+$/.test(share) ? Buffer.from(share, "hex") : Buffer.from(share, "base64");
  return [bytes.toString("hex"), bytes.toString("base64")];
};

onEachRekeyTarget("the holders' command line", (current) => {
  const alone = (args: string[], input?: string, started?: (pid: number) => void): Promise<Ended> =>
    steward(variablesOf(current()), ["rekey", ...args], input, started);
  const atTerminal = (args: string[], person: Person): ReturnType<typeof typing> =>
    typing(variablesOf(current()), ["rekey", ...args], person);
  const sent = (path: string): number =>
    current().gateway.requests.filter((request) => request.method === "PUT" && request.path === `/v1/sys/rekey/${path}`).length;

  async function begin(body: object): Promise<string> {
    const { status } = await current().outside("PUT", "sys/rekey/init", { require_verification: true, ...body });
    expect(status).toBeLessThan(300);
    return nonce();
  }
  const nonce = async (): Promise<string> => String((await current().outside("GET", "sys/rekey/init")).body.nonce);
  const verification = async (): Promise<string> => String((await current().outside("GET", "sys/rekey/verify")).body.nonce);
  const forHolders = async (all: Holder[], more = {}): Promise<string> => {
    const pgp_keys = all.map(({ publicKey }) => publicKey.replace(/-----[^-]+-----|\n=.*|\s/g, ""));
    return begin({ secret_shares: all.length, secret_threshold: 2, pgp_keys, backup: true, ...more });
  };
  /** All current shares but the last one. */
  async function giveTwo(name: string): Promise<void> {
    for (const key of current().first.slice(0, 2)) await current().outside("PUT", "sys/rekey/update", { key, nonce: name });
  }
  const share = (index: number): string => current().first[index] as string;

  test("several holders with keys of their own: each sees what it is for, reads a share alone, and the last one commits", async () => {
    expect(await alone(["status"])).toEqual({ code: 0, stdout: `no rekey in progress on ${current().gateway.url}\n`, stderr: "" });
    const all = await holders(3);
    const name = await forHolders(all);
    const status = await alone(["status"]);
    expect(status.stdout.split("\n")).toEqual([
      `server          ${current().gateway.url}`,
      `nonce           ${name}`,
      "new shares      3, threshold 2",
      "current shares  0 of 3 given",
      "verification    required: nothing is committed before new shares are given back",
      "encrypted to",
      ...all.map(({ fingerprint }, index) => `  share ${index + 1}       ${fingerprint}`),
      "backup          the service keeps the encrypted new shares",
      "",
    ]);

    const first = await alone(["submit", "--nonce", name], `${share(0)}\n`);
    expect(first).toMatchObject({ code: 0, stdout: "" });
    expect(first.stderr).toBe(`${status.stdout}1 of 3 current shares given.\n`);
    // In hex, as well as in base64.
    const second = await atTerminal(["submit"], {
      [confirmed]: `y${enter}`,
      [askedForCurrent]: formsOf(share(1))[0] + enter,
    });
    expect(second).toMatchObject({ code: 0, stdout: "", raw: [true, false, true, false] });
    for (const { fingerprint } of all) expect(second.stderr.indexOf(fingerprint)).toBeLessThan(second.stderr.indexOf(askedForCurrent));
    expect(second.stderr).toContain("2 of 3 current shares given.");
    const output = join(folder, "new");
    const third = await alone(["submit", "--nonce", name, "--output", output], share(2));
    expect(third).toMatchObject({ code: 0, stdout: "" });
    expect(third.stderr).toContain(`The new shares are in ${output}, which only you can read.`);
    expect(third.stderr).toContain("Nothing is committed yet: the current shares still open the service.");
    expect(third.stderr).toContain(`Then 2 of them are given back: pulumi-steward rekey verify --nonce ${await verification()}\n`);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(sent("update")).toBe(3);

    const decrypted: string[] = [];
    for (const [index, holder] of all.entries()) {
      const line = readFileSync(output, "utf8").split("\n")[index] ?? "";
      const [, message = ""] =
        new RegExp(`^share ${index + 1}, for the holder of ${holder.fingerprint}, encrypted: ([0-9a-f]+)$`).exec(line) ?? [];
      const key = join(folder, `key${index}`);
      writeFileSync(key, holder.privateKey.armor());
      const { code, stdout } = await alone(["decrypt", "--key", key], message);
      expect(code).toBe(0);
      decrypted.push(stdout.trim());
    }
    const back = await atTerminal(["verify"], { [confirmed]: `yes${enter}`, [askedForNew]: decrypted[0] + enter });
    expect(back.stderr).toContain("1 of 2 new shares given back.");
    expect((await alone(["status"])).stdout).toContain(`verification    1 of 2 new shares given back; its nonce: ${await verification()}`);
    const last = await alone(["verify", "--nonce", await verification()], decrypted[2]);
    expect(last).toMatchObject({ code: 0, stdout: "" });
    expect(last.stderr).toContain("The new shares are live. The former ones open nothing any more.");
    expect(await current().opens(decrypted.slice(1))).toBe(true);
    expect(await current().opens(current().first)).toBe(false);

    const shown = [status, first, second, third, back, last].map(({ stdout, stderr }) => stdout + stderr).join();
    for (const secret of [...current().first, ...decrypted]) for (const form of formsOf(secret)) expect(shown).not.toContain(form);
  });

  test("without keys the last share brings all new ones, on the standard output alone, and they are proven", async () => {
    const name = await begin({ secret_shares: 4, secret_threshold: 2 });
    await giveTwo(name);
    const { code, stdout, stderr } = await alone(["submit", "--nonce", name], share(2));
    expect(code).toBe(0);
    expect(stderr).toContain("If yours is the last share, all new shares come here, in clear text.");
    expect(stderr).toContain("All 4 new shares belong together.");
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

  test("without verification it is said, before and after", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2, require_verification: false });
    await giveTwo(name);
    const { stdout, stderr } = await alone(["submit", "--nonce", name], share(2));
    expect(stderr).toContain("verification    none: the last current share commits\n");
    expect(stderr).toContain("if its answer is lost, nobody ever knows the new keys.");
    expect(stderr).toContain("The new shares are live, and the former ones open nothing any more. Give each to its holder.");
    expect(await current().opens([...stdout.matchAll(/: (\S+)/g)].map(([, each]) => each as string))).toBe(true);
  });

  test("the status as JSON has the fields of getRekeyStatus()", async () => {
    const all = await holders(2);
    const name = await forHolders(all);
    await giveTwo(name);
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

  test("a rekey that was changed after it was shown gets nothing", async () => {
    await begin({ secret_shares: 5, secret_threshold: 3 });
    const replaced = await atTerminal(["submit"], {
      [confirmed]: `y${enter}`,
      [askedForCurrent]: async () => {
        await current().outside("DELETE", "sys/rekey/init", { nonce: await nonce() });
        await begin({ secret_shares: 1, secret_threshold: 1 });
        return share(0) + enter;
      },
    });
    expect(replaced.code).toBe(1);
    expect(replaced.stderr).toContain(
      "the rekey is no longer the one that was shown (its nonce, the number of new shares, their threshold); nothing was sent.",
    );
    // A service that lies may keep the nonce.
    let looks = 0;
    current().gateway.interrupt = ({ method, path }) =>
      method === "GET" && path === "/v1/sys/rekey/init" && ++looks === 2
        ? { when: "after", answer: (body) => JSON.stringify({ ...JSON.parse(body), pgp_fingerprints: ["feed"], backup: true }) }
        : undefined;
    const altered = await alone(["submit", "--nonce", await nonce()], share(0));
    expect(altered.stderr).toContain("the rekey is no longer the one that was shown (the keys, the backup); nothing was sent.");
    looks = 0;
    current().gateway.interrupt = ({ path }) =>
      path === "/v1/sys/rekey/init" && ++looks === 2
        ? { when: "after", answer: () => JSON.stringify({ started: false, nonce: "" }) }
        : undefined;
    const gone = await alone(["submit", "--nonce", await nonce()], share(0));
    expect(gone.stderr).toContain("the rekey is no longer the one that was shown (it is gone); nothing was sent.");
    expect(sent("update")).toBe(0);
  });

  test("a verification that was begun anew after it was shown gets nothing", async () => {
    const all = await holders(2);
    const name = await forHolders(all);
    await giveTwo(name);
    await current().outside("PUT", "sys/rekey/update", { key: share(2), nonce: name });
    const before = await verification();
    const anew = await atTerminal(["verify"], {
      [confirmed]: `y${enter}`,
      [askedForNew]: async () => {
        await current().outside("DELETE", "sys/rekey/verify");
        return share(0) + enter;
      },
    });
    expect(anew.stderr).toContain("the rekey is no longer the one that was shown (the nonce of its verification); nothing was sent.");
    const stale = await alone(["verify", "--nonce", before], share(0));
    expect(stale.stderr).toContain(`--nonce is not that of the verification in progress, ${await verification()}.`);
    const late = await alone(["submit", "--nonce", name], share(0));
    expect(late.stderr).toContain("the current shares are all given, and the new ones are made. Give a new share with");
    expect(sent("verify") + sent("update")).toBe(0);
  });

  test("what cannot be given is refused before anything is sent", async () => {
    const refused = async (args: string[], input: string, code: number, reason: string): Promise<void> => {
      const run = await alone(args, input);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toContain(reason);
      for (const form of formsOf(share(0))) expect(run.stderr).not.toContain(form);
      expect(run.stderr).not.toMatch(/^\s+at .*:\d+/m);
    };
    await refused(["submit", "--nonce", "x"], share(0), 1, `no rekey is in progress on ${current().gateway.url}.`);
    await refused(["cancel", "--nonce", "x"], "", 1, "no rekey is in progress");
    const name = await begin({ secret_shares: 5, secret_threshold: 3 });
    await refused(["verify", "--nonce", name], share(0), 1, "there is nothing to verify: the new shares are not made yet. 0 of 3 current");
    await refused(["restart", "--nonce", name], share(0), 1, "there is nothing to verify");
    await refused(["submit", "--nonce", share(0)], share(0), 1, `--nonce is not that of the rekey in progress, ${name}.`);
    await refused(["submit"], share(0), 2, "--nonce is needed where there is no terminal to confirm the rekey");
    await refused(["submit", "--nonce", name], "", 1, "what was given is no share, in base64 or hex; nothing was sent.");
    await refused(["submit", "--nonce", name], `two ${share(0)}`, 1, "what was given is no share");
    for (const args of [["submit", share(0)], ["submit", `--share=${share(0)}`], [share(0)], ["submit", "--nonce", name, share(0)]])
      await refused(args, "", 2, "(A share is never an argument: it is asked for, or read from the standard input.");
    const there = join(folder, "there");
    writeFileSync(there, "");
    await refused(
      ["submit", "--nonce", name, "--output", there],
      share(0),
      1,
      "the file of --output cannot be made (EEXIST); nothing was sent.",
    );
    expect(sent("update") + sent("verify")).toBe(0);
    const fresh = join(folder, "fresh");
    await alone(["submit", "--nonce", name, "--output", fresh], share(0));
    expect([sent("update"), existsSync(fresh)]).toEqual([1, false]);
  });

  test.each([
    ["Ctrl-C at the confirmation", { [confirmed]: interrupt }, [true, false]],
    ["no at the confirmation", { [confirmed]: `n${enter}` }, [true, false]],
    ["Ctrl-C at the share", { [confirmed]: `y${enter}`, [askedForCurrent]: `half of it${interrupt}` }, [true, false, true, false]],
    ["Ctrl-D at the share", { [confirmed]: `y${enter}`, [askedForCurrent]: endOfInput }, [true, false, true, false]],
  ])("%s sends nothing, and leaves the terminal as it was", async (_, person, modes) => {
    await begin({ secret_shares: 5, secret_threshold: 3 });
    const { code, stderr, raw } = await atTerminal(["submit", "--output", join(folder, "new")], person);
    expect({ code, raw }).toEqual({ code: 130, raw: modes });
    expect(stderr).toMatch(/\npulumi-steward: cancelled; nothing was sent\.\n$/);
    expect(stderr).not.toContain("half");
    expect([sent("update"), existsSync(join(folder, "new"))]).toEqual([0, false]);
  });

  test("a wrong share shows at the threshold, and costs the round; one given twice costs nothing; neither is sent again", async () => {
    const name = await begin({ secret_shares: 5, secret_threshold: 3 });
    await alone(["submit", "--nonce", name], share(0));
    const twice = await alone(["submit", "--nonce", name], share(0));
    expect(twice.code).toBe(1);
    expect(twice.stderr).toContain("the service refused this share and lost nothing: given key has already been provided");
    await alone(["submit", "--nonce", name], share(1));
    const wrong = Buffer.from(share(2), "base64").fill(7, 0, 20).toString("base64");
    const last = await alone(["submit", "--nonce", name], wrong);
    expect(last.code).toBe(1);
    expect(last.stderr).toMatch(/the 3 current shares given are not a set of the service's keys \(.+\)\. Nothing is committed\./);
    expect(last.stderr).toContain(`all holders give theirs again. The nonce now is ${name}.`);
    for (const form of formsOf(wrong)) expect(last.stderr).not.toContain(form);
    expect(sent("update")).toBe(4);
    expect((await alone(["status"])).stdout).toContain("0 of 3 given");
  });

  test("wrong new shares: nothing is committed, and they are given back under another nonce", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await giveTwo(name);
    await current().outside("PUT", "sys/rekey/update", { key: share(2), nonce: name });
    const before = await verification();
    await alone(["verify", "--nonce", before], share(0));
    const last = await alone(["verify", "--nonce", before], share(1));
    expect(last.stderr).toMatch(/the 2 new shares given are not a set of the new keys \(.+\)\. Nothing is committed\./);
    expect(await verification()).not.toBe(before);
    expect(last.stderr).toContain(`The nonce now is ${await verification()}.`);
    expect(await current().opens(current().first)).toBe(true);
  });

  test("restart forgets what was given back, cancel ends it all, and the current shares stay valid", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await giveTwo(name);
    const { stdout } = await alone(["submit", "--nonce", name], share(2));
    const before = await verification();
    await alone(["verify", "--nonce", before], /^share 1: (.*)$/m.exec(stdout)?.[1]);
    const restarted = await atTerminal(["restart"], { "Begin its verification anew? [y/N] ": `y${enter}` });
    expect(restarted.stderr).toContain(`The verification begins anew: pulumi-steward rekey verify --nonce ${await verification()}`);
    expect((await current().outside("GET", "sys/rekey/verify")).body).toMatchObject({ progress: 0 });
    expect(await verification()).not.toBe(before);
    expect((await alone(["cancel", "--nonce", before])).stderr).toContain(`--nonce is not that of the rekey in progress, ${name}.`);
    const cancelled = await alone(["cancel", "--nonce", name]);
    expect(cancelled).toMatchObject({ code: 0, stdout: "" });
    expect(cancelled.stderr).toContain("The rekey is cancelled. The current shares stay valid; new ones that were made are worthless.");
    expect((await current().outside("GET", "sys/rekey/init")).body.started).toBe(false);
    expect(await current().opens(current().first)).toBe(true);
  });

  test("lost answers: what became of the share is looked up, and nothing is sent again", async () => {
    const cut = (path: string, when: "before" | "after" = "after"): void => {
      current().gateway.interrupt = (passing) =>
        passing.method === "PUT" && passing.path === `/v1/sys/rekey/${path}` ? { when } : undefined;
    };
    const all = await holders(2);
    let name = await forHolders(all);
    cut("update");
    const counted = await alone(["submit", "--nonce", name], share(0));
    expect(counted.code).toBe(1);
    expect(counted.stderr).toMatch(/the answer was lost \(.+\); 1 of 3 current shares are given now, 0 were before\. It counted, unless/);
    cut("update", "before");
    const lost = await alone(["submit", "--nonce", name], share(1));
    expect(lost.stderr).toContain("1 of 3 current shares are given now, 1 were before. It did not count: give it again.");
    expect(sent("update")).toBe(2);
    await current().outside("PUT", "sys/rekey/update", { key: share(1), nonce: name });
    cut("update");
    const last = await alone(["submit", "--nonce", name, "--output", join(folder, "new")], share(2));
    expect(last.stderr).toMatch(
      /the new shares are made, and were lost with the answer \(.+\)\. Nothing is committed\. The service's backup holds them/,
    );
    expect(existsSync(join(folder, "new"))).toBe(false);

    await current().outside("DELETE", "sys/rekey/init", { nonce: name });
    name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await giveTwo(name);
    current().gateway.interrupt = undefined;
    const shares = [...(await alone(["submit", "--nonce", name], share(2))).stdout.matchAll(/: (\S+)/g)].map(([, each]) => each as string);
    await alone(["verify", "--nonce", await verification()], shares[0]);
    cut("verify");
    const unknown = await alone(["verify", "--nonce", await verification()], shares[1]);
    expect(unknown.stderr).toMatch(
      /whether the new shares are live is not known: the answer was lost \(.+\), and the rekey is gone\. Keep the former shares and/,
    );
    expect(await current().opens(shares)).toBe(true);
  });

  test("a service that is lost with the rekey, or says what is not so, is not believed", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    current().gateway.interrupt = ({ path }) =>
      path === "/v1/sys/rekey/update"
        ? { when: "after", act: async () => void (await current().outside("DELETE", "sys/rekey/init", { nonce: name })) }
        : undefined;
    const gone = await alone(["submit", "--nonce", name], share(0));
    expect(gone.stderr).toMatch(
      /the answer was lost \(.+\), and the rekey is gone\. Nothing is committed: the current shares still open the service\./,
    );

    const second = await begin({ secret_shares: 3, secret_threshold: 2 });
    await giveTwo(second);
    // One of the three is replaced on the way.
    current().gateway.interrupt = ({ path }) =>
      path === "/v1/sys/rekey/update"
        ? {
            when: "after",
            answer: (body) => {
              const { keys_base64, ...rest } = JSON.parse(body);
              // Its last byte says which point it is, and stays: two shares of one point are another story.
              const altered = Buffer.from(keys_base64[2], "base64");
              altered[0] = (altered[0] ?? 0) ^ 1;
              return JSON.stringify({ ...rest, keys_base64: [keys_base64[0], keys_base64[1], altered.toString("base64")] });
            },
          }
        : undefined;
    const odd = await alone(["submit", "--nonce", second], share(2));
    expect(odd.code).toBe(1);
    expect(odd.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(odd.stderr).toContain(
      "the new shares were made, and the shares do not belong together. Nothing is committed: give none of them back",
    );

    current().gateway.interrupt = ({ path, method }) =>
      path === "/v1/sys/rekey/verify" && method === "PUT"
        ? { when: "after", answer: () => JSON.stringify({ nonce: "x", complete: true }) }
        : undefined;
    const said = await alone(["verify", "--nonce", await verification()], odd.stdout.split("\n")[0]?.replace("share 1: ", ""));
    expect(said.stderr).toContain("the service said complete, and does not look so. Keep the former shares and the new ones");
  });

  test("fewer new shares than were asked for are handed out, and not trusted", async () => {
    const name = await begin({ secret_shares: 3, secret_threshold: 2 });
    await giveTwo(name);
    current().gateway.interrupt = ({ path }) =>
      path === "/v1/sys/rekey/update"
        ? {
            when: "after",
            answer: (body) => JSON.stringify({ ...JSON.parse(body), keys_base64: JSON.parse(body).keys_base64.slice(0, 2) }),
          }
        : undefined;
    const few = await alone(["submit", "--nonce", name], share(2));
    expect(few.stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(few.stderr).toContain("the service gave 2 new shares where 3 were asked for, or those of other holders. Nothing is committed");
  });

  test("where nobody takes the standard output, the new shares are shown all the same", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await giveTwo(name);
    const broken = await typing(
      variablesOf(current()),
      ["rekey", "submit", "--nonce", name],
      { [askedForCurrent]: share(2) + enter },
      { brokenOutput: true },
    );
    const shares = [...broken.stderr.matchAll(/^share \d: (\S+)$/gm)].map(([, each]) => each as string);
    for (const each of shares) await current().outside("PUT", "sys/rekey/verify", { key: each, nonce: await verification() });
    expect(await current().opens(shares)).toBe(true);
  });

  test("Ctrl-C while the last share is on its way waits for the new shares", async () => {
    const name = await begin({ secret_shares: 2, secret_threshold: 2 });
    await giveTwo(name);
    let pid = 0;
    current().gateway.interrupt = ({ path }) =>
      path === "/v1/sys/rekey/update" ? { when: "after", act: () => void process.kill(pid, "SIGINT"), answer: (body) => body } : undefined;
    const last = await alone(["submit", "--nonce", name], share(2), (started) => {
      pid = started;
    });
    expect(last.code).toBe(0);
    expect(last.stdout.trimEnd().split("\n")).toHaveLength(2);
  });
});

test("a share never goes to another machine in clear text, and without a service it is said which variables name one", async () => {
  const plain = await steward({ VAULT_ADDR: "http://192.0.2.1:8200" }, ["rekey", "submit", "--nonce", "x"], "00");
  expect(plain).toEqual({
    code: 1,
    stdout: "",
    stderr: "pulumi-steward: shares would go to http://192.0.2.1:8200 in clear text. Give it https, or say --accept-plaintext.\n",
  });
  const nowhere = await steward({}, ["rekey", "status"]);
  expect(nowhere.stderr).toBe(
    "pulumi-steward: The environment names no secrets service. Set SECRETS_ADDR and SECRETS_TOKEN, or VAULT_ADDR and VAULT_TOKEN.\n",
  );
});

test("the help of every command says what it does, where the service comes from, and which exit codes there are", async () => {
  const { stdout } = await steward({}, ["rekey", "--help"]);
  const commands = ["status", "submit", "verify", "restart", "cancel", "decrypt"];
  for (const name of commands) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    const help = await steward({}, ["rekey", name, "--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toMatch(/^Usage: pulumi-steward rekey \w+ \[options\]$/m);
    expect(help.stdout).toMatch(/Exit code: 0/);
  }
});
