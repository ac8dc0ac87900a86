import { all, Inputs, Output } from "@pulumi/pulumi/output";
import { getConfig } from "@pulumi/pulumi/runtime/config";
import { getStackResource } from "@pulumi/pulumi/runtime/stack";
import { connect, sourcesOf } from "../connection";
import { AnyDefinition } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { defaultsOf } from "../contract/fields";
import { cached, Operation, Run } from "../contract/operation";
import { className } from "../lifecycle/context";
import { declaredTwice, findDeclared } from "../lifecycle/ownership";
import { withoutNulls } from "../text/json";

// A program may declare each object on a server only once. Two resources for one object would overwrite each other, and deleting one would delete the
// object of the other. Only the program knows the names of the resources.

/** One run of a program. */
interface Program {
  /** The names of the resources, by the server and the path of their objects. */
  names: Map<string, string>;
  /** The connections. */
  cache: Run["cache"];
}

/** By stack: the Automation API runs several programs in a process. */
const programs = new WeakMap<object, Program>();

/** The names by stack, for all copies of this package in the process: a component may bring its own. */
const key = Symbol.for("pulumi-steward/names");
const shared = globalThis as { [key]?: WeakMap<object, Program["names"]> };

function programOf(stack: object): Program {
  shared[key] ??= new WeakMap();
  const names = shared[key].get(stack) ?? new Map();
  const program = programs.get(stack) ?? { names, cache: new Map() };
  shared[key].set(stack, names);
  programs.set(stack, program);
  return program;
}

const isPlain = (value: unknown): boolean => !Output.isInstance(value) && !(value instanceof Promise);

/**
 * Returns the properties of a resource, after it has checked that no other resource of the program declares its objects. If a property is an output, the
 * check runs when the output resolves, before the resource is registered. Throws an error that names the other resource.
 */
export function declareOnce(definition: AnyDefinition, name: string, properties: Inputs): Inputs {
  const stack = getStackResource();
  const { objects } = definition;
  // Unit tests construct resources without a stack.
  if (!objects || !stack) return properties;
  const program = programOf(stack);
  const fields = ["connection", ...objects.fields];
  const declareValues = (values: unknown[]): void =>
    declare(definition, name, program, Object.fromEntries(fields.map((field, index) => [field, values[index]])));
  // The property that carries the check becomes known last. A change of the last field replaces least: the roles of a set, not its mount.
  const later = fields.filter((field) => !isPlain(properties[field])).at(-1);
  if (later === undefined) {
    declareValues(fields.map((field) => properties[field]));
    return properties;
  }
  // Only the keys of a record, such as roles by name, matter. They are known before its values.
  const resolved = all(fields.map((field) => (isPlain(properties[field]) ? withoutValues(properties[field]) : properties[field])));
  const checked = resolved.apply((values) => {
    declareValues(values);
    return values[fields.indexOf(later)];
  });
  return { ...properties, [later]: checked };
}

const withoutValues = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inner === undefined ? undefined : true]))
    : value;

/** Records the objects that a resource declares. Throws if another resource declares one of them. */
export function declare(definition: AnyDefinition, name: string, { names, cache }: Program, inputs: Inputs): void {
  const { system, objects } = definition;
  const connectionName = (inputs.connection as string | undefined) ?? "default";
  let operation: Operation;
  let paths: readonly string[];
  try {
    operation = cached(cache, [system.name, connectionName], () => connect(system, connectionName, sourcesOf(getConfig)));
    paths = objects?.paths({ ...defaultsOf(definition.fields, operation), ...withoutNulls(inputs) }) ?? [];
  } catch {
    // The provider reports an invalid connection and invalid inputs.
    return;
  }
  const declared = paths.map((path) => `${operation.server.id} ${path}`);
  for (const [index, object] of declared.entries()) {
    const other = findDeclared(names, object);
    if (other === undefined) continue;
    const error = new StewardError({
      code: "ERR_INVALID_INPUT",
      operation: `Cannot declare ${className(definition)} "${name}"`,
      ...declaredTwice(names.get(other) as string, `${paths[index]} of the connection "${connectionName}"`),
    });
    // Pulumi prints the stack of an error that an output throws.
    throw Object.assign(error, { stack: "" });
  }
  for (const object of declared) names.set(object, name);
}
