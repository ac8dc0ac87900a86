import { ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { isatty } from "node:tty";
import { StewardError } from "../../provider/contract/errors";
import { Canceled, say, Terminal } from "../terminal";

// Programs of the holder. A share passes over a pipe: it is in no argument, in no file, and in no variable.

export interface Ended {
  output: Buffer;
  /** The status lines of gpg, in words: `["GOODSIG", "BA8A509E1FCA8873", "ada"]`. */
  status: string[][];
  /** Null if a signal ended the program. */
  code: number | null;
}

/** gpg for Windows takes any other number for a handle. */
const statusDescriptor = process.platform === "win32" ? 2 : 3;

/** Runs a program with this input, prints what it writes to stderr, and returns its output. */
function run(terminal: Terminal, command: string, args: readonly string[], input: string | Uint8Array, shell = false): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const stdio: "pipe"[] = shell ? ["pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe", "pipe"];
    const child = spawn(command, [...args], { env: environmentOf(terminal), stdio, shell }) as ChildProcessWithoutNullStreams;
    const output: Buffer[] = [];
    const status: string[][] = [];
    const isStatus = (line: string): boolean => !shell && line.startsWith("[GNUPG:] ");
    child.stdout.on("data", (chunk) => output.push(chunk));
    createInterface({ input: child.stderr }).on("line", (line) => isStatus(line) || say(terminal, line));
    if (!shell)
      createInterface({ input: child.stdio[statusDescriptor] as Readable }).on("line", (line) => {
        if (isStatus(line)) status.push(line.split(" ").slice(1));
      });
    // Ctrl-C at the prompt of gpg ends this command, too.
    const cancel = (): void => {
      child.kill();
      reject(new Canceled());
    };
    process.once("SIGINT", cancel);
    child.on("error", reject);
    child.on("close", (code) => {
      process.off("SIGINT", cancel);
      resolve({ output: Buffer.concat(output), status, code });
    });
    // A clipboard command leaves a process behind, which keeps these pipes open: wait for the last lines only.
    const leave = (): void => {
      for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
    };
    if (shell) child.on("exit", () => setTimeout(leave, 500));
    // A program that fails does not read its input: its exit code tells.
    child.stdin.on("error", () => {}).end(input);
  });
}

/** With the terminal on which gpg-agent prompts, since stdin is a pipe. */
function environmentOf({ environment }: Terminal): NodeJS.ProcessEnv {
  const screen = environment.GPG_TTY ? undefined : [0, 1, 2].find((descriptor) => isatty(descriptor));
  if (screen === undefined) return environment;
  const { stdout } = spawnSync("tty", { stdio: [screen, "pipe", "ignore"], encoding: "utf8" });
  return stdout ? { ...environment, GPG_TTY: stdout.trim() } : environment;
}

/** Runs gpg. Its status has a pipe of its own: a name in a message or on a key may imitate a status line on stderr. */
export async function gpg(terminal: Terminal, args: readonly string[], input: string | Uint8Array = ""): Promise<Ended> {
  const common = ["--batch", "--no-auto-check-trustdb", "--no-auto-key-retrieve", "--status-fd", String(statusDescriptor)];
  return run(terminal, "gpg", [...common, ...args], input).catch((error) => {
    throw failed(
      `gpg cannot be started (${error.code})`,
      "Nothing was sent. Install GnuPG, or pass the private key to `pulumi-steward rekey decrypt --key`.",
    );
  });
}

/** Decrypts a message with gpg, which finds the private key in its keyring or on a card, and prompts for the passphrase or the PIN. */
export async function decryptWithGpg(terminal: Terminal, message: string | Uint8Array): Promise<string> {
  const ended = await gpg(terminal, ["--decrypt"], message);
  assertDecrypted(ended);
  if (ended.code === 0) return ended.output.toString("utf8");
  throw cannotDecrypt(ended);
}

/** Throws unless gpg decrypted the message: it returns the content of an unencrypted one, too. */
export function assertDecrypted(ended: Ended): void {
  if (!ended.status.some(([word]) => word === "DECRYPTION_OKAY")) throw cannotDecrypt(ended);
}

const cannotDecrypt = ({ code }: Ended): StewardError =>
  failed(
    `gpg cannot decrypt the message (${code === 0 ? "it is not encrypted" : `exit code ${code}`})`,
    "Nothing was sent. Its messages above say why. If it cannot prompt, run `export GPG_TTY=$(tty)`.",
  );

/** The fingerprints of the primary keys of which gpg has a private part, or knows the card. */
export async function fingerprintsOfGpg(terminal: Terminal): Promise<string[]> {
  const { output } = await gpg(terminal, ["--with-colons", "--list-secret-keys"]);
  return [...output.toString("utf8").matchAll(/^sec:.*\n(?:(?!fpr:).*\n)*fpr:+([0-9A-F]+):/gm)].map(([, fingerprint = ""]) =>
    fingerprint.toLowerCase(),
  );
}

/** Passes a share to the holder's own safe, such as `pass insert --multiline unseal`. The output of the command is dropped, since it may be the share. */
export async function store(terminal: Terminal, command: string, share: string): Promise<void> {
  const { code } = await run(terminal, command, [], `${share}\n`, true);
  if (code !== 0) throw failed(`the --store command failed (${code === null ? "a signal" : `exit code ${code}`})`, "Nothing was sent.");
  say(terminal, "Your share is stored.");
}

export const failed = (reason: string, hint: string): StewardError => new StewardError({ code: "ERR_FAILED", reason, hint });
