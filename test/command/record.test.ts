import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "../../provider/secrets/rekey/protocol/record";
import { formsIn } from "../support/canaries";
import { Gpg } from "../support/gpg";
import { onEachRekeyTarget } from "../support/rekey";
import { argumentsOf, ends, steward, stewardProcess, variablesOf } from "./holder";
import { Entry, entriesIn, eventsIn, folder, newSharesIn, tools } from "./rekey";

const write = (path: string, entries: readonly Entry[]): void =>
  writeFileSync(path, entries.map((each) => `${JSON.stringify(each)}\n`).join(""));

let gpg: Gpg;
let auditor: Gpg;
let [ada, mallory] = ["", ""];
beforeAll(() => {
  [gpg, auditor] = [new Gpg(), new Gpg()];
  [ada, mallory] = [gpg.generate("ada"), gpg.generate("mallory")];
  auditor.run(["--import"], gpg.publicKey(ada));
});
afterAll(() => {
  for (const each of [gpg, auditor]) each.remove();
});

onEachRekeyTarget("pulumi-steward rekey --record", (current) => {
  const { alone, begin, nonce, submitShares, verification, share } = tools(current);
  const record = (): string => join(folder, "record.json");
  const verify = (...args: string[]) => steward({ GNUPGHOME: auditor.home }, ["rekey", "record", "verify", record(), ...args]);
  const sign = (path: string, key: string) => steward({ GNUPGHOME: gpg.home }, ["rekey", "record", "sign", path, "--key", key]);

  /** Runs a command in its own process, which is killed once the server has received its share, and never gets the response. */
  async function killed(path: string, args: string[], input: string): Promise<void> {
    let pid = 0;
    current().gateway.on(`PUT sys/rekey/${path}`, { when: "after", act: () => void process.kill(pid, "SIGKILL") }, 1);
    const all = argumentsOf(current(), ...args, "--record", record());
    const { code } = await stewardProcess(variablesOf(current()), all, input, (started) => {
      pid = started;
    });
    expect(code).toBe(128);
  }

  /** A ceremony of three shares, of which two runs are killed. */
  async function ceremony(): Promise<string[]> {
    const recorded = (args: string[], input = "") => alone([...args, "--record", record()], input);
    expect((await recorded(["init", "--shares", "3", "--threshold", "2"])).code).toBe(0);
    const name = await nonce();
    await killed("update", ["submit", "--nonce", name], share(0));
    expect((await recorded(["submit", "--nonce", name], share(1))).code).toBe(0);
    const last = await recorded(["submit", "--nonce", name], share(2));
    const made = newSharesIn(last.stdout);
    await killed("verify", ["verify", "--nonce", await verification()], made[0] as string);
    expect((await recorded(["verify", "--nonce", await verification()], made[1])).code).toBe(0);
    expect(await current().opens(made)).toBe(true);
    return made;
  }

  test("has each step of a ceremony, names what two kills left unknown, and has no share", async () => {
    const made = await ceremony();
    expect(eventsIn(record())).toEqual([
      "started submitting 0",
      "observed submitting 1",
      "submitted submitting 2",
      "submitted submitting 3",
      "created verifying 0",
      "observed verifying 1",
      "verified",
      "committed",
    ]);
    const [first, seen] = entriesIn(record());
    expect(first).toMatchObject({ target: current().keys, shares: 3, threshold: 2, fingerprints: [], verification: true, previous: "" });
    if (current().dialect === "hashicorp") expect(first?.version).toMatch(/^\d/);
    expect(seen?.detail).toContain("a request whose response was lost");
    expect(formsIn(readFileSync(record(), "utf8"), [...made, ...current().first])).toEqual([]);
  });

  test("is authentic with a signature, and each forgery is refused", async () => {
    await ceremony();
    expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringMatching(/consistent, but not authentic: nobody has signed it/) });
    expect(await verify("--unsigned")).toMatchObject({ code: 0, stderr: expect.stringContaining("not authentic") });
    expect((await sign(record(), ada)).code).toBe(0);
    const authentic = await verify("--from", ada);
    expect(authentic).toMatchObject({ code: 0, stderr: expect.stringContaining(`Entries 1 to 8 are signed by ${ada}`) });
    expect(authentic.stdout.trim().split("\n")).toHaveLength(8);
    const entries = entriesIn(record());
    const signature = readFileSync(`${record()}.${ada}.asc`, "utf8");
    const refused = async (forged: readonly Entry[], message: RegExp, by = signature): Promise<void> => {
      write(record(), forged);
      writeFileSync(`${record()}.${ada}.asc`, by);
      expect(await verify()).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
    };
    const change = (index: number, changes: Entry): Entry[] => entries.map((each, at) => (at === index ? { ...each, ...changes } : each));
    await refused(change(2, { count: 1 }), /entry 4 does not follow entry 3/);
    await refused(
      entries.filter((_, index) => index !== 5),
      /entry 6 does not follow entry 5/,
    );
    await refused(
      [...entries.slice(0, 3), entries[4] as Entry, entries[3] as Entry, ...entries.slice(5)],
      /entry 4 does not follow entry 3/,
    );
    await refused(entries.slice(1), /entries before it are missing/);
    await refused(entries.slice(0, -1), /has signed 8 entries, and 1 are missing at the end/);
    await refused(change(7, { time: "2026-01-01T00:00:00.000Z" }), /not the signature of this record: entry 8 was changed/);
    await refused(entries, /gpg --import/, (await sign(record(), mallory)) && readFileSync(`${record()}.${mallory}.asc`, "utf8"));
  });

  test("shows the entries after a signature as unsigned, and reads the output of a stack", async () => {
    await ceremony();
    await sign(record(), ada);
    const name = await begin({ secret_shares: 1, secret_threshold: 1 });
    await alone(["cancel", "--nonce", name, "--record", record()]);
    expect(eventsIn(record()).slice(8)).toEqual(["observed submitting 0", "canceled"]);
    expect((await verify()).stderr).toContain("entries 9 to 10 are not signed");
    expect(await verify("--from", ada)).toMatchObject({ code: 1, stderr: expect.stringContaining(`not signed by ${ada}`) });
    // As `pulumi stack output --json` prints it, into a file of PowerShell.
    const sorted = entriesIn(record()).map((entry) => Object.fromEntries(Object.entries(entry).sort().reverse()));
    writeFileSync(record(), Buffer.from(`\ufeff\n${JSON.stringify(sorted, undefined, 2)}`, "utf16le"));
    expect((await verify("--unsigned")).code).toBe(0);
    expect(await alone(["status", "--record", record()])).toMatchObject(ends(1, "Name another file"));
  });

  test("a drill is recorded, and a file that cannot be one stops a command before it sends anything", async () => {
    const before = current().gateway.requests.length;
    writeFileSync(record(), "notes\n");
    const refused = await alone(["drill", "--record", record()], current().first.join("\n"));
    expect(refused).toMatchObject(ends(1, "the file is not the record of a rekey"));
    expect(await alone(["drill", "--record", folder])).toMatchObject(ends(1, "cannot be written"));
    expect(current().gateway.requests).toHaveLength(before);
    writeFileSync(record(), "");
    expect((await alone(["drill", "--record", record()], current().first.join("\n"))).code).toBe(0);
    expect(entriesIn(record()).at(-1)).toMatchObject({ event: "tested", detail: expect.stringContaining("5 shares work, 0 are wrong") });
  });

  const recorded = (args: string[], input = "") => alone([...args, "--record", record()], input);
  const begun = async (): Promise<string> => {
    expect((await recorded(["init", "--shares", "3", "--threshold", "2"])).code).toBe(0);
    return nonce();
  };
  const consistent = async (): Promise<void> => expect(await verify("--unsigned")).toMatchObject({ code: 0 });
  test("stays a chain if another process appends meanwhile, or an editor removes the last line end", async () => {
    const name = await begun();
    writeFileSync(record(), readFileSync(record(), "utf8").trim());
    const act = async (): Promise<void> => void (await recorded(["status"]));
    current().gateway.on("PUT sys/rekey/update", { when: "after", act, answer: (body) => body }, 1);
    expect(await recorded(["submit", "--nonce", name], share(0))).toMatchObject(ends(0, /cannot be added to the record: \{.*"submitted"/));
    await consistent();
    expect((await recorded(["submit", "--nonce", name], share(1))).code).toBe(0);
    await consistent();
    expect(eventsIn(record())).toEqual(["started submitting 0", "observed submitting 1", "submitted submitting 2"]);
  });

  test("keeps an entry that cannot be added, and adds it with the next one", async () => {
    const name = await begun();
    await submitShares(name);
    const { stdout } = await recorded(["submit", "--nonce", name], share(2));
    const made = newSharesIn(stdout);
    expect((await recorded(["verify", "--nonce", await verification()], made[0])).code).toBe(0);
    const { gateway } = current();
    const aside = `${record()}.aside`;
    const act = (): void => {
      renameSync(record(), aside);
      mkdirSync(record());
    };
    let isSent = false;
    gateway.interrupt = ({ method, path }) => {
      if (method === "PUT" && path.endsWith("/verify")) {
        isSent = true;
        return { when: "after", act, answer: (body) => body };
      }
      if (!isSent) return undefined;
      isSent = false;
      rmdirSync(record());
      renameSync(aside, record());
      return undefined;
    };
    const last = await recorded(["verify", "--nonce", await verification()], made[1]);
    expect(last).toMatchObject(ends(0, /warning: this entry cannot be added to the record: \{.*"verified"/));
    expect(eventsIn(record()).slice(-3)).toEqual(["verified verifying 1", "verified", "committed"]);
    await consistent();
  });

  test("claims nothing about the keys of another server, and names the server again", async () => {
    const name = await begun();
    await recorded(["submit", "--nonce", name], share(0));
    const elsewhere: Entry[] = [];
    for (const entry of entriesIn(record())) {
      const last = elsewhere.at(-1) as Parameters<typeof hashOf>[0] | undefined;
      elsewhere.push({ ...entry, ...(entry.server ? { server: "https://other.example" } : {}), previous: last ? hashOf(last) : "" });
    }
    write(record(), elsewhere);
    await alone(["cancel", "--nonce", name]);
    await recorded(["status"]);
    expect(entriesIn(record())).toEqual(elsewhere);
    expect((await recorded(["drill"], current().first.join("\n"))).code).toBe(0);
    expect(entriesIn(record())[2]).toMatchObject({
      server: expect.stringContaining(current().gateway.url),
      nonce: expect.not.stringContaining(name),
    });
    await consistent();
  });

  test("has no share that a server shows in place of its version or of a key", async () => {
    await begun();
    current().gateway.interrupt = () => ({
      when: "after",
      answer: (body) =>
        JSON.stringify({ ...JSON.parse(body), nonce: "other", version: share(0), cluster_id: share(0), pgp_fingerprints: [share(0)] }),
    });
    await recorded(["status"]);
    current().gateway.interrupt = undefined;
    expect(eventsIn(record())).toHaveLength(2);
    expect(formsIn(readFileSync(record(), "utf8"), [share(0)])).toEqual([]);
  });

  test("is refused with a property that no hash covers, or beside a signature that cannot be read", async () => {
    await begun();
    const text = readFileSync(record(), "utf8");
    for (const more of ['"event":"committed",', '"__proto__":{"event":"committed"},', '"\\u0065vent" : "committed",']) {
      writeFileSync(record(), text.replace("{", `{${more}`));
      expect(await verify("--unsigned")).toMatchObject(ends(1, "an entry has two properties with one name"));
    }
    writeFileSync(record(), text);
    mkdirSync(`${record()}.ada.asc`);
    expect(await verify("--unsigned")).toMatchObject(ends(1, "record.json.ada.asc cannot be read (EISDIR)"));
  });
});
