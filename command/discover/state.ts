import { CheckFailure, invalidInput } from "../../provider/contract/errors";
import { namesWith } from "../../provider/contract/fields";
import { secretSignature, signatureKey } from "../../provider/contract/inputs";
import { isReference } from "../../provider/contract/secret";
import { check } from "../../provider/lifecycle/check";
import { Resource } from "../../provider/lifecycle/context";
import { encryptedNames, toStored } from "../../provider/lifecycle/hidden";
import { importObject, readById } from "../../provider/lifecycle/import";
import { defined, Properties } from "../../provider/lifecycle/properties";
import { assertStorable } from "../../provider/lifecycle/recorded";
import { hasMask } from "../../provider/platform/settings/mask";
import { dynamicType, providerText } from "../../provider/program/dynamic";
import { Log } from "../../provider/text/log";
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
  /** The values that a program cannot declare. */
  rejected: readonly CheckFailure[];
}

/** The variables of the references are not yet set. */
const silent: Log = { info: () => {}, warn: () => {} };

/** The secrets that the server shows and that the program declares. */
export const declaredSecrets = ({ readable, inputs }: Imported): string[] => readable.filter((name) => inputs[name] !== undefined);

/** Reads an object, unless the search has. Secrets that the server shows are left out, unless `withSecrets`. */
export async function readFound(source: Found, resource: Resource, connection: string, withSecrets: boolean): Promise<Imported> {
  const { definition, discovered, id } = source;
  const args = connection === "default" ? {} : { connection };
  const object: Properties = { ...(discovered.isRead ? discovered.state : await readById(resource, id, args)) };
  const readable = namesWith(definition.fields, "secret").filter((name) => object[name]);
  for (const name of readable) if (!withSecrets || hasMask(object[name])) object[name] = undefined;
  if (discovered.isRead) assertStorable(object);
  for (const [name, env] of Object.entries(discovered.unreadable ?? {})) object[name] = { env };
  const imported = importObject(resource, id, args, object);
  // Pulumi also checks the inputs of the file against themselves.
  const { failures: rejected } = await check(
    { definition, mechanism: { ...resource.mechanism, log: silent } },
    imported.inputs,
    imported.inputs,
  );
  if (rejected.length === 0) return { ...source, readable, rejected, ...imported };
  // Settings keep each value that the program does not declare. Any other object is written as a whole.
  if (!definition.fields.managed) throw invalidInput(rejected);
  const declarable = { ...object, ...without(imported.inputs, rejected) };
  const { inputs, state } = importObject(resource, id, args, declarable);
  const outputs = Object.entries(object).filter(
    ([name]) => namesWith(definition.fields, "output").includes(name) && !readable.includes(name),
  );
  return { ...source, readable, rejected, inputs, state: defined({ ...Object.fromEntries(outputs), ...state }) };
}

/** The inputs with undefined instead of each rejected one. */
const without = (inputs: Properties, rejected: readonly CheckFailure[]): Properties => ({
  ...inputs,
  ...Object.fromEntries(rejected.map(({ path }) => [path, undefined])),
});

/** Encrypts a string with the secrets provider of the stack. */
export type Encrypt = (text: string) => Promise<string>;

/**
 * The entry of the import file. Each output that can be secret is a secret in it, even without a value. Otherwise a refresh before the first `pulumi up`
 * would store a new value in plaintext.
 */
export async function entryOf(imported: Imported, encrypt: Encrypt): Promise<ImportEntry> {
  const { definition, name, id, inputs, state } = imported;
  const { fields, token } = definition;
  const __provider = providerText(token);
  const secrets = namesWith(fields, "secret");
  const secretOutputs = [...secrets, ...encryptedNames(fields)];
  const empty = Object.fromEntries(secretOutputs.map((output) => [output, null]));
  const cipher = declaredSecrets(imported).length > 0 ? encrypt : undefined;
  return {
    type: dynamicType(token),
    name,
    id,
    inputs: { ...(await sealed(inputs, secrets, cipher)), __provider },
    outputs: { ...(await sealed({ ...empty, ...toStored(fields, state) }, secretOutputs, cipher)), __provider },
  };
}

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
