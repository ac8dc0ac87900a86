import { Config, dynamic, Mechanism, Provider } from "./mechanism";
import { Program } from "./program";
import { Ending, Options, Run, Script } from "./run";
import { Resource, serialized } from "./state";

/** The process that the engine starts for an operation: a dynamic provider for each type, or another mechanism. */
export type StartProcess = () => ((type: string) => Provider) | Mechanism;

/**
 * A stack of many resources under an engine: what the real one asks of the providers, in its order, with the arguments that it passes, and what it makes
 * of their answers. `engine.test.ts` holds it against the real one.
 */
export class Deployment {
  resources: Resource[] = [];
  /** What an operation had begun when it was killed. */
  pending: string[] = [];
  /** The stack's configuration of the last `up`: refresh and destroy know no other. */
  private recorded: Config = {};

  constructor(
    private readonly start: StartProcess,
    public config: Config,
  ) {}

  up = (program: Program | Script, options: Options = {}): Promise<Ending> => this.operate(program, options, false);
  preview = (program: Program | Script, options: Options = {}): Promise<Ending> => this.operate(program, options, true);
  destroy = (options: Options = {}): Promise<Ending> => this.operate(undefined, options, false);

  /** With a program, as `--run-program` has it: the program runs, and is answered with what is read. */
  async refresh(options: Options = {}, program?: Program | Script): Promise<Ending> {
    const isPreview = options.previewOnly ?? false;
    if (program && !isPreview) this.recorded = this.config;
    const run = this.begin(program ? this.config : this.recorded, options, isPreview);
    await (program ? run.refreshWith(program) : run.refresh());
    return this.end(run);
  }

  /** What the backend's file holds. */
  stored = (): string => serialized(this.resources);

  private async operate(program: Program | Script | undefined, options: Options, isPreview: boolean): Promise<Ending> {
    const config = program ? this.config : this.recorded;
    const run = this.begin(config, options, isPreview);
    if (options.refresh) await run.refresh();
    if (!run.hasFailed) {
      if (program && !isPreview) this.recorded = config;
      await run.program(program ?? []);
    }
    return this.end(run);
  }

  private begin(config: Config, options: Options, isPreview: boolean): Run {
    const started = this.start();
    const mechanism = typeof started === "function" ? dynamic(started) : started;
    mechanism.configure(config);
    // Copies: what a run changes in passing, a preview for one, is not yet in the state.
    const olds = this.resources.map((resource) => ({ ...resource }));
    return new Run(olds, options, isPreview, mechanism);
  }

  private end(run: Run): Ending {
    if (!run.isPreview) {
      this.resources = run.journal.resources();
      this.pending = run.unfinished;
    }
    return run.ending();
  }
}
