import { z } from "zod";
import { Comparison, neverDiffers } from "../contract/comparison";
import { AnyDefinition, AnyFields, Difference, ExistingObject } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { comparisonOf, namesWith } from "../contract/fields";
import { bool, Schema, valueAt } from "../contract/inputs";
import { cached, Operation } from "../contract/operation";
import { redact } from "../http/redaction";
import { shortened } from "../text/printable";
import { Properties } from "./properties";

// A create of an object that already exists. It fails, or adopts the object and prints the changes. A create reads the existing object first. With
// `previewReads` its check reads as well, so that a preview can report the object.

/** The handling of an object that already exists on create: true overwrites it, "unchanged" fails if it differs, and false always fails. */
export type Adopt = boolean | "unchanged";

/** The input `adopt`. */
export const adoptField: { input: Schema<Adopt>; compare: Comparison } = {
  input: z.union([bool, z.literal("unchanged")], 'must be true, false or "unchanged"'),
  compare: neverDiffers,
};

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

/** The reason why the object may not be adopted. */
function refusalOf(operation: Operation, adopt: Adopt | undefined, existing: ExistingObject<unknown>): StewardError | undefined {
  const { differences = [], unreadable = [], reason, hint, refusal } = existing;
  if (refusal) return refusal;
  if (!adopt && reason) return new StewardError({ code: "ERR_ALREADY_EXISTS", rule: "exists", reason, hint });
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
export function adoptExisting(operation: Operation, adopt: Adopt | undefined, existing: ExistingObject<unknown> | undefined): void {
  if (!existing) return;
  const refusal = refusalOf(operation, adopt, existing);
  if (refusal) throw refusal;
  logAdoption(operation, existing);
}

/** Prints the values that an update overwrites in fields that the program did not declare before. Called before the write. */
export const adoptFields = (operation: Operation, declared: readonly string[], differences: readonly Difference[]): void =>
  logAdoption(operation, { differences: differences.filter(({ path }) => !declared.includes(path)) });

/** The fields with these names that differ. */
export const differencesOf = (fields: AnyFields, names: readonly string[], from: object, to: object): Difference[] =>
  names.flatMap((path) => {
    const { equal, normalize } = comparisonOf(fields, path);
    const [before, after] = [valueAt(from, [path]), valueAt(to, [path])];
    return equal(before, after) ? [] : [{ path, from: before, to: normalize?.(after) ?? after }];
  });

type Existing = ExistingObject<Properties> | undefined;
type Adopting = Pick<AnyDefinition, "find" | "fields">;

/** Finds the existing object, and compares it with the inputs unless the definition did. */
async function find(definition: Adopting, operation: Operation, inputs: Properties): Promise<Existing> {
  const existing: Existing = await definition.find?.({ operation, inputs });
  if (!existing?.state || existing.differences) return existing;
  const { state } = existing;
  const outputs = namesWith(definition.fields, "output").filter((field) => inputs[field] !== undefined);
  const unreadable = outputs.filter((field) => state[field] === undefined);
  const readable = outputs.filter((field) => !unreadable.includes(field));
  return { unreadable, ...existing, differences: differencesOf(definition.fields, readable, state, inputs) };
}

/** Prints what a create would find. An error is only a warning: a preview may have no credentials, and the mount may not exist yet. */
export async function previewAdoption(definition: Adopting, operation: Operation, inputs: Properties): Promise<void> {
  try {
    const existing = await find(definition, operation, inputs);
    if (!existing) return;
    const refusal = refusalOf(operation, inputs.adopt as Adopt | undefined, existing);
    if (refusal) operation.run.log.warn(`${operation.resource}: \`pulumi up\` will fail to create it. ${refusal.message}`);
    logAdoption(operation, existing, ["changes nothing"]);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    operation.run.log.warn(`${operation.resource}: ${error.message}`);
  }
}

/**
 * Returns the object that a create adopts. Throws if it may not adopt it, and prints the changes unless the check did. It reads the object again, since it
 * may have changed after the check.
 */
export async function findAndAdopt(definition: Adopting, operation: Operation, inputs: Properties): Promise<Existing> {
  const existing = await find(definition, operation, inputs);
  adoptExisting(operation, inputs.adopt as Adopt | undefined, existing);
  return existing;
}
