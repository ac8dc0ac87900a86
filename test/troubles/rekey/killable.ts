import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { kill, Process, processesWith } from "../../support/processes";
import { Project } from "../../support/project";

/** The process that a fault kills. */
export type Victim = "command line" | "provider" | "both";

const mark = "STEWARD_STORY";
const sleep = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** Runs of the real command line whose processes can be killed. */
export class Killable {
  readonly project: Project;
  /** The output of the last run so far. */
  output = "";
  private pid: number | undefined;
  private isKilled = false;

  /** `name` restricts this object to the processes of its own runs. */
  constructor(
    private readonly name: string,
    variables: Record<string, string>,
  ) {
    this.project = new Project({ ...variables, [mark]: name });
  }

  left = (): Process[] => processesWith(mark, this.name);
  private providers = (): Process[] =>
    this.left().filter(({ command }) => /node\S* .*(dynamic-provider|pulumi-resource-steward)/.test(command) && !/^\S*sh /.test(command));

  /** Runs one `pulumi up`, and cleans up after a kill as an operator does. */
  async up(): Promise<{ code: number; output: string }> {
    this.output = "";
    this.isKilled = false;
    const child = await this.project.launch("up", "--yes", "--skip-preview");
    this.pid = child.pid;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        this.output += data;
      });
    // Wait for the process to exit, not for its pipes to close: orphans keep them open.
    const code = await new Promise<number>((done) => child.on("exit", (status) => done(status ?? 1)));
    this.pid = undefined;
    // After any kill, the provider ends. The language host and its shell are left to Pulumi.
    for (let waited = 0; this.providers().length > 0; waited += 50) {
      if (waited > 60_000) throw new Error(`the provider goes on without its engine: ${this.providers()[0]?.command}`);
      await sleep(50);
    }
    kill(this.left());
    if (this.isKilled) {
      this.removeHalfWritten();
      await this.project.pulumi("cancel", "--yes");
      // Separate from the next `up`: with --refresh, Pulumi starts a second provider process, which it neither uses nor ends after a kill.
      await this.project.refresh();
    }
    return { code, output: this.output };
  }

  /** Removes empty files. Pulumi's local backend rewrites metadata files in place, so a kill may leave one empty and unreadable. */
  private removeHalfWritten(): void {
    const folder = join(this.project.folder, "backend/.pulumi");
    for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".attrs"))) {
      if (!readFileSync(join(folder, file), "utf8").trimEnd().endsWith("}")) rmSync(join(folder, file));
    }
  }

  /** Sends SIGKILL. On a busy machine, the port of a killed command line stays open for a moment, in which its provider could send a request. */
  async kill(victim: Victim): Promise<void> {
    if (this.pid === undefined) return;
    const providers = this.providers();
    if (victim !== "provider") {
      this.isKilled = true;
      kill([{ pid: this.pid, command: "pulumi" }]);
    }
    if (victim !== "command line") kill(providers);
    while (victim !== "provider" && this.pid !== undefined) await sleep(5);
  }

  /** Throws if a process is left. */
  end(): void {
    const left = this.left();
    kill(left);
    this.project.remove();
    if (left.length > 0) throw new Error(`left behind: ${left.map(({ command }) => command).join("; ")}`);
  }
}
