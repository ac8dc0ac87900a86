import { Halfway } from "./mechanism";
import { Resource } from "./state";
import { resourceOf, Step, Worker } from "./steps";

/** The effect on the run when a step begins. */
export type Verdict = "continue" | "interrupt" | "kill";

export interface Conditions {
  /** Called before each step that calls a provider. While it waits, other steps may overtake this one. */
  begins?(step: Step): Promise<Verdict>;
  /** The number of parallel steps. Default: all. */
  parallel?: number;
  continueOnError?: boolean;
}

/** The result of a registration for the program. Undefined if the run ended before. */
export type Outcome = { resource: Resource; result: "done" | "failed" | "skipped" } | undefined;

/** Runs chains of steps in parallel. After a failure or an interrupt, no step starts, and running steps complete. */
export class Executor {
  isStopped = false;
  isKilled = false;
  readonly errors: string[] = [];
  /** The error that stopped the run. */
  cause: unknown;
  readonly failed: Step[] = [];
  private readonly running = new Set<Promise<unknown>>();

  constructor(
    private readonly worker: Worker,
    private readonly conditions: Conditions,
    private readonly onKill: (step: Step) => void,
  ) {}

  /** Waits for a free worker, and returns a function that waits for the end of the chain. */
  async start(chain: readonly Step[]): Promise<() => Promise<Outcome>> {
    while (this.running.size >= (this.conditions.parallel ?? Number.POSITIVE_INFINITY)) await Promise.race(this.running);
    const ending = this.run(chain);
    this.running.add(ending);
    void ending.finally(() => this.running.delete(ending));
    return () => ending;
  }

  /** Runs steps in parallel. */
  async all(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.start([step]);
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Fails the run before a step could. */
  refuse(error: unknown): void {
    this.cause ??= error;
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
        this.cause ??= error instanceof Halfway ? error.error : error;
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
    const verdict = isQuiet ? "continue" : ((await this.conditions.begins?.(step)) ?? "continue");
    if (this.isStopped) return false;
    this.isStopped = verdict !== "continue";
    if (verdict === "kill") {
      this.isKilled = true;
      this.onKill(step);
    }
    return true;
  }
}
