import { Input, Inputs, Output, secret } from "@pulumi/pulumi/output";
import { CustomResourceOptions, ID } from "@pulumi/pulumi/resource";
import { AnyDefinition } from "../contract/definition";
import { invalidInput } from "../contract/errors";
import { namesWith, publicNames } from "../contract/fields";
import { ConnectionArgs, SecretReference } from "../contract/inputs";
import { isReference } from "../contract/secret";
import { className } from "../lifecycle/context";
import { encryptedNames } from "../lifecycle/hidden";
import { secretInputs } from "../lifecycle/properties";
import { hideResponses } from "./debug-log";
import { declareOnce } from "./duplicates";
import { assertRuntimeResolves, dynamicType, nativeType, providerText } from "./dynamic";
import { usesPlugin } from "./mechanism";
import { lostParts } from "./plain-inputs";
import { assertPluginFound } from "./plugin-found";
import { secretInputsOf } from "./secret-inputs";
import { packageVersion } from "./version";

/** `T` with a `pulumi.Input` at every depth. The first condition keeps unions, such as boolean, in one piece, which is cheaper. */
export type DeepInput<T> = Input<
  [T] extends [string | number | boolean]
    ? T
    : T extends (infer Item)[]
      ? DeepInput<Item>[]
      : T extends object
        ? { [Field in keyof T]: DeepInput<Exclude<T[Field], undefined>> }
        : T
>;
/** The arguments of a resource whose inputs are `Inputs`. */
export type Args<Inputs> = { [Field in keyof Inputs]: DeepInput<Exclude<Inputs[Field], undefined>> };
/** The same, where a program may declare the secrets among the inputs by reference. */
export type SecretArgs<Inputs, Secret> = {
  [Field in keyof Inputs]: Field extends Secret ? Input<string | SecretReference> : DeepInput<Exclude<Inputs[Field], undefined>>;
};
/** The outputs of a resource whose state is `State`. If the program declares a secret by reference, its output is the reference. */
export type Outputs<State> = { readonly [Field in keyof State]: Output<State[Field]> };

/** The static `get` of a resource class, which reads an existing object and never writes: `get(name, id)`. */
export type Getter<T> = (name: string, id: Input<ID>, args?: Args<ConnectionArgs>, opts?: CustomResourceOptions) => T;

/**
 * The arguments for Pulumi's constructor. Each class extends `CustomResource` directly: with a base class, Pulumi would record a line of this package as the
 * source position of the resource.
 */
export function registration(
  definition: AnyDefinition,
  name: string,
  args: object,
  opts: CustomResourceOptions | undefined,
): [type: string, name: string, properties: Inputs, opts: CustomResourceOptions] {
  const native = usesPlugin();
  const isNative = native === true;
  if (isNative) assertPluginFound();
  else assertRuntimeResolves();
  const lost = lostParts(args, []);
  if (lost.length > 0) throw invalidInput(lost, { operation: `Cannot declare ${className(definition)} "${name}"` });
  hideResponses();
  // Pulumi makes an output of each given property, even an undefined one. Each costs 0.2 ms, so those that only the provider uses are not given.
  const properties: Inputs = isNative ? {} : { __provider: providerText(definition.token) };
  const secrets = namesWith(definition.fields, "secret");
  for (const field of namesWith(definition.fields, "output")) properties[field] = undefined;
  // The fingerprint that the check adds to a reference is encrypted only if the whole reference is.
  for (const [field, value] of Object.entries(args ?? {}))
    properties[field] = value !== undefined && (secrets.includes(field) || isReference(value)) ? secret(value) : value;
  // A transform may change the object, and make any input secret.
  const isTransformed = [opts?.transforms, opts?.transformations].some((transforms) => transforms?.length);
  if (!isNative) {
    // The provider rejects a secret in the id.
    const possible = isTransformed ? Object.keys(args ?? {}).filter((field) => !publicNames(definition).includes(field)) : [];
    const names = secretInputsOf(args ?? {}, [...possible, ...(opts?.additionalSecretOutputs ?? [])]);
    if (names) properties[secretInputs] = names;
  }
  // The plugin itself checks for duplicates.
  const declared = opts?.id || isTransformed || isNative ? properties : declareOnce(definition, name, properties);
  // With `--replace`, and for a tainted resource, the engine does not ask the provider.
  const { deleteBeforeReplace } = definition;
  const options = { deleteBeforeReplace, ...opts };
  // A stack that sets `steward:native` may have resources of the other mechanism.
  if (native !== undefined) {
    const other = isNative ? dynamicType(definition.token) : nativeType(definition.token);
    options.aliases = [...(opts?.aliases ?? []), { type: other }];
  }
  if (isNative) return [nativeType(definition.token), name, declared, { version: packageVersion(), ...options }];
  const additionalSecretOutputs = [...(opts?.additionalSecretOutputs ?? []), ...secrets, ...encryptedNames(definition.fields)];
  return [dynamicType(definition.token), name, declared, { ...options, additionalSecretOutputs }];
}

export function getter<A, T>(type: () => new (name: string, args: A, opts?: CustomResourceOptions) => T): Getter<T> {
  return (name, id, args = {}, opts) => new (type())(name, args as A, { ...opts, id });
}
