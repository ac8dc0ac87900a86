import { randomBytes } from "node:crypto";
import { Connection } from "./connection";
import { StewardError, Unfinished } from "./errors";
import { log } from "./log";

// Which resource holds which object on a server. A resource that was renamed, or moved to another type, leaves its former entry in the state: deleting
// that one must not remove what the new one holds. Pulumi tells a provider no names, so each creation stores an instance, and what this process has seen of
// the others is kept here, as long as the process lives: one operation of Pulumi.

interface Claims {
  /** A resource of the program declares the object. */
  declared: boolean;
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

function claimsOn({ memory, server }: Connection, object: string): Claims {
  const key = JSON.stringify(["object", server, object]);
  const known = memory.get(key) as Claims | undefined;
  if (known) return known;
  const claims: Claims = { declared: false, holders: new Map(), refused: false, removed: false };
  memory.set(key, claims);
  return claims;
}

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

/** Notes that the program declares these objects. @internal */
export function noteDeclared(connection: Connection, objects: readonly string[]): void {
  for (const object of objects) claimsOn(connection, object).declared = true;
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

/** Runs a creation of these objects. Fails where another resource of this run has created one of them. @internal */
export async function createObjects<T>(
  connection: Connection,
  objects: readonly string[],
  fields: object,
  create: () => Promise<T>,
): Promise<T> {
  const instance = connection.instance ?? "";
  const claimed = await whenSettled(connection, objects, (all) => {
    const isTaken = ({ holders }: Claims): boolean => [...holders].some(([other, { created }]) => created && other !== instance);
    const taken = objects.filter((_, index) => isTaken(all[index] as Claims));
    if (taken.length > 0)
      throw new StewardError({
        code: "ERR_ALREADY_EXISTS",
        reason: `another resource of this program has just created ${taken.slice(0, 3).join(", ")}`,
        advice: "Declare each object once.",
      });
    for (const { holders } of all) holders.set(instance, { fields, created: true });
    return all;
  });
  try {
    return await create();
  } catch (error) {
    const isKept = error instanceof Unfinished || (error instanceof StewardError && error.facts.outcomeUnknown);
    if (!isKept)
      for (const claims of claimed) {
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
    Object.assign(claims.holders.get(connection.instance ?? "") ?? {}, { fields });
  }
}

/** @internal */
export const warnStays = (name: string, what = "it"): void =>
  log(
    `warning: ${name}: ${what} stays, since another resource of the program holds it now. Give a resource that you rename an alias of its old name.`,
  );

/**
 * Removes an object from the server, unless another resource of this run holds it. False: it stays, which is said of `name`. While the removal is under way, nobody else in this
 * process writes the object.
 * @internal
 */
export async function removeObject(
  connection: Connection,
  object: string,
  { name, isIrreversible = false }: { name?: string; isIrreversible?: boolean },
  remove: () => Promise<void>,
): Promise<boolean> {
  const claims = claimsOn(connection, object);
  const release = (): boolean => claims.holders.delete(connection.instance ?? "");
  const { removal } = await whenSettled(connection, [object], () => {
    if (otherHolder(claims, connection)) return { removal: undefined };
    if (claims.refused || (isIrreversible && claims.declared)) throw notTakenOver();
    claims.removed = true;
    claims.removal = remove();
    return { removal: claims.removal };
  });
  if (!removal) {
    release();
    if (name) warnStays(name);
    return false;
  }
  try {
    await removal;
    release();
    return true;
  } catch (error) {
    claims.removed = error instanceof StewardError && Boolean(error.facts.outcomeUnknown);
    throw error;
  } finally {
    claims.removal = undefined;
  }
}

const notTakenOver = (): StewardError =>
  new StewardError({
    code: "ERR_REFUSED",
    reason: "another resource of the program declares it, and has not taken it over",
    advice: "Run `pulumi up` again once that resource can be created, or give it an alias of the old name.",
  });

/** Fails where another resource of this run was to take the object over and could not. @internal */
export function assertNotRefused(connection: Connection, object: string): void {
  if (claimsOn(connection, object).refused) throw notTakenOver();
}
