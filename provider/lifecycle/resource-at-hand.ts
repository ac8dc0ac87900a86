import { remembered } from "../cache";
import { ConfigurationSources, Connection, connect } from "../connection";
import { AnyDefinition } from "../definition";
import { format, namesWith, secretsOf } from "../fields";
import { valueAt } from "../inputs";
import { encryptedOutputs } from "./former-inputs";
import { Properties, secretInputs, stringsIn } from "./properties";

// The resource that an operation is about: its name in messages, its secrets, and the server that it names.

/** @internal */
export interface ResourceAtHand {
  /** `scheduler role "web"`. */
  describe(fields: Properties): string;
  /** Every secret value, of the fields themselves and of what an encrypted output holds under their names. */
  secretsIn(properties: Properties): string[];
  /** Secrets that a check has seen and not passed on. A server may know and echo them all the same. */
  leftOut(): Set<string>;
  /** The server that the first properties name, for the resource that all of them are of. */
  connectionOf(...properties: Properties[]): Connection;
  say: ConfigurationSources["say"];
  urn?: Mechanism["urn"];
}

/** A way in which Pulumi runs resources. @internal */
export interface Mechanism extends ConfigurationSources {
  /** It marks secret values itself, wherever they are. A read may then return inputs that were none before, and resources can be imported. */
  marksSecrets?: boolean;
  /** The inputs of the resource at hand that are secret. Missing: the program's side names them in an input. */
  secretInputs?(): readonly string[];
  /** The URN of the resource at hand. Missing: the program's side sees that no two resources declare one object. */
  urn?(): string | undefined;
  /** The values that the program marks as secret in the resource at hand. Missing: Pulumi does not send the marks. */
  secretValues?(): readonly string[];
}

/** @internal */
export function resourceAtHand(definition: AnyDefinition, sources: Mechanism): ResourceAtHand {
  const { fields, token, displayName } = definition;
  const secretOutputs = encryptedOutputs(fields);
  const describe = (values: Properties): string => {
    const name = format(definition.name ?? "", values);
    return name ? `${displayName} "${name}"` : displayName;
  };
  const secretsIn = (properties: Properties): string[] => {
    const holders = [properties, ...secretOutputs.map((output) => properties[output])];
    const paths = secretsOf(fields, properties);
    return holders.flatMap((holder) =>
      paths.flatMap((path) => [valueAt(holder, [path]), valueAt(holder, path.split("."))].flatMap(stringsIn)),
    );
  };
  const leftOut = (): Set<string> => remembered(sources.cache, ["left out", token], () => new Set<string>());
  const connectionOf = (...properties: Properties[]): Connection => ({
    ...connect(definition.system, (properties[0]?.connection as string | undefined) ?? "default", sources),
    secrets: [...properties.flatMap(secretsIn), ...leftOut(), ...(sources.secretValues?.() ?? [])],
    // Not computed before it is used: a check connects while its inputs may still be invalid.
    get resource() {
      return describe(properties.at(-1) ?? {});
    },
    instance: properties.at(-1)?.instance as string | undefined,
    secretFields: [
      ...namesWith(fields, "secret"),
      ...(sources.secretInputs?.() ?? (properties[0]?.[secretInputs] as string[] | undefined) ?? []),
    ],
  });
  return { describe, secretsIn, leftOut, connectionOf, say: sources.say, urn: sources.urn };
}
