import { CustomResourceOptions, ID, Input, Inputs, Output, output, secret } from "@pulumi/pulumi";
import { getStackResource } from "@pulumi/pulumi/runtime/stack";
import { hideResponses } from "./adapters/debug-log";
import { assertRuntimeResolves, dynamicType, providerText, shortenCallStack } from "./adapters/dynamic";
import { StewardError } from "./errors";

/** `T` with a `pulumi.Input` at every depth. */
export type DeepInput<T> = Input<
  T extends (infer Item)[] ? DeepInput<Item>[] : T extends object ? { [Field in keyof T]: DeepInput<Exclude<T[Field], undefined>> } : T
>;
/** The arguments of a resource whose inputs are `Inputs`. */
export type Args<Inputs> = { [Field in keyof Inputs]: DeepInput<Exclude<Inputs[Field], undefined>> };
/** The outputs of a resource whose state is `State`. */
export type Outputs<State> = { readonly [Field in keyof State]: Output<State[Field]> };

/** What every resource and function takes. */
export interface Connected {
  /**
   * Which connection of the stack's configuration, `steward:<connection>`, names the server. For a resource: renaming a connection sends
   * nothing; naming one of another server replaces the resource; another address behind the same name is refused.
   * @default "default"
   */
  connection?: string;
}

/** Reads what exists already, without ever writing to it: `get(name, id)`. */
export type Getter<T> = (name: string, id: Input<ID>, args?: Args<Connected>, opts?: CustomResourceOptions) => T;

/** What the program's side needs of a definition. */
interface Declared {
  token: string;
  noun: string;
  state: readonly string[];
  secrets: readonly string[];
  encrypted?: readonly string[];
  singleton?: boolean;
  deleteBeforeReplace?: boolean;
}

/**
 * What a resource of this package tells Pulumi's constructor. Each class extends `CustomResource` itself: one more class between them, and
 * Pulumi would record a line of this package as the place where a program declares the resource.
 * @internal
 */
export function registration(
  definition: Declared,
  name: string,
  args: object,
  opts: CustomResourceOptions | undefined,
): [type: string, name: string, properties: Inputs, opts: CustomResourceOptions] {
  assertRuntimeResolves();
  hideResponses();
  shortenCallStack();
  // Pulumi makes an output of each property that it is given, so each is given, if only as undefined; and each costs a fifth of a millisecond, so what
  // the adapter keeps for itself in the state (`server`, `declared`) is none.
  const properties: Inputs = { __provider: providerText(definition.token) };
  for (const field of definition.state) properties[field] = undefined;
  for (const [field, value] of Object.entries(args)) properties[field] = asSecret(definition.secrets, field, value);
  if (definition.singleton && !opts?.id) properties.connection = declaredOnce(definition, name, properties.connection);
  const secretOutputs = [...definition.secrets.filter((path) => !path.includes(".")), ...(definition.encrypted ?? [])];
  const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...secretOutputs];
  // Of a replacement that the user orders, the engine does not ask the provider.
  const { deleteBeforeReplace } = definition;
  return [dynamicType(definition.token), name, properties, { deleteBeforeReplace, ...opts, additionalSecretOutputs }];
}

/** A secret input, or an object with a secret key: `extra.private-key`. What an output holds becomes a secret as a whole. */
function asSecret(secrets: readonly string[], path: string, value: unknown): unknown {
  if (value === undefined) return value;
  if (secrets.includes(path)) return secret(value);
  if (!secrets.some((each) => each.startsWith(`${path}.`))) return value;
  if (Output.isInstance(value) || value instanceof Promise) return output(value).apply((known) => output(asSecret(secrets, path, known)));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asSecret(secrets, `${path}.${key}`, inner)]));
}

/** Which resource of the running program declares a singleton of a connection. */
const declarations = new WeakMap<object, Map<string, string>>();

/** Two resources of one singleton would undo each other's work at every update. */
function declaredOnce(definition: Declared, name: string, connection: unknown): unknown {
  // Programs that run one after the other in a process, as automation does, have each a stack of their own; what a unit test constructs has none.
  const stack = getStackResource();
  if (!stack) return connection;
  const known = declarations.get(stack) ?? new Map<string, string>();
  declarations.set(stack, known);
  const declare = (resolved: unknown): unknown => {
    const key = JSON.stringify([definition.token, resolved ?? "default"]);
    const other = known.get(key);
    if (other !== undefined)
      throw new StewardError({
        code: "ERR_INVALID_INPUT",
        task: `Cannot declare ${definition.noun} "${name}"`,
        reason: `"${other}" declares the same ${definition.noun} of the connection "${resolved ?? "default"}" already`,
        advice: "A connection has one of them: declare it once, with all its attributes.",
      });
    known.set(key, name);
    return resolved;
  };
  const isKnown = connection === undefined || typeof connection === "string";
  return isKnown ? declare(connection) : output(connection).apply(declare);
}

/** The static `get` of a class. @internal */
export function getter<A, T>(type: () => new (name: string, args: A, opts?: CustomResourceOptions) => T): Getter<T> {
  return (name, id, args = {}, opts) => new (type())(name, args as A, { ...opts, id });
}
