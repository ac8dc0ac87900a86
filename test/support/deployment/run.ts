import { Conditions, Executor, Outcome } from "./executor";
import { Generator, Scope } from "./generator";
import { Journal } from "./journal";
import { Mechanism } from "./mechanism";
import { Declaration, dependenciesOf, Program } from "./program";
import { Resource, repaired } from "./state";
import { resourceOf, Step, Worker } from "./steps";
import { Properties } from "./values";

type Needed = ReadonlyMap<string, NonNullable<Outcome>>;

export interface Options extends Conditions, Pick<Scope, "targets" | "replace"> {
  /** Called when a registration is ready. While it waits, others may overtake it. */
  arrives?(declaration: Declaration): Promise<void>;
  refresh?: boolean;
  /** A refresh that saves nothing. */
  previewOnly?: boolean;
}

/** A program that is not known in advance. It registers resources one after another, by URN instead of name. */
export type Script = (engine: {
  register(declaration: Declaration): Promise<Outcome>;
  registerOutputs(urn: string, outputs: Properties): void;
}) => Promise<void>;

/** The result of an operation. */
export interface Ending {
  succeeded: boolean;
  errors: readonly string[];
  /** The first error. */
  cause?: unknown;
  /** The operation of each URN, done or planned, except deletions at the end. */
  operations: ReadonlyMap<string, string>;
  deleted: readonly string[];
  /** URNs of resources that a refresh reports as changed or deleted. */
  drift: readonly string[];
  /** The steps for each resource, done or planned, in order. */
  performed: readonly Step[];
}

export class Run {
  readonly journal: Journal;
  unfinished: string[] = [];
  private generator: Generator;
  private readonly worker: Worker;
  private readonly executor: Executor;
  private readonly drift: string[] = [];
  private readonly deleted: string[] = [];
  private readonly performed: Step[] = [];
  /** URNs that are skipped after a failure. */
  private readonly skipped = new Set<string>();
  /** The engine handles one registration at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private olds: Resource[],
    private readonly options: Options,
    readonly isPreview: boolean,
    private readonly mechanism: Mechanism,
  ) {
    this.generator = this.generate();
    this.journal = new Journal(olds, this.generator.renamed);
    this.worker = new Worker(mechanism, this.journal, isPreview, (urn) => void this.drift.push(urn));
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
    return new Generator(this.olds, { isPreview: this.isPreview, targets, replace }, this.mechanism);
  }

  ending(): Ending {
    const { operations } = this.generator;
    const { deleted, drift, performed } = this;
    const { errors, cause } = this.executor;
    return { succeeded: !this.hasFailed, errors, cause, operations, deleted, drift, performed };
  }

  /** Reads all resources, and saves nothing before the last. If one cannot be read, the others are. */
  async refresh(): Promise<void> {
    const { targets } = this.options;
    const steps = this.olds
      .filter(({ urn }) => targets?.includes(urn) ?? true)
      .map((old): Step & { kind: "refresh" } => ({ kind: "refresh", old, new: old }));
    const reader = this.execute({ ...this.options, continueOnError: true });
    await reader.all(steps);
    this.performed.push(...steps);
    this.executor.errors.push(...reader.errors);
    this.executor.isStopped = reader.isStopped;
    this.executor.cause = reader.cause;
    const found = new Map(steps.map((step) => [step.old, step.new]));
    this.olds = repaired(this.olds.map((old) => (found.has(old) ? found.get(old) : old)).filter((old) => old !== undefined));
    this.journal.rebase(this.olds);
    this.generator = this.generate();
  }

  async program(program: Program | Script): Promise<void> {
    await this.runs(program);
    if (!this.executor.isStopped) await this.delete();
    await this.executor.idle();
  }

  private async runs(program: Program | Script): Promise<void> {
    if (typeof program === "function") await this.script(program);
    else {
      const outcomes = new Map<string, Promise<Outcome>>();
      for (const declaration of program) outcomes.set(declaration.name, this.register(declaration, outcomes));
      await Promise.all(outcomes.values());
    }
    await this.executor.idle();
  }

  /** Waits for the dependencies of a resource, and then for the engine. */
  private async register(declaration: Declaration, outcomes: ReadonlyMap<string, Promise<Outcome>>): Promise<Outcome> {
    const names = dependenciesOf(declaration);
    const needed = await Promise.all(names.map(async (name) => [name, await outcomes.get(name)] as const));
    const there = new Map<string, NonNullable<Outcome>>();
    for (const [name, outcome] of needed) {
      if (!outcome) return undefined;
      there.set(name, outcome);
    }
    return this.take(declaration, there);
  }

  private async take(declaration: Declaration, needed: Needed): Promise<Outcome> {
    await this.options.arrives?.(declaration);
    const ending = this.turn.then(() => this.handle(declaration, needed));
    this.turn = ending;
    return (await ending)();
  }

  /** Runs a script. It receives no response after the run has stopped, so its end is not awaited then. */
  private async script(script: Script): Promise<void> {
    const registered = new Map<string, NonNullable<Outcome>>();
    let stop = (): void => undefined;
    const stopped = new Promise<void>((done) => {
      stop = done;
    });
    const ended = script({
      register: async (declaration) => {
        const outcome = await this.take(declaration, registered);
        if (!outcome) stop();
        else registered.set(outcome.resource.urn, outcome);
        return outcome;
      },
      registerOutputs(urn, outputs) {
        const { resource } = registered.get(urn) as NonNullable<Outcome>;
        resource.outputs = outputs;
      },
    });
    await Promise.race([ended.catch((error) => this.executor.refuse(error)), stopped]);
  }

  private async handle(declaration: Declaration, needed: Needed): Promise<() => Promise<Outcome>> {
    if (this.executor.isStopped) return async () => undefined;
    const urns = new Map([...needed].map(([name, { resource }]) => [name, resource.urn]));
    let steps: Step[];
    try {
      steps = await this.generator.steps(declaration, urns);
    } catch (error) {
      this.executor.refuse(error);
      return async () => undefined;
    }
    const own = resourceOf(steps.at(-1) as Step);
    const chain = steps.filter((step) => !this.isLeftOut(resourceOf(step)));
    if (this.skipped.has(own.urn)) return async () => ({ resource: { ...own, outputs: {} }, result: "skipped" });
    // Copies, which show the plan of a step.
    this.performed.push(...chain.map((step) => ({ ...step, new: step.new && { ...step.new } }) as Step));
    return this.executor.start(chain);
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
      this.performed.push(...steps);
      await this.executor.all(steps);
      if (this.executor.isStopped) return;
    }
  }
}
