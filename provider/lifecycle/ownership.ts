import { AnyDefinition, Claim, Claims, Held, PlanNote } from "../contract/definition";
import { PartialState, StewardError } from "../contract/errors";
import { cached, Operation, Run, Writer } from "../contract/operation";
import { objectsOf, Resource } from "./context";
import { Properties } from "./properties";

// The resources that manage each object on a server. After a rename or a change of type, Pulumi deletes the former resource, which must not remove the object
// of the new one. Pulumi passes no names to a provider, so each create stores an instance id. The claims last for one process, which is one Pulumi operation.

/** The usual remedy for an object that already exists. */
export const renamedHint = "If you renamed the resource, add an alias of its old name.";

interface Ownership {
  /** The resources that manage the object, by instance. */
  managers: Map<string, { fields: object; created: boolean }>;
  /** A create of the object has failed. */
  createFailed: boolean;
  /** This process removed the object and did not write it again. */
  removed: boolean;
  /** The running removal. */
  removal?: Promise<unknown>;
}

const claimsOn = ({ server: { id: server }, run: { cache } }: Operation, object: string): Ownership =>
  cached(cache, ["object", server, object], () => ({ managers: new Map(), createFailed: false, removed: false }));

/** Acts on the claims as soon as no removal of the objects is running, before another can begin. */
async function whenSettled<T>(operation: Operation, objects: readonly string[], act: (all: Ownership[]) => T): Promise<T> {
  const all = objects.map((object) => claimsOn(operation, object));
  for (;;) {
    const removals = all.flatMap(({ removal }) => removal ?? []);
    if (removals.length === 0) return act(all);
    await Promise.allSettled(removals);
  }
}

const failed = "a write of this run failed";

/** Records a failed create or update. Dependent resources may not have been declared. */
export function recordFailure({ cache }: Pick<Run, "cache">): void {
  cache.set(failed, true);
}

/** The objects of the state that a refresh of this run has read, without those whose resources the program still declares. */
const refreshedOn = ({ server: { id: server }, run: { cache } }: Operation): Set<string> =>
  cached(cache, ["refreshed", server], () => new Set());

export function recordRefreshed(operation: Operation, objects: readonly string[]): void {
  for (const object of objects) refreshedOn(operation).add(object);
}

export function forgetRefreshed(operation: Operation, objects: readonly string[]): void {
  for (const object of objects) refreshedOn(operation).delete(object);
}

/** A note on a create whose object the state already has under another name or type. */
export const notesOnRename = (operation: Operation, objects: readonly string[]): PlanNote[] =>
  objects
    .filter((object) => refreshedOn(operation).has(object))
    .map((object) => ({ path: "", reason: `another resource in the state has the same object, ${object}. ${renamedHint}` }));

/** The declared objects on a server, with the URNs of their resources if the mechanism knows them. */
const declaredOn = ({ server: { id: server }, run: { cache } }: Operation): Map<string, string | undefined> =>
  cached(cache, ["declared", server], () => new Map());

/** Finds a declared object of another owner that is, contains or is below this one. A path that ends with a slash contains all directly below it. */
export function findDeclared(declared: ReadonlyMap<string, string | undefined>, object: string, owner?: string): string | undefined {
  const folder = object.replace(/[^/]*$/, "");
  const related = object === folder ? [...declared.keys()].filter((other) => other.replace(/[^/]*$/, "") === folder) : [object, folder];
  return related.find((other) => declared.has(other) && declared.get(other) !== owner);
}

/** The error of a second resource that declares an object. `other`: the name of the first. */
export const declaredTwice = (other: string, object: string): { rule: string; reason: string; hint: string } => ({
  rule: "declared-twice",
  reason: `the resource "${other}" of this program declares the same object, ${object}`,
  hint: "Declare each object once.",
});

/** Records that the resource `urn` declares these objects. Returns those that another resource declares. */
export function recordDeclared(operation: Operation, objects: readonly string[], urn?: string): { object: string; urn: string }[] {
  const declared = declaredOn(operation);
  const others = urn === undefined ? [] : objects.flatMap((object) => findDeclared(declared, object, urn) ?? []);
  for (const object of objects) if (!declared.has(object)) declared.set(object, urn);
  return others.map((object) => ({ object, urn: declared.get(object) as string }));
}

/**
 * Forgets the manager without an instance id that the diff of a replacement registered. Between its diff and its create, Pulumi checks a replacement as a
 * new resource.
 */
export function forgetUnidentifiedManager(operation: Operation, objects: readonly string[]): void {
  for (const object of objects) claimsOn(operation, object).managers.delete("");
}

/** True if the program declares all of these objects. */
export const areDeclared = (operation: Operation, objects: readonly string[]): boolean =>
  objects.every((object) => declaredOn(operation).has(object));

/** Records that this resource manages these objects, as soon as none of them is being removed. */
export function registerManager(operation: Operation, objects: readonly string[], fields: object): Promise<void> {
  const instance = operation.instance ?? "";
  return whenSettled(operation, objects, (all) => {
    for (const { managers } of all) managers.set(instance, { fields, created: managers.get(instance)?.created ?? false });
  });
}

/** True if this run has removed the object and not written it again, so that its manager must write it. */
export const isRemoved = (operation: Operation, object: string): boolean => claimsOn(operation, object).removed;

/** The fields of another resource of this run that manages the object. A state without an instance id matches no known resource. */
export function otherManagerOf(operation: Operation, object: string): object | undefined {
  const { instance } = operation;
  return [...claimsOn(operation, object).managers].find(([other]) => instance === undefined || other !== instance)?.[1].fields;
}

/** Runs a create of these objects of a resource. Throws if another resource of this run has created one of them. */
export async function createObjects<T>(
  resource: Pick<Resource, "definition">,
  operation: Operation,
  objects: readonly string[],
  fields: Properties,
  create: () => Promise<T>,
): Promise<T> {
  const instance = operation.instance ?? "";
  const claimed = await whenSettled(operation, objects, (all) => {
    const isTaken = ({ managers }: Ownership): boolean => [...managers].some(([other, { created }]) => created && other !== instance);
    const taken = objects.filter((_, index) => isTaken(all[index] as Ownership));
    if (taken.length > 0)
      throw new StewardError({
        code: "ERR_ALREADY_EXISTS",
        rule: "declared-twice",
        reason: `another resource of this program has just created ${taken.slice(0, 3).join(", ")}`,
        hint: "Declare each object once.",
      });
    for (const { managers } of all) managers.set(instance, { fields, created: true });
    return all;
  });
  try {
    return await create();
  } catch (error) {
    const isOutcomeUnknown = error instanceof StewardError && error.details.outcomeUnknown;
    const left: Properties | undefined = error instanceof PartialState ? error.state : undefined;
    const kept = left ? objectsOf(resource, { ...fields, ...left }) : isOutcomeUnknown ? objects : [];
    for (const [index, claims] of claimed.entries()) {
      if (kept.includes(objects[index] as string)) {
        if (left) claims.managers.set(instance, { fields: left, created: true });
        continue;
      }
      claims.managers.delete(instance);
      claims.createFailed = true;
    }
    throw error;
  }
}

/** Records that this resource has written its objects, with its current fields. */
export function recordWritten(operation: Operation, objects: readonly string[], fields: object): void {
  for (const claims of objects.map((object) => claimsOn(operation, object))) {
    Object.assign(claims, { removed: false, createFailed: false });
    const manager = claims.managers.get(operation.instance ?? "");
    if (manager) manager.fields = fields;
  }
}

/** The claims of a resource that removes objects. */
export const claimsOf = (operation: Writer, { objects }: Pick<AnyDefinition, "objects">): Claims => ({
  each: (path, act, isQuiet = false) => removeObject(operation, path, act, objects?.isIrreversible === true, isQuiet),
  isRemoved: (path) => isRemoved(operation, path),
  managerOf: (path) => otherManagerOf(operation, path),
  assertAdopted(path) {
    if (claimsOn(operation, path).createFailed) throw notAdopted();
  },
});

async function removeObject(
  operation: Writer,
  path: string,
  act: Parameters<Claims["each"]>[1],
  isIrreversible: boolean,
  isQuiet: boolean,
): Promise<Held | undefined> {
  const claims = claimsOn(operation, path);
  const instance = operation.instance ?? "";
  const { other, removal } = await whenSettled(operation, [path], () => {
    const other = otherManagerOf(operation, path);
    if (other) return { other };
    if (claims.createFailed || (isIrreversible && areDeclared(operation, [path]))) throw notAdopted();
    if (isIrreversible && operation.run.cache.has(failed)) throw perhapsDeclared();
    claims.removed = true;
    claims.removal = act({ path, operation } as Claim);
    return { removal: claims.removal };
  });
  if (other) {
    claims.managers.delete(instance);
    if (!isQuiet) operation.run.log.warn(`${operation.resource}: not deleted, because another resource of this program now manages it.`);
    return { fields: other, operation };
  }
  try {
    await removal;
    claims.managers.delete(instance);
    return undefined;
  } catch (error) {
    // The resource stays in the state, so it still manages the object.
    if (!claims.managers.has(instance)) claims.managers.set(instance, { fields: {}, created: false });
    claims.removed = error instanceof StewardError && Boolean(error.details.outcomeUnknown);
    throw error;
  } finally {
    claims.removal = undefined;
  }
}

const notAdopted = (): StewardError =>
  new StewardError({
    code: "ERR_REJECTED",
    rule: "not-taken-over",
    reason: "another resource in this program declares the object but has not adopted it",
    hint: "Run `pulumi up` again once that resource can be created. If you renamed it, add an alias of its old name instead.",
  });

const perhapsDeclared = (): StewardError =>
  new StewardError({
    code: "ERR_REJECTED",
    rule: "perhaps-declared",
    reason: "not deleted: another resource failed, and it may manage this object",
    hint: "Fix the failed resource, then run `pulumi up` again.",
  });
