import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cleanEnvironment } from "../../tools/environment";
import { formsIn } from "../support/canaries";
import { Interruption, keepsUncombined, Passing } from "../support/gateway";
import { onEachRekeyTarget, RekeyTarget, rekeyTargets, spoiled, withRekeyTarget } from "../support/rekey";
import { isNight, isWhole } from "../support/scope";
import { argumentsOf, command, Ended, endOfInput, ends, enter, Person, steward, stewardProcess, typing, variablesOf } from "./holder";
import { folder, hexOf, tools } from "./rekey";

/** A process for each request takes long. Each night, none is left out. */
const step = isNight ? 1 : isWhole ? 12 : 24;

type Shares = [string, string, string, string, string];

const stateFolder = (): string => join(folder, "pulumi-steward");
/** The files that drills left. */
const left = (): string[] => (existsSync(stateFolder()) ? readdirSync(stateFolder()) : []);

const update = "PUT sys/rekey/update";
const isUpdate = ({ method, path }: Passing): boolean => method === "PUT" && path === "/v1/sys/rekey/update";
const isStatus = ({ method, path }: Passing): boolean => method === "GET" && path === "/v1/sys/rekey/init";
/** Presses Ctrl-C. The process receives the signal before the response. */
const interruptProcess = async (pid: number): Promise<void> => {
  process.kill(pid, "SIGINT");
  await sleep(50);
};
const unchanged = (body: string): string => body;

const variablesFor = (target: RekeyTarget): Record<string, string> => ({ ...variablesOf(target), XDG_STATE_HOME: folder });
const drillOn = (target: RekeyTarget, shares: readonly string[], ...args: string[]): Promise<Ended> =>
  steward(variablesFor(target), argumentsOf(target, "drill", ...args), shares.join("\n"));
/** The lines of a drill that ends with these words for its shares. */
const results = (words: string): string =>
  words
    .split(", ")
    .map((word, index) => `share ${index + 1} of the input: ${word}\n`)
    .join("");
const all = (word: string, count: number): string => results(Array(count).fill(word).join(", "));
const works = (count: number): Partial<Ended> => ({ code: 0, stdout: all("works", count) });
const unproven = (count: number): Partial<Ended> => ({ code: 3, stdout: all("not proven", count) });
const names = (words: string): Partial<Ended> => ({ code: 3, stdout: results(words) });

onEachRekeyTarget("pulumi-steward rekey drill", (current) => {
  const { sent, begin, nonce, cancel, submitShares, share } = tools(current);
  const variables = (): Record<string, string> => variablesFor(current());
  const drill = async (shares: readonly string[], ...args: string[]): Promise<Ended> => {
    const ended = await drillOn(current(), shares, ...args);
    expect(formsIn(ended.stdout + ended.stderr, [...shares, ...current().first])).toEqual([]);
    expect(ended.stdout + ended.stderr).not.toContain("pulumi up");
    return ended;
  };
  const atTerminal = (person: Person): ReturnType<typeof typing> => typing(variables(), argumentsOf(current(), "drill"), person);
  const status = async (): Promise<Record<string, unknown>> => (await current().outOfBand("GET", "sys/rekey/init")).body;
  /** The next drill works, and leaves nothing. */
  const expectNextWorks = async (): Promise<void> => {
    current().gateway.interrupt = undefined;
    expect(await drill(current().first)).toMatchObject(works(5));
    expect([left(), (await status()).started]).toEqual([[], false]);
  };
  afterEach(async () => {
    await expectNextWorks();
    expect(await current().opens(current().first)).toBe(true);
  });
  const replaceAttempt = async (): Promise<void> => {
    await cancel();
    await begin({ secret_shares: 5, secret_threshold: 3 });
  };

  test("too few shares are counted, and nothing is sent", async () => {
    for (const count of [0, 1, 2]) {
      const few = await drill(current().first.slice(0, count));
      expect(few).toMatchObject(ends(1, `${3 - count} of the 3 required shares are missing`));
    }
    expect(current().gateway.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test.each([3, 4, 5])("a wrong share among %i is named if enough others work", async (count) => {
    for (let wrong = 0; wrong < count; wrong++) {
      const shares = current().first.slice(0, count);
      shares[wrong] = spoiled(share(wrong));
      const words = shares.map((_, index) => (count === 3 ? "not proven" : index === wrong ? "wrong" : "works")).join(", ");
      const { stderr, ...ended } = await drill(shares);
      expect(ended).toEqual(names(words));
      if (count === 3) expect(stderr).toContain("at least one of them is wrong. Pass one more share to find out which.");
    }
  });

  const cannotBothBeRight = "share 1 of the input and share 2 of the input cannot both be right";
  const longer = (share: string): string => Buffer.concat([Buffer.alloc(7, 1), Buffer.from(share, "base64")]).toString("base64");
  // Shares of one point or of other lengths are never sent together.
  test.each<[string, (first: Shares) => string[], Partial<Ended>, says?: string]>([
    ["two wrong ones of five", ([a, b, c, d, e]) => [spoiled(a), spoiled(b), c, d, e], names("wrong, wrong, works, works, works")],
    ["three wrong ones of five", ([a, b, c, d, e]) => [spoiled(a), spoiled(b), spoiled(c), d, e], unproven(5), "Pass one more"],
    ["two of one point", ([a, b]) => [a, spoiled(a), b], unproven(3), cannotBothBeRight],
    ["a wrong one before the right one of its point", ([a, b, c]) => [spoiled(a), a, b, c], names("wrong, works, works, works")],
    [
      "a wrong one after the right one of its point",
      ([a, b, c, d]) => [a, spoiled(a), b, c, d],
      names("works, wrong, works, works, works"),
    ],
    ["one of another length", ([a, b, c, d]) => [longer(d), a, b, c], names("wrong, works, works, works")],
  ])("%s are named if enough others work", async (_, passed, ended, says = "") => {
    expect(await drill(passed(current().first as Shares))).toMatchObject({ ...ended, stderr: expect.stringContaining(says) });
    if (says === cannotBothBeRight) expect(sent("update")).toBe(0);
  });

  test("a set that OpenBao before 2.6 keeps is followed by other sets in another attempt", async () => {
    const [a, b, c, d] = current().first as Shares;
    keepsUncombined(current().gateway);
    expect(await drill([spoiled(b), spoiled(c), spoiled(d), a])).toMatchObject(unproven(4));
    expect(await drill([spoiled(a), spoiled(b), c, d, share(4)])).toMatchObject(names("wrong, wrong, works, works, works"));
  });

  test("shares come from prompts, variables and files, and a message names the one that cannot be read", async () => {
    const [a, b, c, d] = current().first as Shares;
    const file = join(folder, "d.txt");
    writeFileSync(file, `${hexOf(d)}\n`);
    process.env.DRILL_SHARE = c;
    try {
      const references = ["--share-env", "DRILL_SHARE", "--share-file", file];
      const mixed = await drill([a, b], ...references);
      const lines = ["the variable DRILL_SHARE", `the file ${file}`, "share 1 of the input", "share 2 of the input"];
      expect(mixed).toMatchObject({ code: 0, stdout: lines.map((line) => `${line}: works\n`).join("") });
      expect(await drill([a, c, d], ...references)).toMatchObject(
        ends(1, "share 2 of the input is the same share as the variable DRILL_SHARE"),
      );
      const mute = await drill([], "--share-env", "DRILL_UNSET");
      expect(mute.stderr).toContain("the variable DRILL_UNSET is not set. No share was sent.");
      const gone = await drill([], "--share-file", join(folder, "gone.txt"));
      expect(gone.stderr).toContain(`the file ${join(folder, "gone.txt")} does not exist. No share was sent.`);
      for (const option of ["--share-env", "--share-file"]) expect((await drill([], option, a)).code).toBe(1);
      expect((await drill([], a)).code).toBe(2);
      expect((await drill([a, b, "hunter2"])).stderr).toContain(
        "share 3 of the input is 5 bytes of base64, and a share has 16 to 64; nothing was sent",
      );
    } finally {
      delete process.env.DRILL_SHARE;
    }
    const typed = await atTerminal({ "Share 1 ": a + enter, "Share 2 ": b + enter, "Share 3 ": c + enter, "Share 4 ": enter });
    expect(typed).toMatchObject(works(3));
    expect(typed.raw).toEqual([true, false]);
    // Pasted at once.
    expect(await atTerminal({ "Share 1 ": [a, b, c, "", ""].join(enter) })).toMatchObject(works(3));
    const count = sent("update");
    expect(await atTerminal({ "Share 1 ": a + enter, "Share 2 ": endOfInput })).toMatchObject({ code: 130, stdout: "" });
    expect([sent("update"), left()]).toEqual([count, []]);
  });

  test("another attempt in progress is shown, and nothing is sent", async () => {
    for (const body of [
      { secret_shares: 5, secret_threshold: 3 },
      { secret_shares: 1, secret_threshold: 1 },
    ]) {
      const name = await begin(body);
      const refused = await drill(current().first);
      expect(refused).toMatchObject(ends(1, name));
      expect(refused.stderr).toContain("is in progress, and a drill needs its own attempt. No share was sent.");
      expect(await nonce()).toBe(name);
      await cancel();
    }
    expect(current().gateway.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("an attempt that replaces the drill's gets no share and is not canceled", async () => {
    for (const nth of [1, 2]) {
      current().gateway.on(update, { when: "after", act: replaceAttempt, answer: unchanged }, nth);
      const before = sent("update");
      const disturbed = await drill(current().first);
      expect(disturbed).toMatchObject(ends(1, "Run the drill again."));
      expect(sent("update") - before).toBe(nth);
      expect(await status()).toMatchObject({ started: true, n: 5, t: 3, progress: 0 });
      current().gateway.interrupt = undefined;
      await cancel();
    }
  });

  test("an attempt that begins before the drill's start gets no share", async () => {
    const act = async (): Promise<void> => void (await begin({ secret_shares: 1, secret_threshold: 1 }));
    current().gateway.on("PUT sys/rekey/init", { when: "before", act }, 1);
    expect(await drill(current().first)).toMatchObject({ code: 1, stdout: "" });
    expect(sent("update")).toBe(0);
    expect(await status()).toMatchObject({ started: true, n: 1 });
    await cancel();
  });

  test.each([
    ["without verification", { verification_required: false }],
    ["for other keys", { pgp_fingerprints: ["feed"] }],
    ["without keys", { pgp_fingerprints: null }],
    ["with a backup", { backup: true }],
    ["with more shares", { n: 5, t: 3 }],
    ["with a lower threshold of current shares", { required: 1 }],
  ])("an attempt that the status shows %s gets no share", async (_, more) => {
    const answer = (body: string): string => {
      const fields = JSON.parse(body);
      return JSON.stringify(fields.started ? { ...fields, ...more } : fields);
    };
    // From the first status after the start, or from the one before the second share.
    for (const [first, shares] of [
      [2, 0],
      [5, 1],
    ] as const) {
      let count = 0;
      const before = sent("update");
      current().gateway.interrupt = (passing) => (isStatus(passing) && ++count >= first ? { when: "after", answer } : undefined);
      expect(await drill(current().first)).toMatchObject({ code: 1, stdout: "" });
      expect(sent("update") - before).toBe(shares);
      await expectNextWorks();
    }
  });

  test("another client's share in the attempt is no verdict", async () => {
    for (const when of ["before", "after"] as const)
      for (const nth of [1, 2, 3])
        for (const key of [share(4), spoiled(share(4))]) {
          // A request that is interrupted before the server gets it is lost: hold the status instead.
          const held = { when: "after", act: async () => submitShares(await nonce(), [key]), answer: unchanged } as const;
          if (when === "after") current().gateway.on(update, held, nth);
          else current().gateway.on("GET sys/rekey/init", held, nth + 2);
          const disturbed = await drill(current().first.slice(0, 3));
          current().gateway.interrupt = undefined;
          // After the last share, the attempt takes no other one.
          if (when === "after" && nth === 3) expect(disturbed).toMatchObject(works(3));
          else expect(disturbed).toMatchObject({ code: 1, stdout: "" });
          expect((await status()).started).toBe(false);
        }
  });

  test.each<Interruption>([{ when: "after" }, { when: "after", answer: () => "{}" }, { when: "after", answer: () => '{"progress":2}' }])(
    "a lost or foreign response to a share is no verdict: %j",
    async (interruption) => {
      for (const nth of [1, 3]) {
        current().gateway.on(update, interruption, nth);
        expect(await drill(current().first.slice(0, 3))).toMatchObject({ code: 1, stdout: "" });
        current().gateway.interrupt = undefined;
        expect((await status()).started).toBe(false);
      }
    },
  );

  test("an empty HOME is not the working folder", async () => {
    const user = jest.spyOn(os, "userInfo").mockReturnValue({ ...os.userInfo(), homedir: folder });
    const folders: boolean[] = [];
    current().gateway.interrupt = () => {
      folders.push(existsSync(".local"), existsSync(join(folder, ".local/state/pulumi-steward")));
      return undefined;
    };
    try {
      const environment = { ...variables(), XDG_STATE_HOME: "", HOME: "" };
      expect(await steward(environment, argumentsOf(current(), "drill"), current().first.join("\n"))).toMatchObject(works(5));
      expect(folders.slice(-2)).toEqual([false, true]);
    } finally {
      user.mockRestore();
      rmSync(join(folder, ".local"), { recursive: true, force: true });
    }
  });

  test("a drill whose notices nobody reads ends its attempt, and prints the results", async () => {
    const child = spawn(process.execPath, [command, ...argumentsOf(current(), "drill")], {
      env: { ...cleanEnvironment(), ...variables() },
    });
    child.stderr.destroy();
    let stdout = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stdin.on("error", () => {}).end(current().first.join("\n"));
    const code = await new Promise((done) => child.on("close", done));
    expect({ code, stdout }).toEqual(works(5));
  });

  /** Runs a drill of four shares in a process, whose requests `act` receives by their number. */
  const inProcess = (act: (pid: number, passing: Passing) => Interruption | undefined): Promise<Ended> => {
    let pid = 0;
    const first = current().gateway.requests.length;
    current().gateway.interrupt = (passing) => act(pid, { ...passing, count: passing.count - first });
    return stewardProcess(variables(), argumentsOf(current(), "drill"), current().first.slice(0, 4).join("\n"), (started) => {
      pid = started;
    });
  };
  const requestsOfCalmRun = async (): Promise<number> => {
    const first = current().gateway.requests.length;
    expect(await drill(current().first.slice(0, 4))).toMatchObject(works(4));
    return current().gateway.requests.length - first;
  };

  test.each(["before", "after"] as const)("after kill -9 %s any request is served, the next drill cancels what is left", async (when) => {
    const count = await requestsOfCalmRun();
    for (let nth = 1; nth <= count; nth += step) {
      const killed = await inProcess((pid, passing) =>
        passing.count === nth ? { when, act: () => void process.kill(pid, "SIGKILL"), late: when === "before" } : undefined,
      );
      expect(killed.code).toBe(128);
      current().gateway.interrupt = undefined;
      await current().gateway.deliver?.();
      await expectNextWorks();
    }
  });

  test.each(["before", "after"] as const)(
    "a connection that is cut %s any request is served leaves nothing after the next drill",
    async (when) => {
      const count = await requestsOfCalmRun();
      for (let nth = 1; nth <= count; nth += Math.ceil(step / 4)) {
        const first = current().gateway.requests.length;
        current().gateway.interrupt = (passing) => (passing.count - first === nth ? { when } : undefined);
        const cut = await drill(current().first.slice(0, 4));
        // A read is sent again, except that of the last status on OpenBao: then the file stays.
        expect([works(4).stdout, ""]).toContain(cut.stdout);
        if (cut.code === 0) expect([cut.stdout, left()]).toEqual([works(4).stdout, []]);
        else if (cut.stdout) expect([cut.stderr, left().length]).toEqual([expect.stringContaining("may still be in progress"), 1]);
        await expectNextWorks();
      }
    },
  );

  test("Ctrl-C waits for the response to the request in progress, and cancels the attempt", async () => {
    const count = await requestsOfCalmRun();
    for (let nth = 3; nth <= count; nth += Math.max(3, step)) {
      let after = 0;
      const stopped = await inProcess((pid, passing) => {
        if (passing.count > nth && isUpdate(passing)) after++;
        return passing.count === nth ? { when: "after", act: () => interruptProcess(pid), answer: unchanged } : undefined;
      });
      // Before the start, and after the last cancel, nothing waits for a signal.
      if (stopped.code !== 128)
        expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining("canceled; no key was changed.") });
      expect([stopped.stdout, after, (await status()).started]).toEqual(["", 0, false]);
    }
  });

  test("a second drill does not start, and does not cancel the attempt of the first", async () => {
    let second: Ended | undefined;
    const first = await inProcess((_pid, passing) =>
      isUpdate(passing) && passing.nth === 2
        ? {
            when: "after",
            answer: unchanged,
            act: async () => {
              current().gateway.interrupt = undefined;
              second = await drill(current().first);
            },
          }
        : undefined,
    );
    expect(first).toMatchObject(works(4));
    expect(second).toMatchObject(ends(1, /process \d+ runs a drill of these keys; no share was sent/));
  });

  test("the file of a drill is private and has no share, and a cancel without effect keeps it", async () => {
    let name = "";
    let modes: number[] = [];
    current().gateway.interrupt = ({ method, path }) => {
      if (method === "DELETE") return { when: "before" };
      if (method === "PUT" && path === "/v1/sys/rekey/init") {
        name = left()[0] as string;
        const file = join(stateFolder(), name);
        expect(readFileSync(file, "utf8")).toBe("");
        modes = [stateFolder(), file].map((each) => statSync(each).mode & 0o777);
      }
      return undefined;
    };
    const stuck = await drill(current().first);
    expect(stuck).toMatchObject(ends(1, "The attempt of the drill may still be in progress"));
    expect(modes).toEqual([0o700, 0o600]);
    expect(name).toMatch(new RegExp(`^drill-[0-9a-f]{16}-${process.pid}-[0-9a-f]{40,64}$`));
    expect([left().length, (await status()).started]).toEqual([1, true]);
    current().gateway.interrupt = undefined;
    expect(await drill(current().first)).toMatchObject({
      ...works(5),
      stderr: expect.stringContaining("An earlier drill left the attempt"),
    });
    expect(left()).toEqual([]);
    // A link instead of a file, names that no drill gives, and a path that is not a folder.
    const precious = join(folder, "precious");
    writeFileSync(precious, "precious");
    symlinkSync(precious, join(stateFolder(), name));
    const others = ["-1", "x", "0"].map((process) => name.replace(/-\d+-(?=[^-]*$)/, `-${process}-`));
    for (const other of others) writeFileSync(join(stateFolder(), other), "");
    expect(await drill(current().first)).toMatchObject(works(5));
    expect([left().sort(), readFileSync(precious, "utf8")]).toEqual([others.sort(), "precious"]);
    writeFileSync(join(stateFolder(), "none"), "");
    const elsewhereIs = { ...variables(), XDG_STATE_HOME: join(stateFolder(), "none") };
    const elsewhere = await steward(elsewhereIs, argumentsOf(current(), "drill"), current().first.join("\n"));
    expect(elsewhere).toMatchObject(ends(1, "no share was sent. Set XDG_STATE_HOME"));
    rmSync(stateFolder(), { recursive: true });
  });
});

test("a wrong share among many is named, wherever it is", async () => {
  const [{ start }] = rekeyTargets as [(typeof rekeyTargets)[number]];
  await withRekeyTarget(start, { shares: 10, threshold: 5 }, async (target) => {
    // A real service has five shares.
    for (const index of [0, target.first.length - 1]) {
      const shares = target.first.map((share, at) => (at === index ? spoiled(share) : share));
      const words = shares.map((_, at) => (at === index ? "wrong" : "works"));
      expect(await drillOn(target, shares)).toMatchObject(names(words.join(", ")));
    }
  });
});

describe.each(rekeyTargets)("a drill where one share is enough ($name)", ({ start, dialect }) => {
  // Only the API document allows a threshold of one with several shares.
  test.each(dialect === "standard" ? [1, 3] : [1])("each of %i shares is tried alone", async (count) => {
    await withRekeyTarget(start, { shares: count, threshold: 1 }, async (target) => {
      // A real server starts with more shares.
      if (target.first.length !== count) return;
      const [right = ""] = target.first;
      expect(await drillOn(target, target.first)).toMatchObject(works(count));
      expect(await drillOn(target, [spoiled(right), right])).toMatchObject(names("wrong, works"));
      expect(await drillOn(target, [spoiled(right)])).toMatchObject(names("wrong"));
      target.gateway.on(update, { when: "after", answer: () => "<html></html>" });
      expect(await drillOn(target, [spoiled(right)])).toMatchObject({ code: 1, stdout: "" });
      target.gateway.interrupt = undefined;
      expect(await drillOn(target, target.first)).toMatchObject(works(count));
      expect(left()).toEqual([]);
      expect(await target.opens(target.first)).toBe(true);
    });
  });
});
