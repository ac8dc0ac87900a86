import { RekeyInputs } from "../../provider/secrets";
import { kill, processesWith } from "../processes";
import { Project } from "../project";
import { RekeyStack, RekeyTarget } from "../rekey";

/** New shares as the state keeps them. */
export interface SavedSet {
  nonce: string;
  threshold: number;
  shares: string[];
  encrypted: { fingerprint: string; share: string }[];
}

/** What the state holds of the rekey's resources. */
export interface Saved {
  /** Every set, wherever it is. */
  sets: SavedSet[];
  /** The newest set, whose holders have to bring their shares. */
  candidate?: SavedSet;
  live?: SavedSet;
  complete: boolean;
}

/** Whose death a blow is. */
export type Victim = "command line" | "provider" | "both";

/** How a rekey is run. */
export interface Runner {
  /** One `pulumi up`. */
  up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }>;
  /** All that the run has told so far. */
  told(): string;
  /** Called while a request is held. */
  kill(victim: Victim): Promise<void>;
  saved(): Promise<Saved>;
  /** Ends with an error when something is left behind. */
  end(): Promise<void>;
}

const mark = "STEWARD_STORY";
const sleep = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** The real command line, with its processes. */
export class CommandLine implements Runner {
  private readonly project: Project;
  private readonly name: string;
  private output = "";
  private pid: number | undefined;
  private isKilled = false;

  constructor({ token, gateway, dialect }: RekeyTarget) {
    this.name = `${process.pid}-${gateway.url}`;
    this.project = new Project({ [mark]: this.name, STEWARD_TOKEN: token })
      .program(`
        const rekey = new secrets.Rekey("unseal", JSON.parse(process.env.STEWARD_PLAN));
        exports.complete = rekey.complete;`)
      .config({ "steward:default": { secrets: { address: gateway.url, tokenEnv: "STEWARD_TOKEN", dialect } } });
  }

  private left = (): { pid: number; command: string }[] => processesWith(mark, this.name);
  private providers = (): { pid: number; command: string }[] =>
    this.left().filter(({ command }) => /node\S* .*dynamic-provider/.test(command) && !/^\S*sh /.test(command));

  async up(inputs: RekeyInputs, variables: Record<string, string>): Promise<{ code: number; output: string }> {
    this.output = "";
    this.isKilled = false;
    const child = await this.project.with({ ...variables, STEWARD_PLAN: JSON.stringify(inputs) }).launch("up", "--yes", "--skip-preview");
    this.pid = child.pid;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    // Orphans keep the pipes open: the end of the process counts, not theirs.
    const code = await new Promise<number>((done) => child.on("exit", (status) => done(status ?? 1)));
    // Whatever was killed, the provider ends by itself; the language host and its shell are Pulumi's to leave behind.
    for (let waited = 0; this.providers().length > 0; waited += 50) {
      if (waited > 8000) throw new Error(`the provider goes on without its engine: ${this.providers()[0]?.command}`);
      await sleep(50);
    }
    kill(this.left());
    if (this.isKilled) await this.project.pulumi("cancel", "--yes");
    return { code, output: this.output };
  }

  told = (): string => this.output;

  async kill(victim: Victim): Promise<void> {
    const providers = this.providers();
    if (victim !== "provider") {
      this.isKilled = true;
      kill([{ pid: this.pid as number, command: "pulumi" }]);
    }
    if (victim !== "command line") kill(providers);
  }

  async saved(): Promise<Saved> {
    const resources = await this.project.resources("--show-secrets");
    const outputs = (type: string): unknown => resources.find(({ urn }) => urn.includes(`:${type}::`))?.outputs;
    return savedIn(outputs("RekeyShares"), outputs("RekeyCommit"));
  }

  async end(): Promise<void> {
    const left = this.left();
    kill(left);
    this.project.remove();
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join("; ")}`);
  }
}

/** The provider in this process, under an engine that keeps what the real one keeps. Whoever dies, the run is never heard of again. */
export class InProcess implements Runner {
  private readonly stack: RekeyStack;
  private lines: string[] = [];
  private die: (() => void) | undefined;

  constructor({ config }: RekeyTarget) {
    this.stack = new RekeyStack(config);
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
    const failed = await Promise.race([
      this.stack.up(inputs).then(
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
    this.die?.();
    // What was asked is never answered.
    await new Promise(() => {});
  }

  saved = async (): Promise<Saved> => savedIn(this.stack.shares.state?.outputs, this.stack.commit.state?.outputs);
  end = async (): Promise<void> => {};
}

function savedIn(shares: unknown, commit: unknown): Saved {
  const { candidate } = (shares ?? {}) as { candidate?: SavedSet };
  const { live, complete = false } = (commit ?? {}) as { live?: SavedSet; complete?: boolean };
  const sets: SavedSet[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("threshold" in value && "encrypted" in value) sets.push(value as SavedSet);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit([shares, commit]);
  return { sets, candidate, live, complete };
}
