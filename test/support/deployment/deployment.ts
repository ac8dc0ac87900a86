import { Config, dynamic, Mechanism, Provider } from "./mechanism";
import { Program } from "./program";
import { Ending, Options, Run, Script } from "./run";
import { Resource, serialized } from "./state";

/** Starts the process of an operation: a dynamic provider for each type, or another mechanism. */
export type StartProcess = () => ((type: string) => Provider) | Mechanism;

/**
 * A stack of resources under a stand-in of the engine. Like the real engine, it sends the providers the same requests in the same order, and
 * uses their responses in the same way. `engine.test.ts` compares both.
 */
export class Deployment {
  resources: Resource[] = [];
  /** The operations in progress when the run was killed. */
  pending: string[] = [];
  /** The configuration of the last `up`, which refresh and destroy use. */
  private recorded: Config = {};

  constructor(
    private readonly start: StartProcess,
    public config: Config,
  ) {}

  up = (program: Program | Script, options: Options = {}): Promise<Ending> => this.operate(program, options, false);
  preview = (program: Program | Script, options: Options = {}): Promise<Ending> => this.operate(program, options, true);
  destroy = (options: Options = {}): Promise<Ending> => this.operate(undefined, options, false);

  async refresh(options: Options = {}): Promise<Ending> {
    const run = this.begin(this.recorded, options, options.previewOnly ?? false);
    await run.refresh();
    return this.end(run);
  }

  /** The content of the backend's file. */
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
    // Copies: temporary changes of a run, such as a preview, are not in the state yet.
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
