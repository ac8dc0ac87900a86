import { Resource } from "./state";
import { resourceOf, Step, Worker } from "./steps";

/** What becomes of the run when a step begins. */
export type Verdict = "go on" | "interrupt" | "kill";

export interface Conditions {
  /** Asked before each step that a provider hears of; where it waits, others overtake it. */
  begins?(step: Step): Promise<Verdict>;
  /** How many steps run at once; as many as there are when omitted. */
  parallel?: number;
  continueOnError?: boolean;
  /** Ctrl-C at any moment: between two steps, or in the midst of one. */
  interrupted?: AbortSignal;
}

/** What the program hears of a registration; nothing when the run ends before. */
export type Outcome = { resource: Resource; result: "done" | "failed" | "skipped" } | undefined;

/** Runs chains of steps side by side. After a failure or an interrupt no step begins any more; those that run go on to their end. */
export class Executor {
  isStopped = false;
  isKilled = false;
  readonly errors: string[] = [];
  readonly failed: Step[] = [];
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly worker: Worker,
    private readonly conditions: Conditions,
    private readonly onKill: (step: Step) => void,
  ) {
    conditions.interrupted?.addEventListener("abort", () => {
      this.isStopped = true;
    });
  }

  /** Waits for a place among the workers, and gives back what waits for the chain's end. */
  async start(chain: readonly Step[]): Promise<() => Promise<Outcome>> {
    while (this.running.size >= (this.conditions.parallel ?? Number.POSITIVE_INFINITY)) await Promise.race(this.running);
    const ending = this.run(chain);
    this.running.add(ending);
    void ending.finally(() => this.running.delete(ending));
    return () => ending;
  }

  /** Side by side. */
  async all(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.start([step]);
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** The run fails before a step could. */
  refuse(error: unknown): void {
    this.errors.push(String((error as Error).message));
    this.isStopped = true;
  }

  private async run(chain: readonly Step[]): Promise<Outcome> {
    let resource: Resource | undefined;
    for (const step of chain) {
      if (this.isStopped || !(await this.mayBegin(step))) return undefined;
      resource = resourceOf(step);
      try {
        await this.worker.do(step);
      } catch (error) {
        if (this.isKilled) return undefined;
        this.errors.push(`${resource.urn}: ${(error as Error).message}`);
        if (!this.conditions.continueOnError) this.isStopped = true;
        this.failed.push(step);
        return this.isStopped ? undefined : { resource, result: "failed" };
      }
    }
    return resource && { resource, result: "done" };
  }

  private async mayBegin(step: Step): Promise<boolean> {
    const isQuiet = resourceOf(step).isComponent || step.kind === "same" || step.kind === "drop";
    const verdict = isQuiet ? "go on" : ((await this.conditions.begins?.(step)) ?? "go on");
    if (this.isStopped) return false;
    this.isStopped = verdict !== "go on";
    if (verdict === "kill") {
      this.isKilled = true;
      this.onKill(step);
    }
    return true;
  }
}
