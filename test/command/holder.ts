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
export const variablesOf = ({ dialect, gateway, token }: RekeyTarget): Record<string, string> =>
  variablesFor(dialect, { url: gateway.url, token });

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** One command line, in this process. Nobody types there: `input` is all of its standard input. */
export async function steward(variables: Record<string, string>, args: readonly string[], input = ""): Promise<Ended> {
  const ended: Ended = { code: 0, stdout: "", stderr: "" };
  const into = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        ended[name] += chunk;
        done();
      },
    });
  const environment = { ...cleanEnvironment(), ...variables };
  const terminal = { stdin: Readable.from([input]), stdout: into("stdout"), stderr: into("stderr"), environment };
  const code = await run(args, terminal, () => Promise.resolve());
  return { ...ended, code };
}

/** The same in a process of its own; `started` is told which. */
export function stewardProcess(
  variables: Record<string, string>,
  args: readonly string[],
  input = "",
  started: (pid: number) => void = () => {},
): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, [command, ...args], { env: { ...cleanEnvironment(), ...variables } });
    const ended: Ended = { code: 0, stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].on("data", (data) => {
        ended[name] += data;
      });
    // One that is refused at once does not read.
    child.stdin.on("error", () => {}).end(input);
    child.on("close", (code, signal) => done({ ...ended, code: code ?? (signal ? 128 : 1) }));
    started(child.pid as number);
  });
}

/** Whoever sits at a terminal, and answers questions: each with the keys that are pressed, or with something to be done before. */
export interface Person {
  [question: string]: string | (() => Promise<string>);
}

/** One command line on a terminal, and all that the terminal showed. `raw` are the terminal's modes, one after the other. */
export async function typing(
  variables: Record<string, string>,
  args: readonly string[],
  person: Person,
  { brokenOutput = false }: { brokenOutput?: boolean } = {},
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
        // The question is there before somebody reads the answer.
        setImmediate(async () => stdin.write(typeof answer === "string" ? answer : await answer()));
      },
    });
  const terminal = { stdin, stdout: into("stdout").on("error", () => {}), stderr: into("stderr"), environment: variables };
  const code = await run(args, terminal, () => Promise.resolve());
  return { code, ...shown, raw };
}

/** The key Enter, and the chords that end a question. */
export const enter = "\r";
export const interrupt = "\x03";
export const endOfInput = "\x04";
