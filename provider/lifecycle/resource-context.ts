import { ConfigurationSources, connect, Operation } from "../connection";
import { cached } from "../connection/cache";
import { AnyDefinition } from "../definition";
import { format, namesWith, secretsOf } from "../fields";
import { valueAt } from "../inputs";
import { encryptedOutputs } from "./former-inputs";
import { Properties, secretInputs, stringsIn } from "./properties";

// The resource of an operation: its name in messages, its secrets and its server.

export interface ResourceContext {
  /** `scheduler role "web"`. */
  describe(fields: Properties): string;
  /** All secret values of the fields, including those in encrypted outputs. */
  secretsIn(properties: Properties): string[];
  /** Secrets that a check dropped when it normalized the inputs. A server may know and echo them nevertheless. */
  leftOut(): Set<string>;
  /** The connection that the first properties name, with the secrets of all of them. */
  connectionOf(...properties: Properties[]): Operation;
  /** Records that the program declares a resource of this type. */
  recordCheck(): void;
  /** True if the program has declared a resource of this type. A refresh calls `diff` before that. */
  isChecked(): boolean;
  log: ConfigurationSources["log"];
  urn?: Mechanism["urn"];
}

/** A mechanism by which Pulumi runs resources. */
export interface Mechanism extends ConfigurationSources {
  /** True if Pulumi marks secret values at any depth. A read may then return new inputs, and resources can be imported. */
  marksSecrets?: boolean;
  /** The secret inputs of the current resource. If omitted, the class lists them in an input. */
  secretInputs?(): readonly string[];
  /** The URN of the current resource. If omitted, the class rejects two resources that declare one object. */
  urn?(): string | undefined;
  /** The values of the current resource that the program marks as secret. If omitted, Pulumi does not send the marks. */
  secretValues?(): readonly string[];
}

export function resourceContext(definition: AnyDefinition, sources: Mechanism): ResourceContext {
  const { fields, token, displayName } = definition;
  const secretOutputs = encryptedOutputs(fields);
  const describe = (values: Properties): string => {
    const name = format(definition.name ?? "", values);
    return name ? `${displayName} "${name}"` : displayName;
  };
  /** The inputs that the program marks as secret, as the class lists them. */
  const markedIn = (properties: Properties | undefined): string[] => (properties?.[secretInputs] as string[] | undefined) ?? [];
  const secretsIn = (properties: Properties): string[] => {
    const holders = [properties, ...secretOutputs.map((output) => properties[output])];
    const paths = [...secretsOf(fields, properties), ...markedIn(properties)];
    return holders.flatMap((holder) =>
      paths.flatMap((path) => [valueAt(holder, [path]), valueAt(holder, path.split("."))].flatMap(stringsIn)),
    );
  };
  const leftOut = (): Set<string> => cached(sources.cache, ["left out", token], () => new Set<string>());
  const connectionOf = (...properties: Properties[]): Operation => ({
    ...connect(definition.system, (properties[0]?.connection as string | undefined) ?? "default", sources),
    secrets: [...properties.flatMap(secretsIn), ...leftOut(), ...(sources.secretValues?.() ?? [])],
    // Computed on use, since a check connects while its inputs may still be invalid.
    get resource() {
      return describe(properties.at(-1) ?? {});
    },
    instance: properties.at(-1)?.instance as string | undefined,
    secretFields: [...namesWith(fields, "secret"), ...(sources.secretInputs?.() ?? markedIn(properties[0]))],
  });
  const checked = JSON.stringify(["checked", token]);
  const recordCheck = (): void => void sources.cache.set(checked, true);
  const isChecked = (): boolean => sources.cache.has(checked);
  return { describe, secretsIn, leftOut, connectionOf, recordCheck, isChecked, log: sources.log, urn: sources.urn };
}
