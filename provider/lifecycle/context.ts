import { ConfigurationSources, connect, wordsOf } from "../connection";
import { AnyDefinition } from "../contract/definition";
import { format, namesWith, secretsOf } from "../contract/fields";
import { valueAt } from "../contract/inputs";
import { assertDialect, Words, Writer } from "../contract/operation";
import { Properties, secretInputs, stringsIn } from "./properties";
import { resolved } from "./references";
import { encryptedOutputs } from "./state";

// A resource type and the mechanism that runs it: the first argument of each operation.

/** A mechanism by which Pulumi runs resources. */
export interface Mechanism extends ConfigurationSources {
  /** True if Pulumi marks secret values at any depth. A refresh may then return the value of a secret input that the server does not store. */
  canReturnSecrets?: boolean;
  /** The secret inputs of the current resource. If omitted, the class lists them in an input. */
  secretInputs?: readonly string[];
  /** The URN of the current resource. If omitted, the class rejects two resources that declare one object. */
  urn?: string;
  /** The values of the current resource that the program marks as secret. If omitted, Pulumi does not send the marks. */
  secretValues?: readonly string[];
}

/** A resource type, as a mechanism runs it. */
export interface Resource {
  definition: AnyDefinition;
  mechanism: Mechanism;
}

/** `secrets.SchedulerRole`. */
export const className = ({ token }: AnyDefinition): string => token.replace(":", ".");

/** `Nomad role "web"`, in the words of the dialect. */
export function describe(resource: Resource, fields: Properties, words = wordsFor(resource, fields)): string {
  const { displayName, name = "" } = resource.definition;
  const title = format(displayName, words);
  const ownName = format(name, fields);
  return ownName ? `${title} "${ownName}"` : title;
}

/** The error of an invalid connection is reported in the words of the default dialect. */
function wordsFor({ definition: { system }, mechanism }: Resource, { connection }: Properties): Words {
  try {
    return connect(system, (connection as string | undefined) ?? "default", mechanism).server.words;
  } catch {
    return wordsOf(system, "standard");
  }
}

/** The objects on the server that a resource with these fields manages. */
export const objectsOf = ({ definition }: Pick<Resource, "definition">, fields: Properties): readonly string[] =>
  definition.objects?.paths(fields) ?? [];

/** The inputs that the program marks as secret, as the class lists them. */
const markedIn = (properties: Properties | undefined): string[] => (properties?.[secretInputs] as string[] | undefined) ?? [];

/** All secret values of the fields, including those of references and in encrypted outputs. */
export function secretsIn({ definition: { fields } }: Resource, properties: Properties): string[] {
  const holders = [resolved(fields, properties), ...encryptedOutputs(fields).map((output) => properties[output])];
  const paths = [...secretsOf(fields), ...markedIn(properties).map((name) => [name])];
  return holders.flatMap((holder) => paths.flatMap((path) => stringsIn(valueAt(holder, path))));
}

/**
 * An operation on the server of the first properties, with the secrets of all of them. Throws if its dialect does not have the resource.
 */
export function operationOn(resource: Resource, ...properties: Properties[]): Writer {
  const { definition, mechanism } = resource;
  const connected = connect(definition.system, (properties[0]?.connection as string | undefined) ?? "default", mechanism);
  assertDialect(definition, connected);
  return {
    ...connected,
    secrets: {
      values: [...properties.flatMap((each) => secretsIn(resource, each)), ...(mechanism.secretValues ?? [])],
      fields: [...namesWith(definition.fields, "secret"), ...(mechanism.secretInputs ?? markedIn(properties[0]))],
    },
    // Computed on use, since a check connects while its inputs may still be invalid.
    get resource() {
      return describe(resource, properties.at(-1) ?? {}, connected.server.words);
    },
    instance: properties.at(-1)?.instance as string | undefined,
  };
}

/** The operation with further fields whose values no message may show: they were secrets of an earlier program. */
export const hideFields = (operation: Writer, former: object): Writer => ({
  ...operation,
  secrets: { ...operation.secrets, fields: [...operation.secrets.fields, ...Object.keys(former)] },
});

/** Records that the program declares a resource of this type. */
export const recordCheck = ({ definition, mechanism }: Resource): void =>
  void mechanism.cache.set(JSON.stringify(["checked", definition.token]), true);

/** True if the program has declared a resource of this type. A refresh calls `diff` before that. */
export const isChecked = ({ definition, mechanism }: Resource): boolean =>
  mechanism.cache.has(JSON.stringify(["checked", definition.token]));
