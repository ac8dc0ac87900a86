import { atEnd } from "./cleanup";
import type { StateResource } from "./state";

export interface Run {
  code: number;
  output: string;
  /** The lines of a `--diff` that begin with `+`, `-` or `~`, without the headings of resources. */
  changes: string[];
}

/** A program and its stack, in this process or with the real command line. */
export abstract class Stack {
  protected more: Record<string, string> = {};

  constructor(protected readonly variables: Record<string, string>) {
    atEnd(() => this.remove());
  }

  /** The project's folder. The files of the program are in `program/`. */
  abstract get folder(): string;
  /** Sets the program: the code after the import of the package. */
  abstract program(source: string): this;
  /** Sets a program as on a page of the documentation. */
  abstract typescript(source: string): this;
  abstract example(name: string): this;
  abstract files(files: Record<string, string>): this;
  /** Sets the stack's configuration. */
  abstract config(config: Record<string, object>): this;
  /** Sets a value of the configuration, like the command line. */
  abstract set(key: string, value: string, ...options: string[]): Promise<void>;
  abstract pulumi(...args: string[]): Promise<Run>;
  abstract resources(): Promise<StateResource[]>;
  /** All current and former content of the backend. */
  abstract stored(): string;
  abstract remove(): void;

  /** Sets additional variables for later runs. */
  with(variables: Record<string, string>): this {
    this.more = variables;
    return this;
  }

  protected async succeed(...args: string[]): Promise<Run> {
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
