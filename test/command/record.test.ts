import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formsIn } from "../support/canaries";
import { Gpg } from "../support/gpg";
import { onEachRekeyTarget } from "../support/rekey";
import { argumentsOf, ends, steward, stewardProcess, variablesOf } from "./holder";
import { folder, tools } from "./rekey";

type Entry = Record<string, unknown>;
const entriesIn = (path: string): Entry[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const eventsIn = (path: string): string[] =>
  entriesIn(path).map(({ event, phase, count }) => [event, phase, phase && count].join(" ").trim());
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
  const { alone, begin, nonce, verification, share } = tools(current);
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
    const made = [...last.stdout.matchAll(/^share \d: (.*)$/gm)].map(([, each]) => each as string);
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
    // As `pulumi stack output --json` prints it.
    const sorted = entriesIn(record()).map((entry) => Object.fromEntries(Object.entries(entry).sort().reverse()));
    writeFileSync(record(), JSON.stringify(sorted, undefined, 2));
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
});
