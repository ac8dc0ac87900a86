import { AnyDefinition, AnyFields } from "../contract/definition";
import { CheckFailure, StewardError } from "../contract/errors";
import { comparisonOf, defaultsOf, format, inputSchema, namesWith, publicNames, secretsOf } from "../contract/fields";
import { checkFailures, issuesOf, pathOf, unknown, valueAt } from "../contract/inputs";
import { cached, Operation } from "../contract/operation";
import { isObject, withoutNulls } from "../text/json";
import { previewAdoption } from "./adoption";
import { comparisonFor } from "./changes";
import { alternatives, describe, objectsOf, operationOn, Resource, recordCheck } from "./context";
import { logNotes } from "./notes";
import { declaredTwice, forgetRefreshed, forgetUnidentifiedManager, notesOnRename, recordDeclared } from "./ownership";
import { defined, hasUnknown, Properties, secretInputs } from "./properties";
import { fingerprinted, resolved } from "./references";

/** The inputs to store and their check failures. */
type Checked = { inputs: Properties; failures: CheckFailure[]; server?: string };

/**
 * Checks the declared inputs, fills in defaults, and normalizes them for the state. `last`: the inputs of the last run, empty before the first. Returns
 * the inputs to store and their check failures.
 */
export async function check(resource: Resource, last: Properties, news: Properties): Promise<Checked> {
  const { fields } = resource.definition;
  recordCheck(resource);
  const declared = withoutNulls(news);
  const values = resolved(fields, declared);
  const invalid = schemaFailures(resource, values);
  const isConnected = !hasUnknown(declared.connection) && !invalid.some(({ path }) => path === "connection");
  const { inputs, failures, server } = isConnected
    ? await checkConnected(resource, last, declared, values, invalid)
    : { inputs: declared, failures: [], server: undefined };
  const all = [...invalid, ...failures, ...endsInBlanks(fields, values)];
  const warnings = all.filter(({ warning }) => warning);
  // With an invalid name, the resource cannot be described.
  if (invalid.length === 0 && warnings.length > 0) logNotes(resource.mechanism.log, describe(resource, inputs), warnings);
  const normalized = Object.fromEntries(
    Object.entries(inputs).map(([field, value]) => [
      field,
      hasUnknown(value) ? value : (comparisonFor(fields, field).normalize?.(value) ?? value),
    ]),
  );
  return {
    inputs: fingerprinted(resource.mechanism.log, fields, normalized, last, values, `${server} ${format(resource.definition.id, inputs)}`),
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

/** Checks what depends on the connection: the defaults, the rules, and the other resources of the program. */
async function checkConnected(
  resource: Resource,
  last: Properties,
  declared: Properties,
  values: Properties,
  invalid: readonly CheckFailure[],
): Promise<Checked> {
  const { definition } = resource;
  let inputs = declared;
  let server: string | undefined;
  const failures: CheckFailure[] = [];
  try {
    const operation = operationOn(resource, values);
    server = operation.server.id;
    const defaults = defined(defaultsOf(definition.fields, operation));
    inputs = { ...defaults, ...declared };
    const plain: Properties = { ...defaults, ...values };
    failures.push(...operation.secrets.fields.filter((field) => publicNames(definition).includes(field)).map(secretName));
    failures.push(...dialectFailures(definition, operation, declared));
    const wrong = new Set([...invalid, ...failures].map(({ path }) => path.split(/[.[]/)[0]));
    for (const rule of definition.rules ?? [])
      if (!rule.fields.some((field) => hasUnknown(plain[field]) || wrong.has(field)))
        failures.push(...(await rule.check(plain, operation, last)));
    const isValid = invalid.length === 0 && failures.every(({ warning }) => warning);
    if (isValid && !hasUnknown(inputs)) {
      const objects = objectsOf(resource, inputs);
      const others = recordDeclared(operation, objects, resource.mechanism.urn);
      failures.push(...others.map(({ object, urn }) => ({ path: "", ...declaredTwice(urn.split("::").at(-1) ?? "", object) })));
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
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const { rule, failures: causes } = error.details;
    // Each resource of a connection has the same error, and Pulumi prints each.
    const known = cached(resource.mechanism.cache, ["errors of checks"], () => new Set<string>());
    const reason = known.has(error.message) ? "it has the same error as another resource of this run" : error.message;
    known.add(error.message);
    failures.push({ path: "", rule: rule ?? causes?.[0]?.rule ?? error.code, reason });
  }
  return { inputs, failures, server };
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
