import { spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { root, sourceFiles } from "../../tools/command";

/** The output of `npm run build`. */
const built = ["dist", "sandbox/dist", "sandbox/scheduler/filter/parser.js"];

/** The limits in milliseconds, for one test and for all. */
export interface Limits {
  test: number;
  all: number;
}

/** The first test that failed; undefined if all passed. */
export interface Failure {
  suite: string;
  title: string;
  /** True if no test failed, but the suites did not end in time. */
  isLate: boolean;
}

/** A copy of the current repository, in which files can be changed. */
export class Copy {
  private readonly base: string = fs.mkdtempSync(join(tmpdir(), "steward-mutants-"));
  readonly folder: string = join(this.base, "repository");
  /** A folder next to the repository: a program in it must not find the package in a parent folder. */
  private readonly temporary: string = join(this.base, "temporary");

  constructor() {
    for (const file of [...built, ...sourceFiles()]) fs.cpSync(join(root, file), join(this.folder, file), { recursive: true });
    fs.mkdirSync(this.temporary);
    fs.mkdirSync(join(this.folder, "node_modules"));
    for (const name of fs.readdirSync(join(root, "node_modules"))) {
      const module = join(root, "node_modules", name);
      // The workspaces, and this package under its own name, are those of the copy.
      fs.symlinkSync(fs.lstatSync(module).isSymbolicLink() ? fs.readlinkSync(module) : module, join(this.folder, "node_modules", name));
    }
  }

  remove(): void {
    fs.rmSync(this.base, { recursive: true, force: true });
  }

  /** Changes a source file and its compiled copy for the real command line, if there is one. Returns a function that restores them. */
  change(file: string, text: string): () => void {
    const built = join("dist", file.replace(/\.ts$/, ".js"));
    const hasBuilt = fs.existsSync(join(this.folder, built));
    const before = [file, ...(hasBuilt ? [built] : [])].map(
      (name) => [join(this.folder, name), fs.readFileSync(join(this.folder, name), "utf8")] as const,
    );
    const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true };
    fs.writeFileSync(join(this.folder, file), text);
    if (hasBuilt) fs.writeFileSync(join(this.folder, built), transpileModule(text, { compilerOptions, fileName: file }).outputText);
    const entries = fs.readdirSync(this.folder);
    return () => {
      for (const [name, original] of before) fs.writeFileSync(name, original);
      // Files that the mutant left would make the suites fail with every later mutant.
      for (const name of fs.readdirSync(this.folder)) if (!entries.includes(name)) fs.rmSync(join(this.folder, name), { recursive: true });
    };
  }

  /** Runs suites until the first test fails. A run that does not end in time counts as failed. */
  async run(suites: readonly string[], limits: Limits): Promise<Failure | undefined> {
    const jest = join(this.folder, "node_modules/jest/bin/jest.js");
    const report = join(this.folder, "first-failure.json");
    const log = join(this.folder, "jest.log");
    fs.rmSync(report, { force: true });
    const sequencer = `--testSequencer=${join(this.folder, "test/mutants/in-order.js")}`;
    const reporters = ["--reporters=default", `--reporters=${join(this.folder, "test/mutants/first-failure.js")}`];
    const output = fs.openSync(log, "w");
    const child = spawn(process.execPath, [jest, ...suites, "--runInBand", `--testTimeout=${limits.test}`, sequencer, ...reporters], {
      cwd: this.folder,
      // A separate process group, so that an aborted suite leaves no process behind.
      detached: true,
      stdio: ["ignore", output, output],
      env: { ...process.env, TMPDIR: this.temporary, FIRST_FAILURE: report, SUITES_IN_ORDER: JSON.stringify(suites) },
    });
    const end = (): void => {
      try {
        process.kill(-(child.pid as number), "SIGKILL");
      } catch {
        // The group has ended already.
      }
    };
    // Before the copy is removed, since the processes write to it.
    process.prependOnceListener("exit", end);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, limits.all);
    const code = await new Promise((done) => child.once("close", done));
    clearTimeout(timer);
    fs.closeSync(output);
    end();
    process.off("exit", end);
    if (code === 0) return undefined;
    if (isLate) return { suite: suites.join(" "), title: "it does not end", isLate };
    if (!fs.existsSync(report))
      throw new Error(`Jest ended with ${code} before a test failed:\n${fs.readFileSync(log, "utf8").slice(-5000)}`);
    const { file, title } = JSON.parse(fs.readFileSync(report, "utf8")) as { file: string; title: string };
    return { suite: relative(this.folder, file), title, isLate };
  }
}
