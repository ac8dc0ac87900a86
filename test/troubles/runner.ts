import fc from "fast-check";
import { clearCache } from "../../provider/engine/dynamic-runtime";
import { isIn } from "../cases/case";
import { Declaration, Deployment, Ending, native, Options, Resource, resourceOf, StartProcess, Verdict } from "../support/deployment";
import { provider } from "../support/limits";
import { Operation } from "./history";
import { CaseKind, declarationOf, Item, kinds } from "./kinds";
import { learn, watch } from "./looks";
import { Order } from "./order";
import { Wire } from "./wire";
import { Dialect, World } from "./world";

/** The outcome of an operation, and its output. */
export interface Told extends Ending {
  steps: readonly string[];
  printed: readonly string[];
  /** The writes that a server received. */
  writes: readonly string[];
}

/** Runs the operations of one stack. */
export interface Runner {
  readonly mechanism: MechanismName;
  readonly resources: readonly Resource[];
  /** URNs of the operations in progress when the last run was killed. */
  readonly pending: readonly string[];
  /** The number of tokens that were generated, but never received. */
  lostTokens: number;
  run(operation: Operation, program: readonly Declaration[], chosen: Pick<Options, "targets" | "replace">): Promise<Told>;
  /** The content of the backend's file. */
  stored(): string;
}

export type MechanismName = "dynamic" | "native";
const processes: Record<MechanismName, StartProcess> = {
  dynamic: () => {
    clearCache();
    return provider;
  },
  native,
};

/** Runs the stand-in of the engine, with the provider in this process and servers without sockets. */
export class InProcess implements Runner {
  private readonly deployment: Deployment;
  private readonly wire: Wire;
  private readonly order: Order;
  private hasStopped = false;

  constructor(
    world: World,
    scheduler: fc.Scheduler,
    readonly mechanism: MechanismName = "dynamic",
  ) {
    this.order = new Order(scheduler);
    this.wire = new Wire(world, this.order.turn);
    this.wire.install();
    this.deployment = new Deployment(processes[mechanism], world.config());
  }

  get resources(): readonly Resource[] {
    return this.deployment.resources;
  }

  get pending(): readonly string[] {
    return this.deployment.pending;
  }

  /** True if a request met a fault, or if a run was stopped. */
  get hasMetTrouble(): boolean {
    return this.wire.met > 0 || this.hasStopped;
  }

  get lostTokens(): number {
    return this.wire.lostTokens;
  }

  set lostTokens(count: number) {
    this.wire.lostTokens = count;
  }

  stored = (): string => this.deployment.stored();

  async run(
    { operation, troubles, stop, continueOnError }: Operation,
    program: readonly Declaration[],
    chosen: Pick<Options, "targets" | "replace">,
  ): Promise<Told> {
    const { deployment, wire, order } = this;
    wire.begin(troubles);
    const steps: string[] = [];
    const printed: string[] = [];
    const begins: Options["begins"] = async (step) => {
      await order.turn();
      const verdict: Verdict = steps.length + 1 === stop?.at ? stop.how : "continue";
      this.hasStopped ||= verdict !== "continue";
      steps.push(`${step.kind} ${resourceOf(step).urn}${verdict === "continue" ? "" : ` (${verdict})`}`);
      wire.isDown ||= verdict === "kill" && !stop?.isSentAll;
      return verdict;
    };
    const options: Options = { begins, arrives: order.turn, continueOnError, refresh: operation === "up --refresh", ...chosen };
    const work: Record<Operation["operation"], () => Promise<Ending>> = {
      up: () => deployment.up(program, options),
      "up --refresh": () => deployment.up(program, options),
      preview: () => deployment.preview(program, options),
      refresh: () => deployment.refresh(options),
      destroy: () => deployment.destroy(options),
    };
    const ending = await capture(printed, () => order.drive(work[operation]()));
    return { ...ending, steps, printed, writes: wire.writes };
  }
}

/** Adds what is printed meanwhile to these lines instead. */
async function capture<T>(printed: string[], work: () => Promise<T>): Promise<T> {
  const { log } = console;
  console.log = (...lines: unknown[]) => void printed.push(lines.join(" "));
  try {
    return await work();
  } finally {
    console.log = log;
  }
}

/** Returns new servers, and how they show each resource that only its case can read: without it, created and changed. */
export async function newWorld(dialect: Dialect): Promise<World> {
  const world = await World.create(dialect);
  for (const kind of [...kinds.values()].filter((each) => each.isWhole && isIn(dialect)(each))) {
    world.reset();
    await watch([kind], world);
    await learn(kind, undefined, world);
    new Wire(world, async () => {}).install();
    const deployment = new Deployment(processes.dynamic, world.config());
    const reached = kind.case.changed ? (["created", "changed"] as const) : (["created"] as const);
    for (const [level, state] of reached.entries()) {
      const declaration = declarationOf(wholeItem(kind, level), world, "dynamic");
      const { errors } = await capture([], () => deployment.up([declaration]));
      if (errors.length > 0) throw new Error(`A program cannot declare ${kind.type}: ${errors}`);
      await learn(kind, state, world);
    }
  }
  world.reset();
  return world;
}

const wholeItem = ({ type, parts: [part = ""] }: CaseKind, level: number): Item => ({
  name: "learned",
  kind: type.replace(/^.*:/, ""),
  parts: new Map([[part, { level }]]),
  place: "home",
  adopt: false,
  aliases: [],
  trigger: 0,
});

const worlds = new Map<Dialect, Promise<World>>();

/** Returns the world of a dialect, which all histories share, after a reset. */
export async function worldOf(dialect: Dialect): Promise<World> {
  const known = worlds.get(dialect) ?? newWorld(dialect);
  worlds.set(dialect, known);
  const world = await known;
  world.reset();
  return world;
}
