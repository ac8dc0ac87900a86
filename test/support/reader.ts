import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pulumiEnvironment } from "../../tools/environment";
import { getPulumi } from "../../tools/pulumi";
import { getServer } from "../../tools/servers";
import { allBlocks, Block, pipelineCommands, readPage, shown } from "./pages";

/** The reader says yes where Pulumi asks. It refuses that beside `--preview-only`. */
const sayYes = `pulumi() {
  case "$*" in
    *--preview-only*) command pulumi "$@" ;;
    *) PULUMI_SKIP_CONFIRMATIONS=true command pulumi "$@" ;;
  esac
}`;

export interface ShellOptions {
  /** What the reader types. */
  input?: string;
  /** The exit code, 0 unless given. */
  code?: number;
  /** The reader types there: what is asked, and the answer, one after the other. */
  terminal?: [question: string, answer: string][];
  /** More of what the page names as the reader's own, for this block alone. */
  own?: Record<string, string>;
}

/**
 * Somebody who follows a page to the letter: takes each block in order, saves files under the names that the page gives them, and runs commands as
 * they stand, in bash, with the real `pulumi`, `vault`, `nomad` and `npm`. Only what is the reader's own, such as an address, is replaced.
 */
export class Reader {
  /** Where the reader's terminal is: at first an empty folder. */
  private folder: string;
  private readonly root: string;
  private readonly waiting: Block[];
  private readonly unused: Set<string>;
  private variables: Record<string, string> = {};

  /** `own`: what the page names as the reader's own, and what this reader has in its place. */
  constructor(
    private readonly page: string,
    private readonly own: Record<string, string> = {},
  ) {
    this.root = mkdtempSync(join(tmpdir(), "steward-reader-"));
    this.folder = join(this.root, "home");
    mkdirSync(this.folder);
    this.waiting = allBlocks(page).filter(({ language }) => !shown.includes(language));
    this.unused = new Set(Object.keys(own));
  }

  /** Variables of the reader's terminal, beside those that it has. */
  with(variables: Record<string, string>): this {
    Object.assign(this.variables, variables);
    return this;
  }

  /** A project that the page takes for granted, with this repository's packages, or with the package installed. */
  async project(stack: string, config: Record<string, object>, tarball?: string): Promise<void> {
    if (!tarball) symlinkSync(join(__dirname, "../../node_modules"), this.path("node_modules"), "junction");
    this.write("Pulumi.yaml", "name: story\nruntime: nodejs\n");
    this.write("package.json", '{ "name": "story", "main": "index.ts" }');
    this.write(`Pulumi.${stack}.yaml`, `config: ${JSON.stringify(config)}\n`);
    if (tarball) await this.run(`npm install ${tarball} @pulumi/pulumi`);
    await this.run(`pulumi stack init ${stack}`);
  }

  private path(file: string): string {
    return join(this.folder, file);
  }

  /** A file of the reader's own. */
  write(file: string, text: string): void {
    mkdirSync(dirname(this.path(file)), { recursive: true });
    writeFileSync(this.path(file), text);
  }

  read(file: string): string {
    return readFileSync(this.path(file), "utf8");
  }

  private next(language: string): Block {
    const block = this.waiting.shift();
    if (block?.language !== language)
      throw new Error(`The next block of ${this.page} should be "${language}", and is "${block?.language}":\n${block?.text}`);
    return block;
  }

  private mine(text: string, more: Record<string, string> = {}): string {
    return Object.entries({ ...this.own, ...more }).reduce((before, [theirs, ours]) => {
      const after = before.replaceAll(theirs, ours);
      if (after !== before) this.unused.delete(theirs);
      else if (theirs in more) throw new Error(`${this.page} no longer says ${theirs} there:\n${text}`);
      return after;
    }, text);
  }

  /** Saves the next block as the file whose name the page gives, in its first line or right before it. */
  save(language: string, file: string): void {
    const { text, before } = this.next(language);
    const named = /^(#|\/\/) /.test(text)
      ? text.split("\n", 1)[0]?.replace(/^\S+ /, "")
      : before
          .trim()
          .split("\n")
          .at(-1)
          ?.replace(/`(.*)`:/, "$1");
    if (named !== file) throw new Error(`${this.page} names "${named}" where the test saves ${file}.`);
    this.write(file, this.mine(text));
  }

  /** Saves the next block as the program. `before` and `after`: what is around it where it is a part of one. */
  program(before = "", after = ""): void {
    this.write("index.ts", `${before}${this.mine(this.next("ts").text)}${after}`);
  }

  /** Runs the next block, and gives what the terminal shows. */
  shell(options: ShellOptions = {}): Promise<string> {
    return this.run(this.mine(this.next("sh").text, options.own), options);
  }

  /** Runs what the page says within its text. */
  says(command: string, options: ShellOptions = {}): Promise<string> {
    if (!readPage(this.page).includes(`\`${command}\``)) throw new Error(`${this.page} does not say ${command}.`);
    return this.run(this.mine(command, options.own), options);
  }

  /** The commands of the next two blocks, which are a pipeline for GitHub Actions and the same for GitLab CI. */
  pipeline(): string[] {
    return pipelineCommands(this.next("yaml").text, this.next("yaml").text);
  }

  /** The next block as it is, for a test that does more with it than run it. */
  take(language: string): string {
    return this.mine(this.next(language).text);
  }

  /** Nothing is left of the page. */
  finish(): void {
    expect(this.waiting.map(({ language, text }) => ({ language, text }))).toEqual([]);
    expect([...this.unused]).toEqual([]);
  }

  /** The environment of the reader's terminal. */
  private async environment(): Promise<Record<string, string>> {
    const environment = pulumiEnvironment(this.root, await getPulumi());
    const products = await Promise.all((["vault", "nomad"] as const).map(getServer));
    return {
      ...environment,
      PATH: [...products.map(dirname), environment.PATH].join(delimiter),
      npm_config_prefer_offline: "true",
      // Every program of the documentation is compiled once, in test/pages.test.ts.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      ...this.variables,
    };
  }

  /** Runs the next block in another terminal until that shows `last`; `stop` is Ctrl-C there. */
  async keepRunning(last: string): Promise<{ output: string; stop(): Promise<void> }> {
    const script = this.mine(this.next("sh").text);
    // A process group of its own is what Ctrl-C ends.
    const child = spawn("bash", ["--norc", "-c", script], { cwd: this.folder, env: await this.environment(), detached: true });
    const ended = new Promise((done) => child.on("close", done));
    let output = "";
    await new Promise<void>((done) =>
      child.stdout.on("data", (data) => {
        output += data;
        if (output.includes(last)) done();
      }),
    );
    const stop = async (): Promise<void> => {
      process.kill(-(child.pid as number), "SIGINT");
      await ended;
    };
    return { output, stop };
  }

  /** Runs something of the reader's own. */
  async run(script: string, { input, terminal, code: wanted = 0 }: ShellOptions = {}): Promise<string> {
    const after = join(this.root, "after");
    const file = join(this.root, "script");
    writeFileSync(file, `${sayYes}\ntrap 'pwd > "${after}"' EXIT\n${script}`);
    const bash = ["bash", "--norc", "-euo", "pipefail", file];
    const [command = "", ...args] = terminal ? ["script", "--quiet", "--return", "--command", bash.join(" "), "/dev/null"] : bash;
    // A command that asks what nobody answers must not take the whole suite's time.
    const child = spawn(command, args, { cwd: this.folder, env: await this.environment(), timeout: 240_000 });
    // A command that does not read may have ended.
    child.stdin.on("error", () => {});
    if (!terminal) child.stdin.end(input);
    const questions = [...(terminal ?? [])];
    let output = "";
    let asked = 0;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        output += data;
        const [question, answer] = questions[0] ?? [];
        const at = question === undefined ? -1 : output.indexOf(question, asked);
        if (at < 0) return;
        questions.shift();
        asked = at + 1;
        child.stdin.write(`${answer}\r`);
      });
    const code = await new Promise<number>((done) => child.on("close", (status) => done(status ?? 1)));
    if (code !== wanted) throw new Error(`${this.page}: exit code ${code}, not ${wanted}:\n${script}\n${output}`);
    if (existsSync(after)) this.folder = readFileSync(after, "utf8").trim();
    return output;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
