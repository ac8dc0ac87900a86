import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pulumiEnvironment } from "../../tools/environment";
import { getPulumi } from "../../tools/pulumi";
import { getNomad, getOpenBao, getVault } from "../../tools/servers";
import { atEnd } from "./cleanup";
import { allBlocks, Block, readPage, shown } from "./pages";
import { fastStart } from "./project";

/** Confirms Pulumi's questions, without a preview first. Pulumi rejects this together with `--preview-only`. */
const sayYes = `pulumi() {
  case "$*" in
    *--preview-only*) command pulumi "$@" ;;
    *) PULUMI_SKIP_CONFIRMATIONS=true PULUMI_OPTION_SKIP_PREVIEW=true command pulumi "$@" ;;
  esac
}`;

export interface ShellOptions {
  /** The input that the reader types. */
  input?: string;
  /** The expected exit code. Default: 0. */
  code?: number;
  /** The prompts at a terminal and their answers, in order. */
  terminal?: [question: string, answer: string][];
  /** Additional replacements of the reader's own values, for this block only. */
  own?: Record<string, string>;
}

/**
 * A reader who follows a page exactly: takes each block in order, saves files under the names on the page, and runs commands in bash. These run
 * the real `pulumi`, `vault`, `bao` and `npm`, and `nomad` if it is installed. Only the reader's own values, such as an address, are replaced.
 */
export class Reader {
  /** The folder of the reader's terminal. At first it is empty. */
  private folder: string;
  private readonly root: string;
  private readonly page: string;
  private readonly waiting: Block[];
  private readonly unused: Set<string>;
  private variables: Record<string, string> = {};

  /** `title` is the page, and the anchor of a section to follow only that. `own` maps the page's placeholders for own values to those of this reader, and `usual` those that a page need not have. */
  constructor(
    title: string,
    private readonly own: Record<string, string> = {},
    private readonly usual: Record<string, string> = {},
  ) {
    this.root = mkdtempSync(join(tmpdir(), "steward-reader-"));
    this.folder = join(this.root, "home");
    mkdirSync(this.folder);
    const [page = "", anchor] = title.split("#");
    this.page = page;
    this.waiting = allBlocks(page).filter(
      ({ language, section }) => !shown.includes(language) && (anchor === undefined || section === anchor),
    );
    this.unused = new Set(Object.keys(own));
    atEnd(() => this.remove());
  }

  /** Sets additional variables of the reader's terminal. */
  with(variables: Record<string, string>): this {
    Object.assign(this.variables, variables);
    return this;
  }

  /** Creates a project that the page assumes, with this repository's packages or with those of `installed`. */
  async project(stack: string, config: Record<string, object>, modules = join(__dirname, "../../node_modules")): Promise<void> {
    symlinkSync(modules, this.path("node_modules"), "junction");
    this.write("Pulumi.yaml", "name: story\nruntime: nodejs\n");
    this.write("package.json", '{ "name": "story", "main": "index.ts" }');
    this.write(`Pulumi.${stack}.yaml`, `config: ${JSON.stringify(config)}\n`);
    await this.run(`pulumi stack init ${stack}`);
  }

  private path(file: string): string {
    return join(this.folder, file);
  }

  /** Writes one of the reader's own files. */
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
    return Object.entries({ ...this.usual, ...this.own, ...more }).reduce((before, [theirs, ours]) => {
      const after = before.replaceAll(theirs, ours);
      if (after !== before) this.unused.delete(theirs);
      else if (theirs in more) throw new Error(`${this.page} no longer says ${theirs} there:\n${text}`);
      return after;
    }, text);
  }

  /** Saves the next block under the file name on the page, in its first line or directly before it. */
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

  /** Saves the next block as the program. `before` and `after` complete it if it is only a part. */
  program(before = "", after = ""): void {
    this.write("index.ts", `${before}${this.mine(this.next("ts").text)}${after}`);
  }

  /** Runs the next block, and returns the terminal's output. */
  shell(options: ShellOptions = {}): Promise<string> {
    return this.run(this.mine(this.next("sh").text, options.own), options);
  }

  /** Runs a command in the page's prose. */
  says(command: string, options: ShellOptions = {}): Promise<string> {
    if (!readPage(this.page).includes(`\`${command}\``)) throw new Error(`${this.page} does not say ${command}.`);
    return this.run(this.mine(command, options.own), options);
  }

  /** Returns the next block for a test that does more than run it. */
  take(language: string): string {
    return this.mine(this.next(language).text);
  }

  /** Expects that no block is left. */
  finish(): void {
    expect(this.waiting.map(({ language, text }) => ({ language, text }))).toEqual([]);
    expect([...this.unused]).toEqual([]);
  }

  /** The environment of the reader's terminal. */
  private async environment(): Promise<Record<string, string>> {
    const environment = pulumiEnvironment(this.root, await getPulumi());
    const products = [await getVault(), getNomad(), await getOpenBao()].filter((program) => program !== undefined);
    return {
      ...environment,
      ...fastStart,
      PATH: [...products.map(dirname), environment.PATH].join(delimiter),
      npm_config_prefer_offline: "true",
      // test/pages.test.ts compiles every program of the documentation once.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      ...this.variables,
    };
  }

  /** Runs the next block in another terminal until the output contains `last`. `stop` sends Ctrl-C. */
  async keepRunning(last: string): Promise<{ output: string; stop(): Promise<void> }> {
    const script = this.mine(this.next("sh").text);
    // Ctrl-C ends a separate process group.
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

  /** Runs one of the reader's own commands. */
  async run(script: string, { input, terminal, code: wanted = 0 }: ShellOptions = {}): Promise<string> {
    const after = join(this.root, "after");
    const file = join(this.root, "script");
    writeFileSync(file, `${sayYes}\ntrap 'pwd > "${after}"' EXIT\n${script}`);
    const bash = ["bash", "--norc", "-euo", "pipefail", file];
    const [command = "", ...args] = terminal ? ["script", "--quiet", "--return", "--command", bash.join(" "), "/dev/null"] : bash;
    // A command with an unanswered prompt must not use the whole suite's time.
    const child = spawn(command, args, { cwd: this.folder, env: await this.environment(), timeout: 240_000 });
    // A command that does not read its input may have ended.
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
    if (questions.length > 0)
      throw new Error(
        `${this.page}: these prompts did not appear: ${questions.map(([question]) => question).join(", ")}:\n${script}\n${output}`,
      );
    if (existsSync(after)) this.folder = readFileSync(after, "utf8").trim();
    return output;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
