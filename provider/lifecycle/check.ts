import { AnyDefinition, AnyFields } from "../contract/definition";
import { CheckFailure, StewardError } from "../contract/errors";
import { comparisonOf, defaultsOf, format, inputSchema, namesWith, publicNames, secretsOf } from "../contract/fields";
import { checkFailures, issuesOf, pathOf, unknown, valueAt } from "../contract/inputs";
import { alternatives, cached, Operation, Writer } from "../contract/operation";
import { isObject, withoutNulls } from "../text/json";
import { previewAdoption } from "./adoption";
import { comparisonFor } from "./changes";
import { describe, objectsOf, operationOn, Resource, recordCheck } from "./context";
import { logNotes } from "./notes";
import { declaredTwice, forgetRefreshed, forgetUnidentifiedManager, notesOnRename, recordDeclared } from "./ownership";
import { defined, hasUnknown, Properties, secretInputs } from "./properties";
import { fingerprinted, received, resolved } from "./references";

/** The inputs of a check, and the operation on their server, if it is known and its settings are valid. */
interface Checking {
  operation?: Writer;
  /** The inputs of the last run. Empty before the first. */
  last: Properties;
  declared: Properties;
  defaults: Properties;
  /** The declared inputs with the values of references, and the defaults, as a definition receives them. */
  plain: Properties;
}

/**
 * Checks the declared inputs, fills in defaults, and normalizes them for the state. `last`: the inputs of the last run, empty before the first. Returns
 * the inputs to store and their check failures.
 */
export async function check(
  resource: Resource,
  last: Properties,
  news: Properties,
): Promise<{ inputs: Properties; failures: CheckFailure[] }> {
  const { definition, mechanism } = resource;
  const { fields } = definition;
  recordCheck(resource);
  const declared = withoutNulls(news);
  const values = resolved(fields, declared);
  const invalid = schemaFailures(resource, values);
  const isConnected = !hasUnknown(declared.connection) && !invalid.some(({ path }) => path === "connection");
  const { operation, failure } = isConnected ? connected(resource, values) : {};
  const defaults = operation ? defined(defaultsOf(fields, operation)) : {};
  const inputs: Properties = { ...defaults, ...declared };
  const checking = { operation, last, declared, defaults, plain: received(fields, { ...defaults, ...values }) };
  const failures = failure ? [failure] : [];
  try {
    for await (const each of failuresOf(resource, checking, invalid)) failures.push(each);
    if (operation && [...invalid, ...failures].every(({ warning }) => warning) && !hasUnknown(inputs))
      for await (const each of declare(resource, { ...checking, operation }, inputs)) failures.push(each);
  } catch (error) {
    failures.push(failureOf(resource, error));
  }
  const all = [...invalid, ...failures, ...endsInBlanks(fields, values)];
  const warnings = all.filter(({ warning }) => warning);
  // With an invalid name, the resource cannot be described.
  if (invalid.length === 0 && warnings.length > 0) logNotes(mechanism.log, describe(resource, inputs), warnings);
  const normalized = Object.fromEntries(
    Object.entries(inputs).map(([field, value]) => [
      field,
      hasUnknown(value) ? value : (comparisonFor(fields, field).normalize?.(value) ?? value),
    ]),
  );
  const object = `${operation?.server.id} ${format(definition.id, inputs)}`;
  return {
    inputs: fingerprinted(mechanism.log, fields, normalized, last, values, object),
    failures: all.filter(({ warning }) => !warning),
  };
}

/** The check failures of the known inputs against the schema. */
function schemaFailures({ definition }: Resource, { [secretInputs]: _, ...declared }: Properties): CheckFailure[] {
  const secrets = secretsOf(definition.fields).map(pathOf);
  const isReference = (path: readonly PropertyKey[]): boolean => secrets.includes(pathOf(path)) && isObject(valueAt(declared, path));
  const issues = issuesOf(inputSchema(definition.fields), declared)
    .filter(({ path }) => !path.some((_, depth) => valueAt(declared, path.slice(0, depth + 1)) === unknown))
    .map((issue) =>
      isReference(issue.path) ? { ...issue, message: 'must be a string, { env: "<variable>" } or { file: "<path>" }' } : issue,
    );
  return checkFailures({ issues }, declared);
}

/** The operation on the server of the inputs, or why there is none. */
function connected(resource: Resource, values: Properties): { operation?: Writer; failure?: CheckFailure } {
  try {
    return { operation: operationOn(resource, values) };
  } catch (error) {
    return { failure: failureOf(resource, error) };
  }
}

/** An error as a failure. Each resource of a connection has the same error, and Pulumi prints each. */
function failureOf({ mechanism }: Resource, error: unknown): CheckFailure {
  if (!(error instanceof StewardError)) throw error;
  const { rule, failures: causes } = error.details;
  const known = cached(mechanism.cache, ["errors of checks"], () => new Set<string>());
  const reason = known.has(error.message) ? "it has the same error as another resource of this run" : error.message;
  known.add(error.message);
  return { path: "", rule: rule ?? causes?.[0]?.rule ?? error.code, reason };
}

/** The check failures that depend on the server: secret names, the dialect and the rules. */
async function* failuresOf(
  { definition }: Resource,
  { operation, last, declared, plain }: Checking,
  invalid: readonly CheckFailure[],
): AsyncGenerator<CheckFailure> {
  if (!operation) return;
  const failures = [
    ...operation.secrets.fields.filter((field) => publicNames(definition).includes(field)).map(secretName),
    ...dialectFailures(definition, operation, declared),
  ];
  yield* failures;
  const before = received(definition.fields, last);
  const wrong = new Set([...invalid, ...failures].map(({ path }) => path.split(/[.[]/)[0]));
  for (const rule of definition.rules ?? [])
    if (!rule.fields.some((field) => hasUnknown(plain[field]) || wrong.has(field))) yield* await rule.check(plain, operation, before);
}

/** Records that the program declares the resource, and prints the notes on a create. Yields a failure for each object that another resource declares. */
async function* declare(
  resource: Resource,
  { operation, last, defaults, plain }: Checking & { operation: Writer },
  inputs: Properties,
): AsyncGenerator<CheckFailure> {
  const { definition, mechanism } = resource;
  const objects = objectsOf(resource, inputs);
  const others = recordDeclared(operation, objects, mechanism.urn);
  yield* others.map(({ object, urn }) => ({ path: "", ...declaredTwice(urn.split("::").at(-1) ?? "", object) }));
  // A replacement is checked with its last inputs first, and then as a new resource.
  if (Object.keys(last).length > 0) forgetRefreshed(operation, objectsOf(resource, { ...defaults, ...last }));
  else {
    forgetUnidentifiedManager(operation, objects);
    const name = describe(resource, inputs, operation.server.words);
    const notes = (await definition.planNotes?.({ operation, inputs: plain })) ?? [];
    logNotes(operation.run.log, name, [...notesOnRename(operation, objects), ...notes]);
    if (operation.server.previewReads) await previewAdoption(definition, { ...operation, resource: name }, plain);
  }
}

const isOneLineInBlanks = (value: unknown): boolean => typeof value === "string" && value !== value.trim() && !/[\r\n]/.test(value.trim());

/** Warnings about secrets of one line that begin or end with whitespace, as a copied line break does. */
const endsInBlanks = (fields: AnyFields, values: Properties): CheckFailure[] =>
  namesWith(fields, "secret")
    .filter((name) => !comparisonOf(fields, name).key && isOneLineInBlanks(values[name]))
    .map((path) => ({ path, rule: "blank", reason: "begins or ends with whitespace, which is sent as a part of it", warning: true }));

/** The declared fields that the dialect does not have. */
const dialectFailures = ({ fields }: AnyDefinition, { server: { dialect } }: Operation, declared: Properties): CheckFailure[] =>
  Object.keys(declared).flatMap((path) => {
    const { dialects = [dialect] } = fields[path] ?? {};
    return dialects.includes(dialect) ? [] : [{ path, rule: "dialect", reason: `requires the dialect ${alternatives(dialects)}` }];
  });

const secretName = (path: string): CheckFailure => ({
  path,
  rule: "secret-name",
  reason: "must not be a secret, since the id of the resource and messages show it (pulumi.unsecret removes the mark)",
});
