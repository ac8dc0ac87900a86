import { spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { run } from "../../command/index";
import { cleanEnvironment } from "../../tools/environment";
import { RekeyTarget } from "../support/rekey";
import { variablesFor } from "../support/rekey-wire";

/** The file that npm puts on the PATH as `pulumi-steward`. */
export const command: string = join(__dirname, "../../dist", "command/index.js");

/** The variables that name a service. */
export const variablesOf = ({ dialect, gateway, token, namespace }: RekeyTarget): Record<string, string> => ({
  ...variablesFor(dialect, { url: gateway.url, token }),
  ...(namespace ? { BAO_NAMESPACE: namespace } : {}),
});

/** A command of a holder, for the keys of this service. */
export const argumentsOf = ({ keys }: Pick<RekeyTarget, "keys">, ...args: string[]): string[] => [
  "rekey",
  ...args,
  ...(keys === "recovery" && !args.includes("--help") && args[0] !== "decrypt" ? ["--target", keys] : []),
];

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The end of a command that prints this on standard error, and nothing else. */
export const ends = (code: number, said: string | RegExp): object => ({
  code,
  stdout: "",
  stderr: typeof said === "string" ? expect.stringContaining(said) : expect.stringMatching(said),
});

/** The environment of a holder, whose home has no token of Vault. */
const environmentOf = (variables: Record<string, string>): Record<string, string> => ({
  ...cleanEnvironment(),
  HOME: "/nonexistent",
  ...variables,
});

/** Runs one command line in this process, without a terminal. `input` is its standard input. */
export async function steward(variables: Record<string, string>, args: readonly string[], input = ""): Promise<Ended> {
  const ended: Ended = { code: 0, stdout: "", stderr: "" };
  const into = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        ended[name] += chunk;
        done();
      },
    });
  const environment = environmentOf(variables);
  const terminal = { stdin: Readable.from([input]), stdout: into("stdout"), stderr: into("stderr"), environment };
  const code = await run(args, terminal, () => Promise.resolve());
  return { ...ended, code };
}

/** Runs it in a separate process, which `started` receives. */
export function stewardProcess(
  variables: Record<string, string>,
  args: readonly string[],
  input = "",
  started: (pid: number) => void = () => {},
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [command, ...args], { env: environmentOf(variables) });
    const ended: Ended = { code: 0, stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (data) => {
        ended[name] += data;
      });
    // A command that fails at once does not read its input.
    child.stdin.on("error", () => {}).end(input);
    child.on("close", (code, signal) => done({ ...ended, code: code ?? (signal ? 128 : 1) }));
    started(child.pid as number);
  });
}

/** The answers at a terminal, by question: the keys to press, or an action that returns them. */
export interface Person {
  [question: string]: string | (() => Promise<string>);
}

/** Runs one command line at a terminal, and returns its screen. `raw` lists the terminal's modes. With `screen`, stdout is the terminal, too. */
export async function typing(
  variables: Record<string, string>,
  args: readonly string[],
  person: Person,
  { brokenOutput = false, screen = false }: { brokenOutput?: boolean; screen?: boolean } = {},
): Promise<Ended & { raw: boolean[] }> {
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => raw.push(mode) });
  const shown = { stdout: "", stderr: "" };
  const questions = Object.entries(person);
  const into = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        if (brokenOutput && name === "stdout") return done(new Error("EPIPE"));
        shown[name] += chunk;
        done();
        const [question, answer] = questions[0] ?? [];
        if (question === undefined || answer === undefined || !shown[name].includes(question)) return;
        questions.shift();
        // The prompt appears before the answer is typed.
        setImmediate(async () => stdin.write(typeof answer === "string" ? answer : await answer()));
      },
    });
  const stdout = Object.assign(
    into("stdout").on("error", () => {}),
    { isTTY: screen },
  );
  const terminal = { stdin, stdout, stderr: into("stderr"), environment: variables };
  const code = await run(args, terminal, () => Promise.resolve());
  return { code, ...shown, raw };
}

/** The key Enter, and the keys that cancel a prompt. */
export const enter = "\r";
export const interrupt = "\x03";
export const endOfInput = "\x04";
