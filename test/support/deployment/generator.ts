import { Executor } from "./executor";
import { Mechanism } from "./mechanism";
import { Declaration, dependenciesOf, formerUrns, urnOf } from "./program";
import { Graph, Resource } from "./state";
import { Step } from "./steps";
import { Properties, same, unknown } from "./values";

/** The options of a run, without the program. */
export interface Scope {
  isPreview: boolean;
  /** The URNs of the targets. Undefined: all resources. */
  targets?: readonly string[];
  /** URNs that are replaced regardless of their diff. */
  replace?: readonly string[];
}

/** Decides the step for each resource: the engine's step generator, in its order. */
export class Generator {
  readonly renamed = new Map<string, string>();
  /** URNs that are not targets and do not exist yet. */
  readonly skippedCreates = new Set<string>();
  /** The operation of each URN, except deletions. */
  readonly operations = new Map<string, "create" | "import" | "same" | "update" | "replace" | "read">();
  private readonly aliasOf = new Map<string, string>();
  private readonly urns = new Set<string>();
  private readonly deleted = new Set<string>();
  /** Resources that are deleted during the run. */
  private readonly condemned = new Set<Resource>();
  private readonly graph: Graph;

  constructor(
    private readonly olds: readonly Resource[],
    private readonly scope: Scope,
    private readonly mechanism: Mechanism,
  ) {
    this.graph = new Graph(olds);
  }

  /** The steps of a registration, with its own last. `urns` are those of the resources it depends on, by name. */
  async steps(declaration: Declaration, urns: ReadonlyMap<string, string>): Promise<Step[]> {
    const fresh = this.declared(declaration, urns);
    if (this.urns.has(fresh.urn)) throw new Error(`Duplicate resource URN '${fresh.urn}'`);
    this.urns.add(fresh.urn);
    const old = this.old(fresh, declaration);
    const steps = await this.stepsOf(declaration, fresh, old);
    const isSkipped = steps.at(-1)?.kind === "same" && this.skippedCreates.has(fresh.urn);
    const missing = isSkipped ? undefined : [...every(fresh)].find((urn) => this.skippedCreates.has(urn));
    if (missing && (this.scope.targets || this.scope.replace))
      throw new Error(`Resource '${fresh.urn}' depends on '${missing}' which was not specified in --target list.`);
    return steps;
  }

  private async stepsOf(declaration: Declaration, fresh: Resource, old: Resource | undefined): Promise<Step[]> {
    if (declaration.get !== undefined) return this.read(fresh, old);
    if (declaration.import !== undefined && !old) return this.imported(fresh, declaration.import);
    return this.registered(declaration, fresh, old);
  }

  private declared(declaration: Declaration, urns: ReadonlyMap<string, string>): Resource {
    const { name, type, inputs, dependsOn = [], propertyDependencies = {} } = declaration;
    const parent = declaration.parent === undefined ? undefined : urns.get(declaration.parent);
    const urnsOf = (names: readonly string[]): string[] => [...new Set(names)].map((each) => urns.get(each) as string);
    return {
      urn: urnOf(type, name, parent),
      type,
      isComponent: declaration.isComponent ?? false,
      id: declaration.get ?? "",
      inputs: declaration.isComponent ? inputs : { ...inputs, ...this.mechanism.inputs },
      outputs: {},
      parent,
      dependencies: urnsOf([...dependenciesOf({ ...declaration, parent: undefined }), ...dependsOn]),
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies)
          .map(([field, names]) => [field, urnsOf(names)] as const)
          .filter(([, found]) => found.length > 0),
      ),
      secretOutputs: declaration.secretOutputs ?? [],
      replacementTrigger: declaration.replacementTrigger,
      initErrors: false,
      external: declaration.get !== undefined,
      delete: false,
      pendingReplacement: false,
    };
  }

  private old(fresh: Resource, { aliases = [] }: Declaration): Resource | undefined {
    for (const urn of formerUrns(fresh.urn, aliases, fresh.parent, this.aliasOf)) {
      const old = this.find(urn);
      if (!old) continue;
      if (urn !== fresh.urn) {
        if (this.urns.has(urn) || this.renamed.has(urn)) throw new Error(`Duplicate resource alias '${urn}' applied to '${fresh.urn}'`);
        this.renamed.set(urn, fresh.urn);
        this.aliasOf.set(fresh.urn, urn);
      }
      return old;
    }
    return undefined;
  }

  private find = (urn: string): Resource | undefined => this.olds.find((old) => old.urn === urn && !old.delete);

  private read(fresh: Resource, old: Resource | undefined): Step[] {
    const isReplaced = old !== undefined && !old.external && old.id !== fresh.id;
    this.operations.set(fresh.urn, isReplaced ? "replace" : "read");
    return [{ kind: "read", old, new: fresh, keepsOld: isReplaced }];
  }

  private imported(fresh: Resource, id: string): Step[] {
    if (this.scope.targets?.includes(fresh.urn) === false) return this.skippedCreate(fresh);
    fresh.id = id;
    return this.done(fresh, "import", [{ kind: "import", new: fresh }]);
  }

  private async registered(declaration: Declaration, fresh: Resource, old: Resource | undefined): Promise<Step[]> {
    const { isPreview, targets } = this.scope;
    const isTargeted = targets === undefined || targets.includes(fresh.urn);
    const isRecreated = this.deleted.has(fresh.urn);
    const isForced = this.scope.replace?.includes(fresh.urn) ?? false;
    const given = fresh.inputs;
    if (!isTargeted && !fresh.isComponent) fresh.inputs = old?.inputs ?? {};
    else if (!fresh.isComponent) {
      const before = isRecreated || old?.external || isForced || !old ? {} : old.inputs;
      fresh.inputs = await this.checked(fresh, before, given);
    }
    if (isRecreated) {
      this.deleted.delete(fresh.urn);
      return this.done(fresh, "replace", [{ kind: "create", old, new: fresh }]);
    }
    if (old?.external) return this.done(fresh, "create", [{ kind: "create", old, new: fresh, keepsOld: true }]);
    if (!old && !isTargeted) return this.skippedCreate(fresh);
    if (!old) return this.done(fresh, "create", [{ kind: "create", new: fresh }]);
    if (!isTargeted) return this.untouched(old, fresh.urn);

    const isTriggered = isTriggeredBy(old.replacementTrigger, fresh.replacementTrigger);
    const isSameComponent = fresh.isComponent && same(old.inputs, fresh.inputs);
    const isUnfinished = old.initErrors && (declaration.replaceOnChanges ?? []).includes("*");
    const diff =
      isForced || isTriggered
        ? { changes: true, replaces: ["id"], deleteBeforeReplace: false }
        : fresh.isComponent
          ? { changes: !isSameComponent, replaces: [], deleteBeforeReplace: false }
          : await this.mechanism.diff({ ...fresh, id: old.id }, old, fresh.inputs, isPreview);
    if ((diff.changes && diff.replaces.length > 0) || isUnfinished || old.pendingReplacement) {
      if (!isForced) fresh.inputs = await this.checked(fresh, {}, given);
      const deletesFirst = declaration.deleteBeforeReplace ?? diff.deleteBeforeReplace;
      if (!deletesFirst) return this.done(fresh, "replace", [{ kind: "create", old, new: fresh, keepsOld: true }]);
      const dependents = (await this.replacedWith(old)).reverse().filter((each) => !this.condemned.has(each));
      for (const dependent of dependents) {
        this.condemned.add(dependent);
        this.deleted.add(dependent.urn);
      }
      const deletions = [...dependents, ...(old.pendingReplacement ? [] : [old])];
      return this.done(fresh, "replace", [
        ...deletions.map((each): Step => ({ kind: "delete", old: each, isReplaced: !each.delete })),
        { kind: "create", old, new: fresh },
      ]);
    }
    if (diff.changes || old.initErrors) return this.done(fresh, "update", [{ kind: "update", old, new: fresh }]);
    return this.done(fresh, "same", [{ kind: "same", old, new: fresh }]);
  }

  private async checked(fresh: Resource, before: Properties, given: Properties): Promise<Properties> {
    const { isPreview } = this.scope;
    const { inputs, failures } = await this.mechanism.check(fresh, before, given, isPreview);
    const name = fresh.urn.slice(fresh.urn.lastIndexOf("::") + 2);
    const problems = failures.map(({ reason }) => `${fresh.type} resource '${name}' has a problem: ${reason}`);
    if (problems.length > 0) throw new Error(problems.join("\n"));
    return inputs;
  }

  private skippedCreate(fresh: Resource): Step[] {
    this.skippedCreates.add(fresh.urn);
    return this.done(fresh, "same", [{ kind: "same", new: fresh, isSkipped: true }]);
  }

  private done(fresh: Resource, operation: "create" | "import" | "same" | "update" | "replace", steps: Step[]): Step[] {
    this.operations.set(fresh.urn, operation);
    return steps;
  }

  /** An unchanged resource, after its dependencies. */
  private untouched(old: Resource, urn: string, ...rest: Step[]): Step[] {
    if (old.delete) return rest;
    this.operations.set(urn, "same");
    this.operations.set(old.urn, "same");
    this.urns.add(old.urn);
    const before = [...(old.parent ? [old.parent] : []), ...every(old)]
      .filter((each) => !this.operations.has(this.renamed.get(each) ?? each) && !this.deleted.has(each))
      .flatMap((each) => {
        const found = this.find(each);
        return found ? this.untouched(found, each) : [];
      });
    return [...before, { kind: "same", old, new: { ...old } }, ...rest];
  }

  /** The dependents that must be replaced with a resource that is deleted first, according to their diff if an input is unknown. */
  private async replacedWith(root: Resource): Promise<Resource[]> {
    const replaced = new Set([root.urn]);
    const found: Resource[] = [];
    const seen = new Set([...this.operations.keys(), ...this.deleted]);
    for (const candidate of this.graph.dependingOn(root, seen, false)) {
      if (candidate.isComponent || candidate.external) continue;
      const isUnknown = (field: string): boolean => (candidate.propertyDependencies[field] ?? []).some((urn) => replaced.has(urn));
      if (!Object.keys(candidate.inputs).some(isUnknown)) continue;
      const inputs = Object.fromEntries(
        Object.entries(candidate.inputs).map(([field, value]) => [field, isUnknown(field) ? unknown : value]),
      );
      const diff = await this.mechanism.diff(candidate, candidate, inputs, true);
      if (diff.replaces.length === 0) continue;
      found.push(candidate);
      replaced.add(candidate.urn);
    }
    return found;
  }

  /** The deletions of removed and replaced resources, in consecutive sets. */
  async deletions(executor: Executor): Promise<{ untouched: Step[]; sets: Step[][] }> {
    const allowed = this.scope.targets && (await this.deletedWith(this.scope.targets));
    const untouched: Step[] = [];
    const steps: Step[] = [];
    for (const old of this.olds) {
      const operation = this.operations.get(this.renamed.get(old.urn) ?? old.urn);
      // A created resource has an old state only if it was read before.
      const isSeen = operation !== undefined && operation !== "create";
      if (allowed && !allowed.has(old.urn)) {
        if (!isSeen) untouched.push({ kind: "same", old, new: { ...old } });
      } else if (old.delete) {
        if (!this.condemned.has(old)) steps.push({ kind: "delete", old });
      } else if (!isSeen) steps.push(old.pendingReplacement ? { kind: "drop", old } : { kind: "delete", old });
    }
    const more = this.scope.targets && steps.find(({ old }) => !this.scope.targets?.includes((old as Resource).urn));
    if (more) {
      executor.refuse(new Error(`Resource '${more.old?.urn}' will be destroyed but was not specified in --target list.`));
      return { untouched: [], sets: [] };
    }
    return { untouched, sets: this.ordered(steps) };
  }

  /** The targets and all their dependents. The engine also computes the dependent replacements, although they are among them. */
  private async deletedWith(targets: readonly string[]): Promise<Set<string>> {
    const roots = this.olds.filter(({ urn }) => targets.includes(urn));
    const found = new Set(roots.flatMap((root) => [root, ...this.graph.dependingOn(root, new Set(), true)]).map(({ urn }) => urn));
    for (const old of this.olds) if (found.has(old.urn)) await this.replacedWith(old);
    return found;
  }

  /** Orders the steps so that dependents come first. */
  private ordered(steps: readonly Step[]): Step[][] {
    const left = new Set(steps.map(({ old }) => old as Resource));
    const sets: Step[][] = [];
    while (left.size > 0) {
      const free = steps.filter(({ old }) => {
        const resource = old as Resource;
        return left.has(resource) && ![...this.graph.dependenciesOf(resource)].some((each) => left.has(each));
      });
      for (const { old } of free) left.delete(old as Resource);
      sets.unshift(free);
    }
    return sets;
  }

  /** The resources that a failed resource still needs. */
  neededBy({ old }: Step): Set<Resource> {
    return old && this.olds.includes(old) ? this.graph.transitiveDependenciesOf(old) : new Set();
  }
}

/** True if the trigger changed. Without an old or a new value, there is no comparison. */
const isTriggeredBy = (before: unknown, now: unknown): boolean => before !== undefined && now !== undefined && !same(before, now);

const every = ({ parent, dependencies, propertyDependencies }: Resource): Set<string> =>
  new Set([...(parent ? [parent] : []), ...dependencies, ...Object.values(propertyDependencies).flat()]);
