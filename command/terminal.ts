import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { Log } from "../provider/text/log";

/** The streams and the environment of a command: those of the process, or of a test. */
export interface Terminal {
  /** The input. Commands prompt on a terminal, and read any other stream to its end. */
  stdin: Readable & { isTTY?: boolean };
  /** The result, and nothing else. */
  stdout: Writable & { isTTY?: boolean };
  /** Notices and questions. */
  stderr: Writable;
  environment: NodeJS.ProcessEnv;
}

/** Thrown if Ctrl-C or Ctrl-D ends a prompt, or Ctrl-C a drill. */
export class Canceled extends Error {
  constructor(message = "canceled; nothing was sent.") {
    super(message);
  }
}

// Part of a line may come from the server: escape the characters that a terminal would interpret.
const harmless = (line: string): string =>
  line.replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Prints a notice. */
export function say({ stderr }: Terminal, line: string): void {
  stderr.write(`${harmless(line)}\n`);
}

/** The notices of the provider. */
export const logOf = (terminal: Terminal): Log => ({
  info: (line) => say(terminal, line),
  warn: (line) => say(terminal, `warning: ${line}`),
});

/** Prints a line of the result. Rejects if the write fails. */
export function print({ stdout }: Terminal, line: string): Promise<void> {
  return new Promise((resolve, reject) => stdout.write(`${harmless(line)}\n`, (error) => (error ? reject(error) : resolve())));
}

/** Prints a secret. A terminal shows it on its alternate screen, to which nobody can scroll back, until Enter. */
export async function reveal(terminal: Terminal, secret: string): Promise<void> {
  if (!terminal.stdout.isTTY) return print(terminal, secret);
  terminal.stdout.write("\x1b[?1049h\x1b[H");
  await print(terminal, secret);
  const seen = readLine(terminal, "Press Enter to clear the screen: ", { hidden: true });
  await seen.finally(() => terminal.stdout.write("\x1b[2J\x1b[?1049l"));
}

/** Prompts for one line. With `hidden`, the terminal shows neither the input nor its length. */
export async function readLine(terminal: Terminal, prompt: string, options: { hidden: boolean }): Promise<string> {
  let input = "";
  const isLast = (line: string): true => {
    input = line;
    return true;
  };
  await readLines(terminal, () => prompt, isLast, options);
  return input;
}

/** Prompts for lines up to the one for which `isLast` returns true. One interface reads them all: of a paste, no line is lost or shown between prompts. */
export function readLines(
  { stdin, stderr }: Terminal,
  promptFor: (nth: number) => string,
  isLast: (line: string) => boolean,
  { hidden }: { hidden: boolean },
): Promise<void> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Treat it as a terminal even if stderr is a file, or the terminal would echo the input.
  const lines = createInterface({ input: stdin, output: hidden ? nowhere : stderr, terminal: true, historySize: 0 });
  let count = 0;
  const prompt = (): void => {
    count++;
    if (hidden) stderr.write(promptFor(count));
    else lines.setPrompt(promptFor(count));
    lines.prompt();
  };
  return new Promise((resolve, reject) => {
    // Ctrl-C and Ctrl-D close the interface without a line. By then, the terminal is restored.
    let end = (): void => {
      if (!hidden) stderr.write("\n");
      reject(new Canceled());
    };
    lines.on("line", (line) => {
      try {
        if (!isLast(line)) {
          if (hidden) stderr.write("\n");
          return prompt();
        }
        end = resolve;
      } catch (error) {
        end = () => reject(error);
      }
      lines.close();
    });
    lines.once("close", () => {
      if (hidden) stderr.write("\n");
      end();
    });
    prompt();
  });
}

/** Reads a secret from a hidden prompt or, without a terminal, from the whole standard input. */
export async function readSecret(terminal: Terminal, prompt: string): Promise<string> {
  if (terminal.stdin.isTTY) return (await readLine(terminal, prompt, { hidden: true })).trim();
  return Buffer.concat(await terminal.stdin.map((chunk) => Buffer.from(chunk)).toArray())
    .toString("utf8")
    .trim();
}

/** Runs an action that signals do not interrupt: they print `notice` and call `onSignal` instead. */
export async function unbroken<T>(terminal: Terminal, notice: string, action: () => Promise<T>, onSignal = (): void => {}): Promise<T> {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const wait = (): void => {
    say(terminal, notice);
    onSignal();
  };
  for (const signal of signals) process.on(signal, wait);
  try {
    return await action();
  } finally {
    for (const signal of signals) process.off(signal, wait);
  }
}
