import { AnyFields } from "../../provider/definition";
import { fieldPath, namesWith, secretNames } from "../../provider/fields";
import { secretSignature, signatureKey } from "../../provider/inputs";
import { Resource } from "../../provider/lifecycle/context";
import { importObject, readToImport } from "../../provider/lifecycle/import";
import { fieldAt, isReference, Properties, setField } from "../../provider/lifecycle/properties";
import { encryptedOutputs } from "../../provider/lifecycle/state";
import { dynamicType, providerText } from "../../provider/program/dynamic";
import { ImportEntry } from "./files";
import { Found } from "./search";

// The state of a dynamic resource, which Pulumi stores without a read of the provider.

/** An object with its inputs in the program. */
export interface Imported extends Found {
  inputs: Properties;
  /** The secrets that the server shows, by their paths. */
  readable: readonly string[];
  /** The outputs in the state. */
  state: Properties;
}

/** Reads an object, unless the search has. Secrets that the server shows are left out, unless `withSecrets`. */
export async function readFound(source: Found, resource: Resource, connection: string, withSecrets: boolean): Promise<Imported> {
  const { definition, discovered, id } = source;
  const args = connection === "default" ? {} : { connection };
  const object: Properties = { ...(discovered.isRead ? discovered.state : await readToImport(resource, id, args)) };
  const readable = secretNames(definition.fields, object).filter((name) => fieldAt(object, name));
  if (!withSecrets) for (const name of readable) setField(object, name, undefined);
  for (const [name, env] of Object.entries(discovered.unreadable ?? {})) setField(object, name, { env });
  return { ...source, readable, ...importObject(resource, id, args, object) };
}

/** Encrypts a string with the secrets provider of the stack. */
export type Encrypt = (text: string) => Promise<string>;

/**
 * The entry of the import file. Each output that can be secret is a secret in it, even without a value. Otherwise a refresh before the first `pulumi up`
 * would store a new value in plaintext.
 */
export async function entryOf(
  { definition, name, id, inputs, state, readable }: Imported,
  encrypt: Encrypt | undefined,
): Promise<ImportEntry> {
  const { fields, token } = definition;
  const __provider = providerText(token);
  const secretOutputs = [...topLevel(fields), ...encryptedOutputs(fields)];
  const empty = Object.fromEntries(secretOutputs.map((output) => [output, null]));
  const cipher = readable.length > 0 ? encrypt : undefined;
  return {
    type: dynamicType(token),
    name,
    id,
    inputs: { ...(await sealed(inputs, topLevel(fields), cipher)), __provider },
    outputs: { ...(await sealed({ ...empty, ...state }, secretOutputs, cipher)), __provider },
  };
}

const topLevel = (fields: AnyFields): string[] => namesWith(fields, "secret").filter((name) => fieldPath(name).length === 1);

/** The properties with these as secrets, in the form of Pulumi's state. */
async function sealed(properties: Properties, names: readonly string[], encrypt: Encrypt | undefined): Promise<Properties> {
  const seal = async (value: unknown): Promise<object> => {
    const text = JSON.stringify(value);
    const isPublic = !encrypt || value === null || isReference(value);
    return { [signatureKey]: secretSignature, ...(isPublic ? { plaintext: text } : { ciphertext: await encrypt(text) }) };
  };
  const entries = Object.entries(properties).map(async ([name, value]) => [name, names.includes(name) ? await seal(value) : value]);
  return Object.fromEntries(await Promise.all(entries));
}
