import { afterKill } from "../support/after-kill";
import { Ending, mismatch, Resource, sealed } from "../support/deployment";
import { duplicateErrors } from "./duplicates";
import { History, Operation, Outside } from "./history";
import { canariesOf } from "./kind";
import { adopts, expected, Item, keysOf, kindOf } from "./kinds";
import { watch } from "./looks";
import { isRole, Program } from "./program";
import { Runner, Told } from "./runner";
import { World } from "./world";

/** Runs one history, from an empty stack to an empty stack. Throws if a rule is violated. */
export class Life {
  private readonly program: Program;
  private others: ReadonlyMap<string, string> = new Map();
  /** Items that changed outside Pulumi since the last read. */
  private readonly drifted = new Set<string>();
  private needsRefresh = false;
  /** True from a kill until its `up` has succeeded. */
  private isKilled = false;
  /** All objects that the programs ever declared. */
  private readonly ours = new Set<string>();
  /** Settings whose original values are lost: two resources managed them, or one was killed before it recorded them. */
  private readonly forgotten = new Set<string>();
  private readonly orphans = new Set<string>();
  /** The secrets that each resource ever received and that its state can know. A secret that was never written is in no state. */
  private readonly given = new Map<string, Set<number>>();
  /** The log of the history, for a failure. */
  readonly story: string[] = [];

  constructor(
    private readonly world: World,
    private readonly runner: Runner,
  ) {
    this.program = new Program(world, runner.mechanism);
  }

  async live({ turns }: History): Promise<void> {
    const added = turns.flatMap(({ edits }) => edits.flatMap((edit) => (edit.edit === "add" ? edit.kind : [])));
    await watch(
      [...new Set(added)].map((kind) => kindOf({ kind })),
      this.world,
    );
    this.others = await this.world.held();
    for (const { edits, outOfBand, forgetsInstances, run } of turns) {
      for (const edit of edits) await this.program.apply(edit);
      if (forgetsInstances) for (const { outputs } of this.runner.resources) delete outputs.__instance;
      if (outOfBand) await this.change(outOfBand);
      await this.operate(run);
    }
    await this.settle();
    await this.depart();
  }

  private fail(reason: string): never {
    throw new Error(`${reason}\n${this.story.join("\n")}`);
  }

  private async change({ outOfBand, item: number }: Outside): Promise<void> {
    const { world } = this;
    const item = this.program.items[number % Math.max(1, this.program.items.length)];
    // Change only objects that are in the stack: an object that another client creates first belongs to that client.
    if (!item || !isRole(item) || !this.runner.resources.some(({ urn }) => urn === this.program.urn(item))) return;
    const held = await world.held();
    for (const key of expected(item, world).keys()) {
      if (!held.has(key)) continue;
      const [server, mount, , name] = key.split("/") as ["home", string, string, string];
      const roles = world.mountOf(server, mount).roles;
      if (outOfBand === "remove") roles.delete(name);
      else roles.set(name, { policies: ["changed-outside"], global: false, type: "client" });
      this.needsRefresh = true;
      this.drifted.add(key);
      this.story.push(`outOfBand: ${outOfBand} ${key}`);
    }
  }

  private async operate(run: Operation): Promise<void> {
    const { program } = this;
    const duplicates = program.duplicates();
    for (const key of program.expected().keys()) this.ours.add(key);
    const isNative = this.runner.mechanism === "native";
    const refused = isNative ? undefined : duplicateErrors(program.declarations(), this.world.config());
    const isUp = run.operation.startsWith("up") || run.operation === "preview";
    if (isUp && duplicates.length > 0) {
      // Only the class, or the plugin, which sees the whole program, can distinguish a later duplicate from an adoption.
      const state = new Set(this.runner.resources.map(({ urn }) => urn));
      const isSeen = isNative ? !run.targets : program.items.every((item) => !state.has(program.urn(item)));
      if (!refused && isSeen && run.operation === "up") {
        const ending = await this.start(run);
        if (ending.succeeded) this.fail("a program that declares one object twice succeeded");
      }
      // After this error, the author removes the later ones.
      for (const item of duplicates) program.remove(item);
      return;
    }
    const isAfterKill = this.isKilled && run.operation === "up";
    const ending = await this.start(isAfterKill ? { ...run, operation: afterKill.up } : run);
    const isWhole = ending.succeeded && !run.targets;
    const isRefreshed = isAfterKill || run.operation === "refresh" || run.operation === "up --refresh";
    if (isWhole && isRefreshed) {
      this.drifted.clear();
      this.isKilled = false;
    }
    if (run.operation === "destroy") for (const item of program.items.filter(({ kind }) => kind === "AdminWorkspace")) program.remove(item);
    if (isWhole && run.operation.startsWith("up")) await this.expectDeclared();
  }

  private async start(run: Operation): Promise<Told> {
    const { runner, program, world } = this;
    const { items } = program;
    const chosen = (numbers: readonly number[]): string[] =>
      numbers.flatMap((number) => items[number % items.length] ?? []).map(program.urn);
    const isUp = run.operation.startsWith("up") && items.length > 0;
    this.forget(run);
    this.story.push(`${JSON.stringify(run)}: ${items.map((item) => this.shown(item)).join("; ")}`);
    const before = { held: await world.held(), resources: runner.resources };
    const told = await runner.run(run, program.declarations(), {
      ...(isUp && run.targets ? { targets: chosen(run.targets) } : {}),
      ...(isUp && run.replace !== undefined ? { replace: chosen([run.replace]) } : {}),
    });
    this.story.push(...[...told.steps, ...told.errors, ...told.printed, `writes: ${told.writes.join(", ")}`].map((line) => `  ${line}`));
    if (run.operation !== "preview") this.doubt(told, run);
    for (const item of items) this.learn(item, told);
    // After the import, the author removes the option. If it fails, they use `adopt`, or create an object that no longer exists.
    const hasFailed = told.errors.some((error) => error.includes(mismatch) || error.includes("remove this import"));
    for (const item of items) if (hasFailed || runner.resources.some(({ urn }) => urn === program.urn(item))) item.import = undefined;
    await this.expectSafe(told, run);
    if (run.operation.startsWith("up")) await this.expectKept(told, before, run);
    return told;
  }

  /** Records the secrets that a resource's state encrypts now. The real command line's ciphertext is unreadable, so all of them count there. */
  private learn(item: Item, { steps }: Told): void {
    const urn = this.program.urn(item);
    const resource = this.runner.resources.find((each) => each.urn === urn) ?? { inputs: {}, outputs: {} };
    const open = JSON.stringify([resource.inputs, resource.outputs]);
    const closed = JSON.stringify([sealed(resource.inputs), sealed(resource.outputs)]);
    const isHidden = (form: string): boolean => open.includes('"ciphertext"') || (open.includes(form) && !closed.includes(form));
    // A replacement knows only the declared secrets. A value that the deletion before it left on the server is a plain value.
    const isNew = steps.includes(`create ${urn}`);
    if (isNew) for (const alias of item.aliases) this.given.delete(alias);
    const before = isNew ? [] : [urn, ...item.aliases].flatMap((each) => [...(this.given.get(each) ?? [])]);
    const canaries = [...item.parts.values()].flatMap(({ canary }) => canary ?? []);
    this.given.set(urn, new Set([...before, ...canaries.filter((canary) => canariesOf(canary).some(isHidden))]));
  }

  private shown = ({ name, kind, parts, place, parent, adopt }: Item): string =>
    `${parent ? `${parent}/` : ""}${name}: ${kind} ${[...parts].map(([part, { level, canary }]) => `${part}=${canary === undefined ? level : `secret ${canary}`}`)} ${place}${adopt ? " adopt" : ""}`;

  private forget({ stop }: Operation): void {
    for (const item of this.program.items.filter((each) => kindOf(each).isOneObject)) {
      const urn = this.program.urn(item);
      const hasTwin = this.runner.resources.some(
        (each) => each.type === kindOf(item).type && each.urn !== urn && !item.aliases.includes(each.urn),
      );
      if (hasTwin || stop?.how === "kill") for (const key of expected(item, this.world).keys()) this.forgotten.add(key);
    }
  }

  /** Marks objects as uncertain until a refresh: a deletion may have been applied. The effects of a killed creation are never known. */
  private doubt(ending: Ending, { operation }: Operation): void {
    const { pending } = this.runner;
    // A failed destroy may have removed an object of a resource that is left.
    const isHalfDestroyed = operation === "destroy" && !ending.succeeded;
    if (pending.length === 0 && !isHalfDestroyed && !ending.errors.some((error) => error.includes(": Cannot delete"))) return;
    this.needsRefresh = true;
    this.isKilled ||= pending.length > 0;
    for (const key of this.program.expected().keys()) this.drifted.add(key);
    for (const item of this.program.items.filter((each) => pending.includes(this.program.urn(each)))) {
      for (const key of expected(item, this.world).keys()) this.orphans.add(key);
      if (item.kind === "SchedulerToken") this.runner.lostTokens++;
    }
  }

  /** Checks rules that hold after every operation. */
  private async expectSafe({ errors, printed }: Told, { operation }: Operation): Promise<void> {
    const held = await this.world.held();
    for (const [key, text] of this.others)
      if (!this.ours.has(key) && !this.program.condemned.has(key) && held.get(key) !== text)
        this.fail(`what others made is gone or changed: ${key} was ${text} and is ${held.get(key)}`);
    if (operation !== "destroy")
      for (const item of this.program.items.filter(({ kind }) => kind === "AdminWorkspace"))
        for (const key of expected(item, this.world).keys()) if (!held.has(key)) this.fail(`a declared workspace was destroyed: ${key}`);
    const states = JSON.stringify(this.runner.resources);
    const stored = this.program.referenced.find((canary) => canariesOf(canary).some((form) => states.includes(form)));
    if (stored !== undefined) this.fail(`secret ${stored} is in the state, although the program declares it by reference`);
    // Adoption prints the server's values. It cannot know that another resource declared one as a secret.
    const withoutAdopted = (line: string): string => line.replace(/(: adoption changes [\w.-]+: ).* -> /, "$1");
    const lines = [...errors, ...printed].map((line) => ["what is printed", withoutAdopted(line), undefined] as const);
    for (const [place, text, urn] of [...lines, ...this.stored()]) {
      const canary = this.program.canaries.find((each) => canariesOf(each).some((form) => text.includes(form)));
      if (canary === undefined) continue;
      // A resource may read a value that another one declared. Only the other one knows that it is a secret. Only sets print drift.
      const knows = ([each, canaries]: [string, ReadonlySet<number>]): boolean =>
        (urn === undefined ? each.includes("SchedulerRoles") : each === urn) && canaries.has(canary);
      const mayBeForeign = urn !== undefined || text.includes(": changed on the server (");
      if (!mayBeForeign || [...this.given].some(knows)) this.fail(`secret ${canary} is in plaintext in ${place}`);
    }
  }

  /** Checks that no deletion at the end of a run removed an object of a declared resource. */
  private async expectKept(
    { deleted, errors, steps }: Told,
    before: { held: Map<string, string>; resources: readonly Resource[] },
    { targets }: Operation,
  ): Promise<void> {
    const held = await this.world.held();
    // No provider knows of a resource that is not a target and not in the state yet.
    const isKnown = (item: Item): boolean => !targets || before.resources.some(({ urn }) => urn === this.program.urn(item));
    const urnsOf = (item: Item): string[] => [this.program.urn(item), ...item.aliases];
    const failures = (item: Item): string[] =>
      errors.filter((error) => urnsOf(item).some((urn) => error.startsWith(`${urn}: Cannot delete`)));
    // The deletion that began its replacement may have been applied.
    const isInDoubt = (item: Item): boolean => failures(item).some((error) => error.includes("may have applied"));
    // A replacement deletes first. If its creation then fails, the next run creates the object again.
    const isHalfReplaced = (item: Item): boolean =>
      urnsOf(item).some((urn) => steps.includes(`delete ${urn}`)) &&
      urnsOf(item).some((urn) => errors.some((error) => error.startsWith(`${urn}: Cannot create`)));
    // A replacement whose deletion fails has not taken over an object.
    const isUnchanged = (item: Item): boolean => failures(item).length > 0;
    const originalValues = (item: Item): string[] =>
      before.resources.filter(({ urn }) => urnsOf(item).includes(urn)).flatMap((resource) => keysOf(resource, this.world));
    const declared = new Map(
      this.program.items
        .filter((item) => isKnown(item) && !isInDoubt(item) && !isHalfReplaced(item))
        .flatMap((item) => [...expected(item, this.world)].filter(([key]) => !isUnchanged(item) || originalValues(item).includes(key))),
    );
    const isLeft = (urn: string): boolean =>
      errors.some((error) => error.startsWith(`${urn}: Cannot delete`) && !error.includes("may have applied"));
    const gone = before.resources
      .filter(({ urn }) => deleted.includes(urn) && !isLeft(urn))
      .flatMap((resource) => keysOf(resource, this.world));
    const lost = gone.find((key) => declared.has(key) && before.held.has(key) && !held.has(key));
    if (lost) this.fail(`a run removed at its end what the program declares: ${lost}`);
  }

  /** The fields in the backend's file. */
  private stored(): (readonly [place: string, text: string, urn?: string])[] {
    const resources: Resource[] = JSON.parse(this.runner.stored());
    return resources.flatMap(({ urn, inputs, outputs }) =>
      Object.entries({ inputs, outputs }).flatMap(([part, fields]) =>
        Object.entries(fields).map(([field, value]) => {
          return [`the state of ${urn}: ${part}.${field}`, JSON.stringify(value), urn] as const;
        }),
      ),
    );
  }

  /** Checks the servers after an `up` without targets. */
  private async expectDeclared(): Promise<void> {
    const held = await this.world.held();
    for (const [key, text] of this.program.expected())
      if (!this.drifted.has(key) && held.get(key) !== text)
        this.fail(`up succeeded, and the server holds ${held.get(key)} as ${key} instead of ${text}`);
  }

  /** Runs `up` until it succeeds, and fixes rejected creations as a user would. */
  private async settle(): Promise<void> {
    const { program } = this;
    const quiet: Operation = { operation: "up", troubles: [] };
    for (const item of program.duplicates()) program.remove(item);
    for (const key of program.expected().keys()) this.ours.add(key);
    this.story.push("from here on all is well");
    const mustRefresh = this.needsRefresh && !this.isKilled;
    if (mustRefresh && !(await this.start({ ...quiet, operation: "refresh" })).succeeded) this.fail("a refresh does not succeed");
    let ending = await this.start(this.isKilled ? { ...quiet, operation: afterKill.up } : quiet);
    for (let attempt = 0; !ending.succeeded && attempt < 6; attempt++) {
      for (const item of program.items.filter(adopts))
        if (ending.errors.some((error) => error.startsWith(`${program.urn(item)}:`) && error.includes("adopt: true"))) item.adopt = true;
      ending = await this.start(quiet);
    }
    if (!ending.succeeded) this.fail("up never succeeds");
    this.drifted.clear();
    await this.expectHeld(program.expected());
    this.expectTokens();

    const preview = await this.start({ ...quiet, operation: "preview" });
    const proposed = [...preview.operations].filter(([, operation]) => operation !== "same");
    if (!preview.succeeded || proposed.length > 0) this.fail(`a preview still proposes ${proposed.join("; ")}`);
    const refresh = await this.start({ ...quiet, operation: "refresh" });
    if (!refresh.succeeded || refresh.drift.length > 0) this.fail(`a refresh still shows ${refresh.drift}`);
    const again = await this.start(quiet);
    if (!again.succeeded || again.deleted.length > 0 || again.writes.length > 0)
      this.fail(`another up still does something: ${again.writes}`);
    await this.expectHeld(program.expected());
  }

  private async depart(): Promise<void> {
    const ending = await this.start({ operation: "destroy", troubles: [] });
    if (!ending.succeeded || this.runner.resources.length > 0) this.fail("destroy does not leave an empty stack");
    await this.expectHeld(new Map());
    this.expectTokens();
  }

  /** Checks that the servers hold exactly the declared objects and those of other clients, which may have been adopted before. */
  private async expectHeld(declared: Map<string, string>): Promise<void> {
    const held = await this.world.held();
    const isWorkspace = (key: string): boolean => this.program.condemned.has(key);
    for (const key of new Set([...held.keys(), ...this.others.keys(), ...declared.keys()])) {
      const wanted = declared.get(key) ?? this.others.get(key);
      const isTheirs = this.program.imported.has(key);
      if ((isWorkspace(key) || isTheirs || this.forgotten.has(key) || this.orphans.has(key)) && !declared.has(key)) continue;
      if (held.get(key) !== wanted) this.fail(`the server holds ${held.get(key)} as ${key} instead of ${wanted}`);
    }
  }

  private expectTokens(): void {
    const live = this.world.liveTokens();
    const held = this.runner.resources.filter(({ type }) => type === "secrets:SchedulerToken").map(({ id }) => id);
    const declared = this.runner.resources.length > 0 ? this.program.items.filter(({ kind }) => kind === "SchedulerToken").length : 0;
    if (held.length !== declared || held.some((id) => !live.includes(id)))
      this.fail(`of the declared tokens, not each has one that works: ${held}, ${live}`);
    if (live.length > held.length + this.runner.lostTokens) this.fail(`more tokens work than are known: ${live}, ${held}`);
  }
}
