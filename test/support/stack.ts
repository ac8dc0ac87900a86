import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./cleanup";
import type { StateResource } from "./state";

export interface Run {
  code: number;
  output: string;
  /** The lines of a `--diff` that begin with `+`, `-` or `~`, without the headings of resources. */
  changes: string[];
}

/** The content of Pulumi.yaml. */
export const settings = "name: story\nruntime: nodejs\n";

/** A program and its stack, in this process or with the real command line. */
export abstract class Stack {
  /** The project's folder. The files of the program are in `program/`. */
  readonly folder: string = mkdtempSync(join(tmpdir(), "steward-project-"));
  protected more: Record<string, string> = {};

  constructor(protected readonly variables: Record<string, string> = {}) {
    mkdirSync(this.programFolder);
    // The classes look for the package there, too.
    symlinkSync(join(__dirname, "../../node_modules"), join(this.programFolder, "node_modules"), "junction");
    this.files({ "Pulumi.yaml": settings }).program("");
    atEnd(() => this.remove());
  }

  protected get programFolder(): string {
    return join(this.folder, "program");
  }

  /** Writes files into the program's folder. */
  files(files: Record<string, string>): this {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(this.programFolder, file), text);
    return this;
  }

  private main(file: string, source: string): this {
    return this.files({ "package.json": `{ "name": "story", "main": "${file}" }`, [file]: source });
  }

  /** Sets the program: the code after the import of the package. */
  program(source: string): this {
    const imports = 'const pulumi = require("@pulumi/pulumi");\nconst { platform, scheduler, secrets } = require("pulumi-steward");\n';
    return this.main("index.js", `${imports}${source}\n`);
  }

  /** Sets a program as on a page of the documentation. */
  typescript(source: string): this {
    return this.main("index.ts", source);
  }

  example(name: string): this {
    const filter = (file: string): boolean => !file.endsWith("node_modules");
    cpSync(join(__dirname, "../../examples", name), this.programFolder, { recursive: true, filter });
    const own = readFileSync(join(this.programFolder, "Pulumi.yaml"), "utf8");
    return this.files({ "Pulumi.yaml": own.replace(/^name: .*/m, "name: story") });
  }

  /** Sets the stack's configuration. */
  abstract config(config: Record<string, object>): this;
  /** Sets a value of the configuration, like the command line. */
  abstract set(key: string, value: string, ...options: string[]): Promise<void>;
  abstract pulumi(...args: string[]): Promise<Run>;
  abstract resources(): Promise<StateResource[]>;
  /** All current and former content of the backend. */
  abstract stored(): string;

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Sets additional variables for later runs. */
  with(variables: Record<string, string>): this {
    this.more = variables;
    return this;
  }

  /** Runs a command, and throws with its output if it fails. */
  async succeed(...args: string[]): Promise<Run> {
    const run = await this.pulumi(...args);
    if (run.code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${run.code}:\n${run.output}`);
    return run;
  }

  up = (...args: string[]): Promise<Run> => this.succeed("up", "--yes", "--skip-preview", "--diff", ...args);
  preview = (...args: string[]): Promise<Run> => this.succeed("preview", "--diff", ...args);
  refresh = (...args: string[]): Promise<Run> => this.succeed("refresh", "--yes", "--skip-preview", "--diff", ...args);
  destroy = (...args: string[]): Promise<Run> => this.succeed("destroy", "--yes", "--skip-preview", ...args);

  /** Expects that neither a preview nor a refresh changes anything. */
  async expectConverged(): Promise<void> {
    await this.preview("--expect-no-changes");
    await this.refresh("--expect-no-changes");
  }

  /** Expects that neither a refresh nor another up changes anything. */
  async calm(): Promise<void> {
    await this.succeed("up", "--yes", "--skip-preview", "--refresh", "--expect-no-changes");
  }

  async outputs(): Promise<Record<string, unknown>> {
    return (await this.resources()).find(({ urn }) => urn.includes("::pulumi:pulumi:Stack::"))?.outputs ?? {};
  }
}
