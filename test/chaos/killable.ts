import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { kill, Process, processesWith } from "../support/processes";
import { Project } from "../support/project";

/** Whose death a fault is. */
export type Victim = "command line" | "provider" | "both";

const mark = "STEWARD_STORY";
const sleep = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Runs of the real command line whose processes can be killed. */
export class Killable {
  readonly project: Project;
  /** What the last run has printed so far. */
  output = "";
  /** How many files Pulumi left half written when it died. */
  halfWritten = 0;
  private pid: number | undefined;
  private isKilled = false;
  private isProviderLoaded = true;

  /** `name`: of these runs alone, as long as they go on. */
  constructor(
    private readonly name: string,
    variables: Record<string, string>,
  ) {
    this.project = new Project({ ...variables, [mark]: name });
  }

  left = (): Process[] => processesWith(mark, this.name);
  private providers = (): Process[] =>
    this.left().filter(({ command }) => /node\S* .*dynamic-provider/.test(command) && !/^\S*sh /.test(command));

  /** One `pulumi up`, and what an operator does where it was killed. */
  async up(): Promise<{ code: number; output: string }> {
    this.output = "";
    this.isKilled = false;
    this.isProviderLoaded = true;
    const child = await this.project.launch("up", "--yes", "--skip-preview");
    this.pid = child.pid;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    // Orphans keep the pipes open: the end of the process counts, not theirs.
    const code = await new Promise<number>((done) => child.on("exit", (status) => done(status ?? 1)));
    this.pid = undefined;
    // Whatever was killed, the provider ends by itself; the language host and its shell are Pulumi's to leave behind.
    for (let waited = 0; this.isProviderLoaded && this.providers().length > 0; waited += 50) {
      if (waited > 60_000) throw new Error(`the provider goes on without its engine: ${this.providers()[0]?.command}`);
      await sleep(50);
    }
    kill(this.left());
    if (this.isKilled) {
      this.removeHalfWritten();
      await this.project.pulumi("cancel", "--yes");
    }
    return { code, output: this.output };
  }

  /** Pulumi's local backend writes beside each file what it knows of it, in place: of what dies meanwhile an empty file is left, which nothing can read. */
  private removeHalfWritten(): void {
    const folder = join(this.project.folder, "backend/.pulumi");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".attrs"))) {
      if (readFileSync(join(folder, file), "utf8").trimEnd().endsWith("}")) continue;
      rmSync(join(folder, file));
      this.halfWritten++;
    }
  }

  /**
   * False: there is nothing left to kill. `isProviderLoaded`: whether the provider has sent a request. Before the engine's first call, Pulumi's process runs
   * without this package, and stays for ever when the engine is killed.
   */
  kill(victim: Victim, isProviderLoaded = true): boolean {
    if (this.pid === undefined) return false;
    this.isProviderLoaded = isProviderLoaded;
    const providers = this.providers();
    if (victim !== "provider") {
      this.isKilled = true;
      kill([{ pid: this.pid, command: "pulumi" }]);
    }
    if (victim !== "command line") kill(providers);
    return true;
  }

  /** Ends with an error when something is left behind. */
  end(): void {
    const left = this.left();
    this.discard();
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join("; ")}`);
  }

  /** Whatever has become of it. */
  discard(): void {
    kill(this.left());
    this.project.remove();
  }
}
