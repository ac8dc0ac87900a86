import { AnyDefinition, Difference, ExistingObject } from "../contract/definition";
import { rejectedValues, StewardError } from "../contract/errors";
import { differencesOf, namesWith } from "../contract/fields";
import { Adopt } from "../contract/inputs";
import { cached, Operation, Writer } from "../contract/operation";
import { redact } from "../http/redaction";
import { shortened } from "../text/printable";
import { claimsOf, renamedHint } from "./ownership";
import { Properties } from "./properties";

// A create of an object that already exists. It fails, or adopts the object and prints the changes. A create reads the existing object first. With
// `previewReads` its check reads as well, so that a preview can report the object.

const longest = 200;

/** The input in a path: `roles` in `roles.web.policies`. */
const inputOf = (path: string): string => path.split(/[.[]/, 1)[0] as string;

function printed(value: unknown, secrets: readonly string[]): string {
  const text = value === undefined ? "nothing" : redact(JSON.stringify(value), secrets);
  return text.length > longest ? `${text.slice(0, longest / 2)}…${text.slice(-longest / 2)}` : text;
}

/** The change of a secret. */
export const hiddenChange = "[secret] -> [secret]";

/** `roles.web.policies: ["a"] -> ["b"]`. */
export function describeDifference({ secrets }: Operation, { path, from, to }: Difference): string {
  if (secrets.fields.includes(inputOf(path))) return `${path}: ${hiddenChange}`;
  return `${path}: ${printed(from, secrets.values)} -> ${printed(to, secrets.values)}`;
}

/** Prints the values that an adoption overwrites, or `otherwise`. Each line is printed once in a run: the check of a create may have printed it. */
function logAdoption(operation: Operation, { differences = [], unreadable = [] }: ExistingObject<unknown>, otherwise: string[] = []): void {
  const changes = [
    ...differences.map((difference) => `changes ${describeDifference(operation, difference)}`),
    ...(unreadable.length > 0 ? [`overwrites ${unreadable.join(", ")}, which the server does not return`] : []),
  ];
  const logged = cached(operation.run.cache, ["lines about adoptions"], () => new Set<string>());
  for (const change of changes.length > 0 ? changes : otherwise) {
    const line = `${operation.resource}: adoption ${change}.`;
    if (!logged.has(line)) operation.run.log.info(line);
    logged.add(line);
  }
}

/** The reason why the object may not be adopted. `adopt` does not apply to one that a create always adopts, or to a field that joins. `isNew`: the resource is being created, perhaps under a new name. */
function refusalOf(
  operation: Operation,
  adopt: Adopt | undefined,
  { differences = [], unreadable = [], refusal }: ExistingObject<unknown>,
  isNew: boolean,
): StewardError | undefined {
  if (!refusal) return undefined;
  if (!adopt) {
    const { reason, remedy } = refusal;
    const hint = isNew ? `${renamedHint} Otherwise ${remedy}` : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`;
    return new StewardError({ code: "ERR_ALREADY_EXISTS", rule: "exists", reason, hint });
  }
  if (adopt !== "unchanged" || differences.length === 0) return undefined;
  const listed = shortened(differences.map((difference) => describeDifference(operation, difference)));
  const unseen = unreadable.length > 0 ? `; the server does not return ${unreadable.join(", ")}, so these were not compared` : "";
  return new StewardError({
    code: "ERR_ALREADY_EXISTS",
    rule: "differs",
    reason: `it exists, and adopting it would change ${listed.join("; ")}${unseen}`,
    hint: "Declare the existing values, or set adopt: true to overwrite them.",
  });
}

/** Throws if the object may not be adopted, else prints the changes. Called before the first write. */
export function adoptExisting(operation: Operation, adopt: Adopt | undefined, existing: ExistingObject<unknown>, isNew = false): void {
  const refusal = refusalOf(operation, adopt, existing, isNew);
  if (refusal) throw refusal;
  logAdoption(operation, existing);
}

type Existing = ExistingObject<Properties> | undefined;
type Adopting = Pick<AnyDefinition, "find" | "fields" | "objects">;

/** Finds the existing object, and compares it with the inputs unless the definition did. */
async function find(definition: Adopting, operation: Writer, inputs: Properties): Promise<Existing> {
  const existing: Existing = await definition.find?.({ operation, inputs, claims: claimsOf(operation, definition) });
  if (!existing?.state || existing.differences) return existing;
  const { state } = existing;
  const outputs = namesWith(definition.fields, "output").filter((field) => inputs[field] !== undefined);
  const unreadable = outputs.filter((field) => state[field] === undefined);
  const readable = outputs.filter((field) => !unreadable.includes(field));
  return { unreadable, ...existing, differences: differencesOf(definition.fields, readable, state, inputs) };
}

/** Prints what a create would find. An error is only a warning: a preview may have no credentials, and the mount may not exist yet. */
export async function previewAdoption(definition: Adopting, operation: Writer, inputs: Properties): Promise<void> {
  try {
    const existing = await find(definition, operation, inputs);
    if (!existing) return;
    const refusal = refusalOf(operation, inputs.adopt as Adopt | undefined, existing, true);
    if (refusal) operation.run.log.warn(`${operation.resource}: \`pulumi up\` will fail to create it. ${refusal.message}`);
    logAdoption(operation, existing, ["changes nothing"]);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const effect = error.details.rule === rejectedValues ? "`pulumi up` will fail to create it. " : "";
    operation.run.log.warn(`${operation.resource}: ${effect}${error.message}`);
  }
}

/**
 * Returns the object that a create adopts. Throws if it may not adopt it, and prints the changes unless the check did. It reads the object again, since it
 * may have changed after the check.
 */
export async function findAndAdopt(definition: Adopting, operation: Writer, inputs: Properties): Promise<Existing> {
  const existing = await find(definition, operation, inputs);
  if (existing) adoptExisting(operation, inputs.adopt as Adopt | undefined, existing, true);
  return existing;
}
