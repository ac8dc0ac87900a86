import { RekeyInputs, RekeyRecordEntry } from "../../../provider/secrets";
import { runPrograms } from "../../support/languages";
import { nativeProject } from "../../support/project";
import { RekeyStack, RekeyTarget, stackOn } from "../../support/rekey";
import { Killable, Victim } from "./killable";

/** New shares in the state. */
export interface SavedSet {
  nonce: string;
  threshold: number;
  shares: string[];
  encrypted: { fingerprint: string; share: string }[];
}

/** The state of the rekey's resources. */
export interface Saved {
  /** Every set in any of the states. */
  sets: SavedSet[];
  /** The newest set, whose holders must provide their shares. */
  candidate?: SavedSet;
  live?: SavedSet;
  complete: boolean;
  record: RekeyRecordEntry[];
}

export interface RekeyRunner {
  up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }>;
  /** Returns the output of the run so far. */
  told(): string;
  /** Kills a process while a request is held. */
  kill(victim: Victim): Promise<void>;
  saved(): Promise<Saved>;
  /** Throws if a process is left. */
  end(): Promise<void>;
}

/** Runs the real command line and its processes. */
export class CommandLineRekeyRunner implements RekeyRunner {
  protected readonly runs: Killable;
  /** The state, read once after each run. Before the first, there is no file. */
  private state: Promise<Saved> | undefined = Promise.resolve(savedIn(undefined, undefined));

  constructor(protected readonly target: RekeyTarget) {
    const { token, gateway, connection } = target;
    this.runs = new Killable(`${process.pid}-${gateway.url}`, { STEWARD_TOKEN: token });
    this.runs.project
      .program(`
        const rekey = new secrets.Rekey("unseal", JSON.parse(process.env.STEWARD_PLAN));
        exports.complete = rekey.complete;`)
      .config(connection);
  }

  async up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }> {
    this.state = undefined;
    this.runs.project.with({ ...variables, STEWARD_PLAN: JSON.stringify({ target: this.target.keys, ...inputs }) });
    const ended = await this.runs.up();
    // A fault may have read it during the run.
    this.state = undefined;
    return ended;
  }

  told = (): string => this.runs.output;

  async kill(victim: Victim): Promise<void> {
    await this.runs.kill(victim);
  }

  saved = (): Promise<Saved> => {
    this.state ??= this.read();
    return this.state;
  };

  private async read(): Promise<Saved> {
    const resources = await this.runs.project.resources();
    const outputs = (type: string): unknown => resources.find(({ urn }) => urn.includes(`:${type}::`))?.outputs;
    return savedIn(outputs("RekeyShares"), outputs("RekeyCommit"));
  }

  end = async (): Promise<void> => this.runs.end();
}

/** Runs a program in YAML, whose rekey the native plugin manages. */
export class YamlRekeyRunner extends CommandLineRekeyRunner {
  override async up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }> {
    const { project } = this.runs;
    await runPrograms(project);
    const resources = { unseal: { type: "steward:secrets:Rekey", properties: { target: this.target.keys, ...inputs } } };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of Pulumi's YAML.
    const outputs = { complete: "${unseal.complete}" };
    const program = [`resources: ${JSON.stringify(resources)}`, `outputs: ${JSON.stringify(outputs)}`];
    project.files({ "Pulumi.yaml": nativeProject("yaml") + program.join("\n") });
    return super.up(inputs, variables);
  }
}

/**
 * Runs the provider in this process, with a stand-in engine that saves the same states. After a kill, the run has no further effect, and the next one
 * refreshes.
 */
export class InProcessRekeyRunner implements RekeyRunner {
  private readonly stack: RekeyStack;
  private lines: string[] = [];
  private die: (() => void) | undefined;
  private isKilled = false;

  constructor(target: RekeyTarget) {
    this.stack = stackOn(target);
  }

  async up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }> {
    this.lines = [];
    for (const name of Object.keys(process.env)) if (/^STEWARD_(SHARE|NEW)_/.test(name)) delete process.env[name];
    Object.assign(process.env, variables);
    const log = console.log;
    console.log = (line) => void this.lines.push(String(line));
    const killed = new Promise<string>((done) => {
      this.die = () => done("killed");
    });
    const run = this.isKilled ? this.stack.refresh().then(() => this.stack.up(inputs)) : this.stack.up(inputs);
    this.isKilled = false;
    const failed = await Promise.race([
      run.then(
        () => "",
        (error: Error) => error.message,
      ),
      killed,
    ]);
    console.log = log;
    return { code: failed ? 1 : 0, output: [...this.lines, failed].join("\n") };
  }

  told = (): string => this.lines.join("\n");

  async kill(): Promise<void> {
    this.isKilled = true;
    this.die?.();
    // The request never gets a response.
    await new Promise(() => {});
  }

  saved = async (): Promise<Saved> => savedIn(this.stack.shares.state?.outputs, this.stack.commit.state?.outputs);
  end = async (): Promise<void> => {};
}

function savedIn(shares: unknown, commit: unknown): Saved {
  const { candidate } = ((shares ?? {}) as { submission?: { candidate?: SavedSet } }).submission ?? {};
  const { live, complete = false, record = [] } = (commit ?? {}) as Partial<Saved>;
  const sets: SavedSet[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("threshold" in value && "encrypted" in value) sets.push(value as SavedSet);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit([shares, commit]);
  return { sets, candidate, live, complete, record };
}
