import { CustomResourceOptions, ID, Input, Inputs, Output, secret } from "@pulumi/pulumi";
import { assertRuntimeResolves, dynamicType, providerText, shortenCallStack } from "./adapters/dynamic";

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
   * Which connection of the stack's configuration, `steward:<connection>`, names the server. Renaming a connection sends nothing;
   * naming one of another server replaces the resource; another address behind the same name is refused.
   * @default "default"
   */
  connection?: string;
}

/** Reads what exists already, without ever writing to it: `get(name, id)`. */
export type Getter<T> = (name: string, id: Input<ID>, args?: Args<Connected>, opts?: CustomResourceOptions) => T;

/** What the program's side needs of a definition. */
interface Declared {
  token: string;
  state: readonly string[];
  secrets: readonly string[];
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
  shortenCallStack();
  // Pulumi makes an output of each property that it is given, so each is given, if only as undefined; and each costs a fifth of a millisecond, so what
  // the adapter keeps for itself in the state (`server`, `managed`) is none.
  const properties: Inputs = { __provider: providerText(definition.token) };
  for (const field of definition.state) properties[field] = undefined;
  for (const [field, value] of Object.entries(args))
    properties[field] = definition.secrets.includes(field) && value !== undefined ? secret(value) : value;
  const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...definition.secrets];
  return [dynamicType(definition.token), name, properties, { ...opts, additionalSecretOutputs }];
}

/** The static `get` of a class. @internal */
export function getter<A, T>(type: () => new (name: string, args: A, opts?: CustomResourceOptions) => T): Getter<T> {
  return (name, id, args = {}, opts) => new (type())(name, args as A, { ...opts, id });
}
