import { Conditions, Executor, Outcome } from "./executor";
import { Generator, Scope } from "./generator";
import { Journal } from "./journal";
import { Declaration, dependenciesOf, Program } from "./program";
import { Resource, repaired, serialized } from "./state";
import { Provider, resourceOf, Step, Worker } from "./steps";
import { Properties, Reference, resolved, unknown } from "./values";

type Config = Record<string, object>;
type Needed = ReadonlyMap<string, NonNullable<Outcome>>;

/** The process that the engine starts for an operation: a provider for each type. */
export type StartProcess = () => (type: string) => Provider;

export interface Options extends Conditions, Pick<Scope, "targets" | "replace"> {
  /** Asked when nothing keeps a registration back any more; where it waits, others overtake it. */
  arrives?(declaration: Declaration): Promise<void>;
  /** Reads everything first. */
  refresh?: boolean;
}

/** How an operation ended. */
export interface Ending {
  succeeded: boolean;
  errors: readonly string[];
  /** By URN, what was done, or would be; what is deleted at the end apart. */
  operations: ReadonlyMap<string, string>;
  deleted: readonly string[];
  /** URNs of what a refresh shows as changed or gone. */
  drift: readonly string[];
}

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

  up = (program: Program, options: Options = {}): Promise<Ending> => this.operate(program, options, false);
  preview = (program: Program, options: Options = {}): Promise<Ending> => this.operate(program, options, true);
  destroy = (options: Options = {}): Promise<Ending> => this.operate(undefined, options, false);

  async refresh(options: Options = {}): Promise<Ending> {
    const run = this.begin(this.recorded, options, false);
    await run.refresh();
    return this.end(run);
  }

  /** What the backend's file holds. */
  stored = (): string => serialized(this.resources);

  private async operate(program: Program | undefined, options: Options, isPreview: boolean): Promise<Ending> {
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
    const providers = this.start();
    const configured = new Map<string, Provider>();
    // Copies: what a run changes in passing, a preview for one, is not yet in the state.
    const olds = this.resources.map((resource) => ({ ...resource }));
    return new Run(olds, options, isPreview, (type) => {
      let provider = configured.get(type);
      if (!provider) {
        provider = providers(type);
        provider.configure({ config: { get: (key) => config[key] && JSON.stringify(config[key]) } });
        configured.set(type, provider);
      }
      return provider;
    });
  }

  private end(run: Run): Ending {
    if (!run.isPreview) {
      this.resources = run.journal.resources();
      this.pending = run.unfinished;
    }
    return run.ending();
  }
}

/** One operation. */
class Run {
  readonly journal: Journal;
  unfinished: string[] = [];
  private generator: Generator;
  private readonly worker: Worker;
  private readonly executor: Executor;
  private readonly drift: string[] = [];
  private readonly deleted: string[] = [];
  /** What the program declares, by name, with the outputs in it. */
  private readonly given = new Map<string, Properties>();
  /** URNs that a failure leaves out. */
  private readonly skipped = new Set<string>();
  /** The engine looks at one registration after the other. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private olds: Resource[],
    private readonly options: Options,
    readonly isPreview: boolean,
    private readonly providerOf: (type: string) => Provider,
  ) {
    this.generator = this.generate();
    this.journal = new Journal(olds, this.generator.renamed);
    this.worker = new Worker(providerOf, this.journal, isPreview, (urn) => void this.drift.push(urn));
    this.executor = this.execute(options);
  }

  private execute(conditions: Conditions): Executor {
    return new Executor(this.worker, conditions, (step) => {
      this.unfinished = [...this.journal.pending, resourceOf(step)].map(({ urn }) => urn);
      this.journal.freeze();
    });
  }

  get hasFailed(): boolean {
    return this.executor.isStopped || this.executor.errors.length > 0;
  }

  private generate(): Generator {
    const { targets, replace } = this.options;
    return new Generator(this.olds, { isPreview: this.isPreview, targets, replace }, this.providerOf);
  }

  ending(): Ending {
    const { operations } = this.generator;
    return { succeeded: !this.hasFailed, errors: this.executor.errors, operations, deleted: this.deleted, drift: this.drift };
  }

  /** Nothing is saved before all is read; whatever cannot be read, the rest is. */
  async refresh(): Promise<void> {
    const { targets } = this.options;
    const steps = this.olds
      .filter(({ urn }) => targets?.includes(urn) ?? true)
      .map((old): Step & { kind: "refresh" } => ({ kind: "refresh", old, new: old }));
    const reader = this.execute({ ...this.options, continueOnError: true });
    await reader.all(steps);
    this.executor.errors.push(...reader.errors);
    this.executor.isStopped = reader.isStopped;
    const found = new Map(steps.map((step) => [step.old, step.new]));
    this.olds = repaired(this.olds.map((old) => (found.has(old) ? found.get(old) : old)).filter((old) => old !== undefined));
    this.journal.rebase(this.olds);
    this.generator = this.generate();
  }

  async program(program: Program): Promise<void> {
    const outcomes = new Map<string, Promise<Outcome>>();
    for (const declaration of program) outcomes.set(declaration.name, this.register(declaration, outcomes));
    await Promise.all(outcomes.values());
    await this.executor.idle();
    if (!this.executor.isStopped) await this.delete();
    await this.executor.idle();
  }

  /** Waits for what the resource needs; then it is the engine's turn. */
  private async register(declaration: Declaration, outcomes: ReadonlyMap<string, Promise<Outcome>>): Promise<Outcome> {
    const names = dependenciesOf(declaration);
    const needed = await Promise.all(names.map(async (name) => [name, await outcomes.get(name)] as const));
    const there = new Map<string, NonNullable<Outcome>>();
    for (const [name, outcome] of needed) {
      if (!outcome) return undefined;
      there.set(name, outcome);
    }
    await this.options.arrives?.(declaration);
    const ending = this.turn.then(() => this.handle(declaration, there));
    this.turn = ending;
    return (await ending)();
  }

  private async handle(declaration: Declaration, needed: Needed): Promise<() => Promise<Outcome>> {
    if (this.executor.isStopped) return async () => undefined;
    const urns = new Map([...needed].map(([name, { resource }]) => [name, resource.urn]));
    // What a target leaves out has no outputs of its own: they are as if the program had not named them.
    const inputs = resolved(declaration.inputs, (reference) => (this.isMissing(reference, needed) ? undefined : reference));
    const given = resolved(inputs, (reference) => this.valueOf(reference, needed));
    this.given.set(declaration.name, given);
    let steps: Step[];
    try {
      steps = await this.generator.steps({ ...declaration, inputs }, given, urns);
    } catch (error) {
      this.executor.refuse(error);
      return async () => undefined;
    }
    const own = resourceOf(steps.at(-1) as Step);
    const chain = steps.filter((step) => !this.isLeftOut(resourceOf(step)));
    if (this.skipped.has(own.urn)) return async () => ({ resource: { ...own, outputs: {} }, result: "skipped" });
    return this.executor.start(chain);
  }

  /** What the program sees of an output: where none is given, what it declared itself. */
  private valueOf({ resource: name, output }: Reference, needed: Needed): unknown {
    const { resource, result } = needed.get(name) as NonNullable<Outcome>;
    if (output === "id") return resource.id === "" ? unknown : resource.id;
    const isKnown = result === "done" && !this.generator.skippedCreates.has(resource.urn);
    const isSame = this.generator.operations.get(resource.urn) === "same";
    if (this.isPreview) return resource.outputs[output] ?? (isKnown && isSame ? undefined : unknown);
    return resource.outputs[output] ?? this.given.get(name)?.[output] ?? (isKnown ? undefined : unknown);
  }

  private isMissing(reference: Reference, needed: Needed): boolean {
    const isSkipped = this.generator.skippedCreates.has(needed.get(reference.resource)?.resource.urn ?? "");
    return isSkipped && !this.isPreview && this.valueOf(reference, needed) === unknown;
  }

  private isLeftOut({ urn, parent, dependencies, propertyDependencies }: Resource): boolean {
    for (const step of this.executor.failed) this.skipped.add(resourceOf(step).urn);
    const needed = [...(parent ? [parent] : []), ...dependencies, ...Object.values(propertyDependencies).flat()];
    if (needed.some((each) => this.skipped.has(each))) this.skipped.add(urn);
    return needed.some((each) => this.skipped.has(each));
  }

  private async delete(): Promise<void> {
    const { untouched, sets } = await this.generator.deletions(this.executor);
    await (await this.executor.start(untouched))();
    for (const set of sets) {
      const needed = new Set(this.executor.failed.flatMap((step) => [...this.generator.neededBy(step)]));
      const steps = set.filter(({ old }) => !needed.has(old as Resource));
      this.deleted.push(...steps.map((step) => resourceOf(step).urn));
      await this.executor.all(steps);
      if (this.executor.isStopped) return;
    }
  }
}
