import { Input, Inputs, Output, output, secret } from "@pulumi/pulumi/output";
import { CustomResourceOptions, ID } from "@pulumi/pulumi/resource";
import { hideResponses } from "./adapters/debug-log";
import { assertDefaultSpelled } from "./adapters/default-connection";
import { Declared, declareOnce } from "./adapters/duplicates";
import { assertRuntimeResolves, dynamicType, nativeType, providerText, shortenCallStack } from "./adapters/dynamic";
import { usesPlugin } from "./adapters/mechanism";
import { assertPluginFound } from "./adapters/plugin-found";
import { secretInputsOf } from "./adapters/secret-inputs";
import { namesWith } from "./fields";
import { ConnectionArgs } from "./inputs";
import { encryptedOutputs } from "./lifecycle/former-inputs";
import { secretInputs } from "./lifecycle/properties";
import { packageVersion } from "./version";

/** `T` with a `pulumi.Input` at every depth. */
export type DeepInput<T> = Input<
  T extends (infer Item)[] ? DeepInput<Item>[] : T extends object ? { [Field in keyof T]: DeepInput<Exclude<T[Field], undefined>> } : T
>;
/** The arguments of a resource whose inputs are `Inputs`. */
export type Args<Inputs> = { [Field in keyof Inputs]: DeepInput<Exclude<Inputs[Field], undefined>> };
/** The outputs of a resource whose state is `State`. */
export type Outputs<State> = { readonly [Field in keyof State]: Output<State[Field]> };

/** Reads what exists already, without ever writing to it: `get(name, id)`. */
export type Getter<T> = (name: string, id: Input<ID>, args?: Args<ConnectionArgs>, opts?: CustomResourceOptions) => T;

/** What the program's side needs of a definition. */
interface Registered extends Declared {
  deleteBeforeReplace?: boolean;
  find?: unknown;
}

/**
 * What a resource of this package tells Pulumi's constructor. Each class extends `CustomResource` itself: one more class between them, and
 * Pulumi would record a line of this package as the place where a program declares the resource.
 * @internal
 */
export function registration(
  definition: Registered,
  name: string,
  args: object,
  opts: CustomResourceOptions | undefined,
): [type: string, name: string, properties: Inputs, opts: CustomResourceOptions] {
  const native = usesPlugin();
  const isNative = native === true;
  if (isNative) assertPluginFound();
  else assertRuntimeResolves();
  assertDefaultSpelled((args as Partial<ConnectionArgs> | undefined)?.connection);
  hideResponses();
  shortenCallStack();
  // Pulumi makes an output of each property that it is given, so each is given, if only as undefined; and each costs a fifth of a millisecond, so what
  // the adapter keeps for itself in the state (`server`, `declared`) is none.
  const properties: Inputs = isNative ? {} : { __provider: providerText(definition.token) };
  const secrets = namesWith(definition.fields, "secret");
  for (const field of namesWith(definition.fields, "output")) properties[field] = undefined;
  for (const [field, value] of Object.entries(args ?? {})) properties[field] = asSecret(secrets, field, value);
  // A transform may make another object of it, and a secret of each input.
  const isTransformed = [opts?.transforms, opts?.transformations].some((transforms) => transforms?.length);
  if (definition.find && !isNative) {
    const names = isTransformed ? Object.keys(args ?? {}) : secretInputsOf(args ?? {}, opts?.additionalSecretOutputs);
    if (names) properties[secretInputs] = names;
  }
  // The plugin sees all resources of its servers, those of other providers not among them.
  const declared = opts?.id || isTransformed || isNative ? properties : declareOnce(definition, name, properties);
  // Of a replacement that the user orders, the engine does not ask the provider.
  const { deleteBeforeReplace } = definition;
  const options = { deleteBeforeReplace, ...opts };
  // A stack that names the mechanism may have been written by the other one.
  if (native !== undefined) {
    const other = isNative ? dynamicType(definition.token) : nativeType(definition.token);
    options.aliases = [...(opts?.aliases ?? []), { type: other }];
  }
  if (isNative) return [nativeType(definition.token), name, declared, { version: packageVersion(), ...options }];
  const secretOutputs = [...secrets.filter((path) => !path.includes(".")), ...encryptedOutputs(definition.fields)];
  const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...secretOutputs];
  return [dynamicType(definition.token), name, declared, { ...options, additionalSecretOutputs }];
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

/** The static `get` of a class. @internal */
export function getter<A, T>(type: () => new (name: string, args: A, opts?: CustomResourceOptions) => T): Getter<T> {
  return (name, id, args = {}, opts) => new (type())(name, args as A, { ...opts, id });
}
