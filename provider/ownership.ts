import { randomBytes } from "node:crypto";
import { remembered } from "./cache";
import { Connection } from "./connection";
import { PartialState, StewardError } from "./errors";

// Which resource holds which object on a server. A resource that was renamed, or moved to another type, leaves its former entry in the state: deleting
// that one must not remove what the new one holds. Pulumi tells a provider no names, so each creation stores an instance, and what this process has seen of
// the others is kept here, as long as the process lives: one operation of Pulumi.

/** The usual cause of an object that exists already. @internal */
export const renamedHint = "If you renamed the resource, give it an alias of its old name.";

interface Claims {
  /** A resource of the program declares the object. */
  declared: boolean;
  /** Its URN, if the mechanism knows it. */
  declaredBy?: string;
  /** What holds the object, by instance, with its fields. */
  holders: Map<string, { fields: object; created: boolean }>;
  /** A creation that wanted the object has failed. */
  refused: boolean;
  /** This process removed the object, and nobody wrote it since. */
  removed: boolean;
  /** A removal that is under way. */
  removal?: Promise<unknown>;
}

let lastCreation = 0;

/** Names one creation of a resource. Instances sort by the time of their creation. @internal */
export function newInstance(): string {
  lastCreation = Math.max(Date.now(), lastCreation + 1);
  return `${lastCreation.toString(36)}${randomBytes(5).toString("base64url")}`;
}

const claimsOn = ({ cache, server }: Connection, object: string): Claims =>
  remembered(cache, ["object", server, object], () => ({ declared: false, holders: new Map(), refused: false, removed: false }));

/** Acts on the claims on these objects as soon as no removal is under way, before anything else can begin one. */
async function whenSettled<T>(connection: Connection, objects: readonly string[], act: (all: Claims[]) => T): Promise<T> {
  const all = objects.map((object) => claimsOn(connection, object));
  for (;;) {
    const removals = all.flatMap(({ removal }) => removal ?? []);
    if (removals.length === 0) return act(all);
    await Promise.allSettled(removals);
  }
}

/** A state without an instance counts as another one than any that is known. */
const otherHolder = ({ holders }: Claims, { instance }: Connection): object | undefined =>
  [...holders].find(([other]) => instance === undefined || other !== instance)?.[1].fields;

const failed = "a write of this run failed";

/** Notes that a creation or an update failed: what the program makes of its outputs, it may not have declared. @internal */
export function noteFailed({ cache }: Pick<Connection, "cache">): void {
  cache.set(failed, true);
}

/** Notes that the program declares these objects. `urn`: with which resource. Returns those that another one declares. @internal */
export function noteDeclared(connection: Connection, objects: readonly string[], urn?: string): { object: string; urn: string }[] {
  return objects.flatMap((object) => {
    const claims = claimsOn(connection, object);
    claims.declared = true;
    claims.declaredBy ??= urn;
    return claims.declaredBy === undefined || claims.declaredBy === urn ? [] : [{ object, urn: claims.declaredBy }];
  });
}

/**
 * Notes that Pulumi checks a resource of these objects as a new one. It does so as well between the diff of a resource and its replacement: without an
 * instance, the resource could not be told from the holder that its diff has noted. @internal
 */
export function noteNew(connection: Connection, objects: readonly string[]): void {
  for (const object of objects) claimsOn(connection, object).holders.delete("");
}

/** Whether the program declares all of these objects. @internal */
export const areDeclared = (connection: Connection, objects: readonly string[]): boolean =>
  objects.every((object) => claimsOn(connection, object).declared);

/** Notes that this resource holds these objects. True: one of them was removed in this run, and has to be written again. @internal */
export function hold(connection: Connection, objects: readonly string[], fields: object): Promise<boolean> {
  const instance = connection.instance ?? "";
  return whenSettled(connection, objects, (all) => {
    for (const { holders } of all) holders.set(instance, { fields, created: holders.get(instance)?.created ?? false });
    return all.some(({ removed }) => removed);
  });
}

/** Whether this run has removed the object, and nobody wrote it since. @internal */
export const isRemoved = (connection: Connection, object: string): boolean => claimsOn(connection, object).removed;

/** What another resource of this run knows of an object that it holds. @internal */
export const heldByAnother = (connection: Connection, object: string): object | undefined =>
  otherHolder(claimsOn(connection, object), connection);

/**
 * Runs a creation of these objects. Fails where another resource of this run has created one of them. `objectsOf`: the objects of the state that a creation
 * leaves half done. @internal
 */
export async function createObjects<T>(
  connection: Connection,
  objects: readonly string[],
  fields: object,
  objectsOf: (state: never) => readonly string[],
  create: () => Promise<T>,
): Promise<T> {
  const instance = connection.instance ?? "";
  const claimed = await whenSettled(connection, objects, (all) => {
    const isTaken = ({ holders }: Claims): boolean => [...holders].some(([other, { created }]) => created && other !== instance);
    const taken = objects.filter((_, index) => isTaken(all[index] as Claims));
    if (taken.length > 0)
      throw new StewardError({
        code: "ERR_ALREADY_EXISTS",
        rule: "declared-twice",
        reason: `another resource of this program has just created ${taken.slice(0, 3).join(", ")}`,
        hint: "Declare each object once.",
      });
    for (const { holders } of all) holders.set(instance, { fields, created: true });
    return all;
  });
  try {
    return await create();
  } catch (error) {
    const isInDoubt = error instanceof StewardError && error.details.outcomeUnknown;
    const left = error instanceof PartialState ? error.state : undefined;
    const kept = left ? objectsOf(left as never) : isInDoubt ? objects : [];
    for (const [index, claims] of claimed.entries()) {
      if (kept.includes(objects[index] as string)) {
        if (left) claims.holders.set(instance, { fields: left, created: true });
        continue;
      }
      claims.holders.delete(instance);
      claims.refused = true;
    }
    throw error;
  }
}

/** Notes that this resource has written its objects, and what it is now. @internal */
export function noteWritten(connection: Connection, objects: readonly string[], fields: object): void {
  for (const claims of objects.map((object) => claimsOn(connection, object))) {
    Object.assign(claims, { removed: false, refused: false });
    const holder = claims.holders.get(connection.instance ?? "");
    if (holder) holder.fields = fields;
  }
}

/**
 * Removes an object from the server, unless another resource of this run holds it: then it returns false and, unless `isQuiet`, prints a warning. While the
 * removal is under way, nothing else in this process writes the object.
 * @internal
 */
export async function removeObject(
  connection: Connection,
  object: string,
  remove: () => Promise<void>,
  { isIrreversible = false, isQuiet = false } = {},
): Promise<boolean> {
  const claims = claimsOn(connection, object);
  const release = (): boolean => claims.holders.delete(connection.instance ?? "");
  const { removal } = await whenSettled(connection, [object], () => {
    if (otherHolder(claims, connection)) return { removal: undefined };
    if (claims.refused || (isIrreversible && claims.declared)) throw notTakenOver();
    if (isIrreversible && connection.cache.has(failed)) throw perhapsDeclared();
    claims.removed = true;
    claims.removal = remove();
    return { removal: claims.removal };
  });
  if (!removal) {
    release();
    if (!isQuiet)
      connection.say(`warning: ${connection.resource}: left in place, because another resource of this program now manages it.`);
    return false;
  }
  try {
    await removal;
    release();
    return true;
  } catch (error) {
    // It stays in the state, and holds the object until it is removed.
    const instance = connection.instance ?? "";
    if (!claims.holders.has(instance)) claims.holders.set(instance, { fields: {}, created: false });
    claims.removed = error instanceof StewardError && Boolean(error.details.outcomeUnknown);
    throw error;
  } finally {
    claims.removal = undefined;
  }
}

const notTakenOver = (): StewardError =>
  new StewardError({
    code: "ERR_REJECTED",
    rule: "not-taken-over",
    reason: "another resource of the program declares it, and has not taken it over",
    hint: "Run `pulumi up` again once that resource can be created. If you renamed it, give it an alias of its old name instead.",
  });

const perhapsDeclared = (): StewardError =>
  new StewardError({
    code: "ERR_REJECTED",
    rule: "perhaps-declared",
    reason: "another resource failed in this run, so the program may not have come to declare it",
    hint: "Run `pulumi up` again once nothing fails.",
  });

/** Fails where another resource of this run was to take the object over and could not. @internal */
export function assertNotRefused(connection: Connection, object: string): void {
  if (claimsOn(connection, object).refused) throw notTakenOver();
}
