import { all, Inputs, Output } from "@pulumi/pulumi";
import { getConfig } from "@pulumi/pulumi/runtime/config";
import { getStackResource } from "@pulumi/pulumi/runtime/stack";
import { Connection, connect, System, withoutEngine } from "../connection";
import { StewardError } from "../errors";
import { withoutNulls } from "./properties";

// A program declares each object on a server once: two resources of one object would undo each other's work, and the deletion of one would take the object
// from the other. The provider sees no names; the program knows them.

/** What is needed of a definition. @internal */
export interface Declared {
  token: string;
  noun: string;
  objects?: { fields: readonly string[]; paths(fields: never): readonly string[] };
  defaults?(connection: Connection): object;
}

/** One run of a program. @internal */
export interface Program {
  /** Which resource declares an object, by server and path. */
  names: Map<string, string>;
  connections: Map<string, Connection | undefined>;
}

/** Programs that run one after the other in a process, as the Automation API does, have a stack each. */
const programs = new WeakMap<object, Program>();

const isPlain = (value: unknown): boolean => !Output.isInstance(value) && !(value instanceof Promise);

/**
 * The properties of a resource, of which the program declares the objects once: at once where they are known, and otherwise before the resource is
 * registered. Throws what names the other resource.
 * @internal
 */
export function declareOnce(definition: Declared, name: string, properties: Inputs): Inputs {
  const stack = getStackResource();
  const { objects } = definition;
  // What a unit test constructs has no stack.
  if (!objects || !stack) return properties;
  const program = programs.get(stack) ?? { names: new Map(), connections: new Map() };
  programs.set(stack, program);
  const fields = [...objects.fields, "connection"];
  // The last one: in a set the roles, of which a change replaces nothing. What carries the check is known as late as all of them.
  const later =
    [...objects.fields].reverse().find((field) => !isPlain(properties[field])) ??
    (isPlain(properties.connection) ? undefined : "connection");
  if (later === undefined) {
    declare(definition, name, program, Object.fromEntries(fields.map((field) => [field, properties[field]])));
    return properties;
  }
  // Of a record, such as roles by name, only the keys matter: they are known before its values are.
  const resolved = all(fields.map((field) => (isPlain(properties[field]) ? known(properties[field]) : properties[field])));
  const checked = resolved.apply((values) => {
    declare(definition, name, program, Object.fromEntries(fields.map((field, index) => [field, values[index]])));
    return values[fields.indexOf(later)];
  });
  return { ...properties, [later]: checked };
}

const known = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inner === undefined ? undefined : true]))
    : value;

/** Notes which objects a resource declares. @internal */
export function declare({ token, noun, objects, defaults }: Declared, name: string, { names, connections }: Program, given: Inputs): void {
  const connectionName = (given.connection as string | undefined) ?? "default";
  const system = token.split(":")[0] as System;
  const key = `${system} ${connectionName}`;
  if (!connections.has(key)) connections.set(key, find(system, connectionName));
  const connection = connections.get(key);
  if (!connection || !objects) return;
  for (const path of pathsOf(objects, { ...defaults?.(connection), ...withoutNulls(given) })) {
    const object = `${connection.server} ${path}`;
    const other = names.get(object);
    if (other !== undefined)
      throw declaredTwice(`Cannot declare ${noun} "${name}"`, other, `${path} of the connection "${connectionName}"`);
    names.set(object, name);
  }
}

function declaredTwice(task: string, other: string, object: string): StewardError {
  const error = new StewardError({
    code: "ERR_INVALID_INPUT",
    task,
    reason: `the resource "${other}" of this program declares the same object, ${object}`,
    advice: "Declare each object once.",
  });
  // Of a property that is known late, Pulumi would print the stack.
  return Object.assign(error, { stack: "" });
}

/** Invalid inputs name no object; the provider says what is wrong with them. */
function pathsOf({ paths }: NonNullable<Declared["objects"]>, fields: Inputs): readonly string[] {
  try {
    return paths(fields as never);
  } catch {
    return [];
  }
}

/** What is wrong with a connection is said by the provider as well. */
function find(system: System, name: string): Connection | undefined {
  try {
    return connect(system, name, { config: getConfig, environment: process.env, memory: new Map(), engine: withoutEngine });
  } catch {
    return undefined;
  }
}
