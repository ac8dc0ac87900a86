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
  private pid: number | undefined;
  private isKilled = false;

  /** `name`: of these runs alone, as long as they go on. */
  constructor(
    private readonly name: string,
    variables: Record<string, string>,
  ) {
    this.project = new Project({ ...variables, [mark]: name });
  }

  left = (): Process[] => processesWith(mark, this.name);
  private providers = (): Process[] =>
    this.left().filter(({ command }) => /node\S* .*(dynamic-provider|pulumi-resource-steward)/.test(command) && !/^\S*sh /.test(command));

  /** One `pulumi up`, and what an operator does where it was killed. */
  async up(): Promise<{ code: number; output: string }> {
    this.output = "";
    this.isKilled = false;
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
    for (let waited = 0; this.providers().length > 0; waited += 50) {
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
      if (!readFileSync(join(folder, file), "utf8").trimEnd().endsWith("}")) rmSync(join(folder, file));
    }
  }

  /** SIGKILL. */
  kill(victim: Victim): void {
    if (this.pid === undefined) return;
    const providers = this.providers();
    if (victim !== "provider") {
      this.isKilled = true;
      kill([{ pid: this.pid, command: "pulumi" }]);
    }
    if (victim !== "command line") kill(providers);
  }

  /** Ends with an error when something is left behind. */
  end(): void {
    const left = this.left();
    kill(left);
    this.project.remove();
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join("; ")}`);
  }
}
