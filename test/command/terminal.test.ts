import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { checkShare } from "../../command/holder/share";
import { run } from "../../command/index";
import { say, Terminal } from "../../command/terminal";
import { formsIn } from "../support/canaries";
import { temporaryFolder } from "../support/cleanup";
import { Gpg } from "../support/gpg";
import { enter, interrupt, stewardProcess, typing } from "./holder";

// A share on the machine of a holder: what others can see of it, and how it is typed.

const share = "ab".repeat(33);
let gpg: Gpg;
let folder: string;
let message: string;
beforeAll(() => {
  gpg = new Gpg();
  folder = temporaryFolder();
  message = join(folder, "mine");
  writeFileSync(message, gpg.encrypt(gpg.generate("ada"), share));
});
afterAll(() => gpg.remove());

test("a terminal shows a decrypted share on its alternate screen, and leaves it at Enter and at Ctrl-C", async () => {
  const args = ["rekey", "decrypt", "--share", message];
  for (const [key, code] of [
    [enter, 0],
    [interrupt, 130],
  ] as const) {
    const ended = await typing({ GNUPGHOME: gpg.home }, args, { "clear the screen: ": key }, { screen: true });
    expect(ended).toMatchObject({ code, stdout: `\x1b[?1049h\x1b[H${share}\n\x1b[2J\x1b[?1049l` });
    expect(ended.stderr).not.toContain(share);
  }
});

test("no other program sees a share in an argument or in the environment, and npm does not log it", async () => {
  const [arguments_, cache] = [join(folder, "arguments"), join(folder, "cache")];
  const look = `ps -A -ww -o args > '${arguments_}'; env >> '${arguments_}'; cat > /dev/null`;
  const stored = await stewardProcess({ GNUPGHOME: gpg.home }, ["rekey", "decrypt", "--share", message, "--store", look]);
  expect(stored).toMatchObject({ code: 0, stdout: "" });
  const seen = readFileSync(arguments_, "utf8");
  expect(seen).toContain("rekey decrypt --share");
  mkdirSync(cache);
  const printed = await new Promise<string>((resolve, reject) => {
    const environment = { ...process.env, GNUPGHOME: gpg.home, npm_config_cache: cache, npm_config_loglevel: "silly" };
    const child = execFile("npx", ["--no", "pulumi-steward", "rekey", "decrypt"], { env: environment }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(readFileSync(message));
  });
  expect(printed).toBe(`${share}\n`);
  const logs = readdirSync(join(cache, "_logs")).map((file) => readFileSync(join(cache, "_logs", file), "utf8"));
  expect(logs.join()).toContain("pulumi-steward");
  expect(formsIn(seen + logs.join(), [share])).toEqual([]);
});

test("a core dump on Linux contains no memory", async () => {
  if (process.platform !== "linux") return;
  const key = join(folder, "pipe");
  let filter: string | undefined;
  execFileSync("mkfifo", [key]);
  const running = stewardProcess({}, ["rekey", "decrypt", "--share", message, "--key", key], "", async (pid) => {
    // The command waits for the key, which nobody writes until the filter is read.
    for (let left = 100; left > 0 && filter !== "00000000"; left--) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      filter = readFileSync(`/proc/${pid}/coredump_filter`, "utf8").trim();
    }
    writeFileSync(key, "no key");
  });
  expect(await running).toMatchObject({ code: 1, stdout: "" });
  expect(filter).toBe("00000000");
});

test("control characters of a server are escaped", () => {
  let shown = "";
  say({ stderr: { write: (text: string) => (shown += text) } } as unknown as Terminal, "sealed\x1b[2K\r\u202e");
  expect(shown).toBe("sealed\\u{1b}[2K\\u{d}\\u{202e}\n");
});

const hex = Buffer.from(Array.from({ length: 33 }, (_, index) => (index * 37) % 256)).toString("hex");
const base64 = Buffer.from(hex, "hex").toString("base64");
test.each([
  ["hex", hex],
  ["hex in upper case", hex.toUpperCase()],
  ["hex in groups", hex.replace(/.{4}/g, "$& ")],
  ["hex in lines of Windows", hex.replace(/.{20}/g, "$&\r\n")],
  ["base64", base64],
  ["base64 with the line end of Windows", `  ${base64}\r\n`],
  ["base64 in groups", base64.replace(/.{4}/g, "$& ")],
])("a share in %s is understood", (_, text) => {
  expect(checkShare(text, "the input").bytes.toString("hex")).toBe(hex);
});

test.each([
  ["", "is empty"],
  [share.slice(1), "has 65 hex digits, so one is missing or too many"],
  [`${share}a`, "has 67 hex digits, so one is missing or too many"],
  ["abcdef12", "is 4 bytes of hex, and a share has 16 to 64"],
  ["hunter2", "is 5 bytes of base64, and a share has 16 to 64"],
  ["correct horse battery stapler", "is not a share in base64 or hex"],
  ["ab".repeat(70), "is 70 bytes of hex, and a share has 16 to 64"],
])("%j is no share, and the error says why", async (text, reason) => {
  expect(() => checkShare(text, "the input")).toThrow(`the input ${reason}; nothing was sent. Check that it is whole`);
});

test("nothing is decrypted onto a terminal that would keep it", async () => {
  let shown = "";
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = new PassThrough().on("data", (chunk) => {
    shown += chunk;
  });
  const terminal = { stdin: Readable.from([readFileSync(message)]), stdout, stderr, environment: { GNUPGHOME: gpg.home } };
  expect(await run(["rekey", "decrypt"], terminal, () => Promise.resolve())).toBe(1);
  expect({ shown, printed: stdout.read() }).toEqual({ shown: expect.stringContaining("scroll-back"), printed: null });
});
