import { forget, provider } from "../../provider/adapters/dynamic-runtime";
import { Declaration, Deployment, Ending, Options, Resource, resourceOf, Verdict } from "../deployment";
import { History, Operation, Outside } from "./history";
import { adopts, canariesOf, expected, Item, kindOf } from "./kinds";
import { Order } from "./order";
import { Program } from "./program";
import { Wire } from "./wire";
import { Dialect, World } from "./world";

/** What a program must not be: declared here once its class refuses it, in a preview. */
export const refusal = (_program: readonly Declaration[]): string | undefined => undefined;

export interface Stage {
  world: World;
  wire: Wire;
}

const stages = new Map<Dialect, Promise<Stage>>();
export function stageOf(dialect: Dialect): Promise<Stage> {
  const known = stages.get(dialect) ?? World.create(dialect).then((world) => ({ world, wire: new Wire(world.servers) }));
  stages.set(dialect, known);
  return known;
}

/** One history, from an empty stack to an empty stack: throws what must not happen. */
export class Life {
  private readonly program: Program;
  private readonly deployment: Deployment;
  private readonly others: Map<string, string>;
  /** Changed outside since it was read last. */
  private readonly drifted = new Set<string>();
  private needsRefresh = false;
  /** All that the programs ever declared. */
  private readonly ours = new Set<string>();
  /** Settings whose original values nobody can know any more: two resources met there, or one was killed before it could say what it found. */
  private readonly forgotten = new Set<string>();
  private readonly orphans = new Set<string>();
  private printed: string[] = [];
  /** For the reader of a failure. */
  readonly story: string[] = [];

  constructor(
    private readonly stage: Stage,
    private readonly order: Order,
  ) {
    stage.wire.install();
    stage.wire.turn = order.turn;
    stage.world.reset();
    stage.wire.lostTokens = 0;
    this.program = new Program(stage.world);
    this.others = stage.world.held();
    this.deployment = new Deployment(() => {
      forget();
      return provider;
    }, stage.world.config());
  }

  async live({ turns }: History): Promise<void> {
    const log = console.log;
    console.log = (...lines: unknown[]) => void this.printed.push(lines.join(" "));
    try {
      for (const { edits, outside, run } of turns) {
        for (const edit of edits) this.program.apply(edit);
        if (outside) this.change(outside);
        await this.operate(run);
      }
      await this.settle();
      await this.depart();
    } finally {
      console.log = log;
    }
  }

  private fail(reason: string): never {
    throw new Error(`${reason}\n${this.story.join("\n")}`);
  }

  private change({ outside, item: number }: Outside): void {
    const { world } = this.stage;
    const item = this.program.items[number % Math.max(1, this.program.items.length)];
    // Only what the stack holds already: what others make in the place of something new is theirs.
    if (
      !item ||
      (item.kind !== "role" && item.kind !== "set") ||
      !this.deployment.resources.some(({ urn }) => urn === this.program.urn(item))
    )
      return;
    const held = world.held();
    for (const key of expected(item, world).keys()) {
      if (!held.has(key)) continue;
      const [server, mount, , name] = key.split("/") as ["home", string, string, string];
      const roles = world.mountOf(server, mount).roles;
      if (outside === "remove") roles.delete(name);
      else roles.set(name, { policies: ["changed-outside"], global: false, type: "client" });
      this.needsRefresh = true;
      this.drifted.add(key);
      this.story.push(`outside: ${outside} ${key}`);
    }
  }

  private options({ troubles, stop, continueOnError, targets, replace, operation }: Operation): Options {
    const { wire } = this.stage;
    wire.begin(troubles);
    let steps = 0;
    const begins = async (): Promise<Verdict> => {
      await this.order.turn();
      if (++steps !== stop?.at) return "go on";
      wire.isDown = stop.how === "kill" && !stop.isSentAll;
      return stop.how;
    };
    const { items } = this.program;
    const urns = (numbers: readonly number[]): string[] =>
      numbers.flatMap((number) => items[number % items.length] ?? []).map(this.program.urn);
    const isUp = operation.startsWith("up") && items.length > 0;
    return {
      begins,
      arrives: this.order.turn,
      continueOnError,
      refresh: operation === "up --refresh",
      ...(isUp && targets ? { targets: urns(targets) } : {}),
      ...(isUp && replace !== undefined ? { replace: urns([replace]) } : {}),
    };
  }

  private async operate(run: Operation): Promise<void> {
    const { program } = this;
    const duplicates = program.duplicates();
    for (const key of program.expected().keys()) this.ours.add(key);
    const refused = refusal(program.declarations());
    const isUp = run.operation.startsWith("up") || run.operation === "preview";
    if (isUp && duplicates.length > 0) {
      // A second one that joins later only its class can tell from an adoption.
      const state = new Set(this.deployment.resources.map(({ urn }) => urn));
      const areAllNew = program.items.every((item) => !state.has(program.urn(item)));
      if (!refused && areAllNew && run.operation === "up") {
        const ending = await this.start(run);
        if (ending.succeeded) this.fail("a program that declares one object twice succeeded");
      }
      // Told so, its author takes the later ones out.
      for (const item of duplicates) program.remove(item);
      return;
    }
    const ending = await this.start(run);
    const isWhole = ending.succeeded && !run.targets;
    if (run.operation === "refresh" || run.operation === "up --refresh") if (isWhole) this.drifted.clear();
    if (run.operation === "destroy") for (const item of program.items.filter(({ kind }) => kind === "workspace")) program.remove(item);
    if (isWhole && run.operation.startsWith("up")) this.expectDeclared();
  }

  private async start(run: Operation, given?: Options): Promise<Ending> {
    const { deployment, program } = this;
    const options = given ?? this.options(run);
    const declarations = program.declarations();
    const work = (): Promise<Ending> => {
      switch (run.operation) {
        case "up":
        case "up --refresh":
          return deployment.up(declarations, options);
        case "preview":
          return deployment.preview(declarations, options);
        default:
          return deployment[run.operation](options);
      }
    };
    this.printed = [];
    this.forget(run);
    this.story.push(`${JSON.stringify(run)}: ${program.items.map((item) => this.shown(item)).join("; ")}`);
    const steps: string[] = [];
    const begins = options.begins;
    options.begins = async (step) => {
      const verdict = (await begins?.(step)) ?? "go on";
      steps.push(`${step.kind} ${resourceOf(step).urn}${verdict === "go on" ? "" : ` (${verdict})`}`);
      return verdict;
    };
    const ending = await this.order.drive(work());
    this.doubt(ending);
    this.story.push(
      ...[...steps, ...ending.errors, ...this.printed, `writes: ${this.stage.wire.writes.join(", ")}`].map((line) => `  ${line}`),
    );
    this.expectSafe(ending, run);
    return ending;
  }

  private shown = ({ name, kind, parts, place, parent, adopt }: Item): string =>
    `${parent ? `${parent}/` : ""}${name}: ${kind} ${[...parts].map(([part, { level, canary }]) => `${part}=${canary === undefined ? level : `secret ${canary}`}`)} ${place}${adopt ? " adopt" : ""}`;

  private forget({ stop }: Operation): void {
    for (const item of this.program.items.filter((each) => kindOf(each).isOneObject)) {
      const urn = this.program.urn(item);
      const hasTwin = this.deployment.resources.some(
        (each) => each.type === kindOf(item).type && each.urn !== urn && !item.aliases.includes(each.urn),
      );
      if (hasTwin || stop?.how === "kill") for (const key of expected(item, this.stage.world).keys()) this.forgotten.add(key);
    }
  }

  /** What nobody can know without a refresh: whether a deletion came through; and what a killed creation left, nobody knows at all. */
  private doubt(ending: Ending): void {
    const { items } = this.program;
    for (const item of items) {
      const urn = this.program.urn(item);
      const keys = [...expected(item, this.stage.world).keys()];
      const wasKilled = this.deployment.pending.includes(urn);
      if (wasKilled || ending.errors.some((error) => error.startsWith(`${urn}: Cannot delete`))) {
        this.needsRefresh = true;
        for (const key of keys) this.drifted.add(key);
      }
      if (wasKilled) for (const key of keys) this.orphans.add(key);
      if (wasKilled && item.kind === "token") this.stage.wire.lostTokens++;
    }
  }

  /** Whatever happened. */
  private expectSafe(ending: Ending, { operation }: Operation): void {
    const held = this.stage.world.held();
    for (const [key, text] of this.others)
      if (!this.ours.has(key) && !this.program.condemned.has(key) && held.get(key) !== text)
        this.fail(`what others made is gone or changed: ${key} was ${text} and is ${held.get(key)}`);
    if (operation !== "destroy")
      for (const item of this.program.items.filter(({ kind }) => kind === "workspace"))
        for (const key of expected(item, this.stage.world).keys())
          if (!held.has(key)) this.fail(`a declared workspace was destroyed: ${key}`);
    const told = [...ending.errors, ...this.printed].map((line) => ["what is printed", line] as const);
    for (const [place, text] of [...told, ...this.stored()]) {
      const canary = this.program.canaries.find((each) => canariesOf(each).some((form) => text.includes(form)));
      if (canary !== undefined) this.fail(`secret ${canary} is in clear text in ${place}`);
    }
  }

  /** What the backend's file holds, field by field. */
  private stored(): (readonly [place: string, text: string])[] {
    const resources: Resource[] = JSON.parse(this.deployment.stored());
    return resources.flatMap(({ urn, inputs, outputs }) =>
      Object.entries({ inputs, outputs }).flatMap(([part, fields]) =>
        Object.entries(fields).map(([field, value]) => [`the state of ${urn}: ${part}.${field}`, JSON.stringify(value)] as const),
      ),
    );
  }

  /** After an `up` of everything. */
  private expectDeclared(): void {
    const held = this.stage.world.held();
    for (const [key, text] of this.program.expected())
      if (!this.drifted.has(key) && held.get(key) !== text)
        this.fail(`up succeeded, and the server holds ${held.get(key)} as ${key} instead of ${text}`);
  }

  /** Until an `up` succeeds, with what its user does about refused creations. */
  private async settle(): Promise<void> {
    const { program, stage } = this;
    const quiet: Operation = { operation: "up", troubles: [] };
    this.deployment.pending = [];
    for (const item of program.duplicates()) program.remove(item);
    for (const key of program.expected().keys()) this.ours.add(key);
    this.story.push("from here on all is well");
    if (this.needsRefresh && !(await this.start({ ...quiet, operation: "refresh" })).succeeded) this.fail("a refresh does not succeed");
    let ending = await this.start(quiet);
    for (let attempt = 0; !ending.succeeded && attempt < 6; attempt++) {
      for (const item of program.items.filter(adopts))
        if (ending.errors.some((error) => error.startsWith(`${program.urn(item)}:`) && error.includes("adopt: true"))) item.adopt = true;
      ending = await this.start(quiet);
    }
    if (!ending.succeeded) this.fail("up never succeeds");
    this.drifted.clear();
    this.expectHeld(program.expected());
    this.expectTokens();

    const preview = await this.start({ ...quiet, operation: "preview" });
    const proposed = [...preview.operations].filter(([, operation]) => operation !== "same");
    if (!preview.succeeded || proposed.length > 0) this.fail(`a preview still proposes ${proposed.join("; ")}`);
    const refresh = await this.start({ ...quiet, operation: "refresh" });
    if (!refresh.succeeded || refresh.drift.length > 0) this.fail(`a refresh still shows ${refresh.drift}`);
    const again = await this.start(quiet);
    if (!again.succeeded || again.deleted.length > 0 || stage.wire.writes.length > 0)
      this.fail(`another up still does something: ${stage.wire.writes}`);
    this.expectHeld(program.expected());
  }

  private async depart(): Promise<void> {
    const ending = await this.start({ operation: "destroy", troubles: [] });
    if (!ending.succeeded || this.deployment.resources.length > 0) this.fail("destroy does not leave an empty stack");
    this.expectHeld(new Map());
    this.expectTokens();
  }

  /** Exactly that, and what others made. What was declared once may have been theirs before, and been taken over. */
  private expectHeld(declared: Map<string, string>): void {
    const held = this.stage.world.held();
    const isWorkspace = (key: string): boolean => this.program.condemned.has(key);
    for (const key of new Set([...held.keys(), ...this.others.keys(), ...declared.keys()])) {
      const wanted = declared.get(key) ?? this.others.get(key);
      if ((isWorkspace(key) || this.forgotten.has(key) || this.orphans.has(key)) && !declared.has(key)) continue;
      if (held.get(key) !== wanted) this.fail(`the server holds ${held.get(key)} as ${key} instead of ${wanted}`);
    }
  }

  private expectTokens(): void {
    const live = this.stage.world.liveTokens();
    const held = this.deployment.resources.filter(({ type }) => type === "secrets:SchedulerToken").map(({ id }) => id);
    const declared = this.deployment.resources.length > 0 ? this.program.items.filter(({ kind }) => kind === "token").length : 0;
    if (held.length !== declared || held.some((id) => !live.includes(id)))
      this.fail(`of the declared tokens, not each has one that works: ${held}, ${live}`);
    if (live.length > held.length + this.stage.wire.lostTokens) this.fail(`more tokens work than are known: ${live}, ${held}`);
  }
}
