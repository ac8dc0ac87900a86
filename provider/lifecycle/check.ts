import { ConfigurationSources, Operation } from "../connection";
import { AnyDefinition, Difference, PlanNote } from "../definition";
import { CheckFailure, StewardError } from "../errors";
import { defaultsOf, inputSchema, publicNames } from "../fields";
import { checkFailures, issuesOf, valueAt } from "../inputs";
import { shortened } from "../text/printable";
import { described } from "./adoption";
import { Changes } from "./changes";
import { lookAhead } from "./existing";
import { recordDeclared, recordNew } from "./ownership";
import { defined, hasUnknown, Properties, secretInputs, unknown, withoutNulls } from "./properties";
import { ResourceContext } from "./resource-context";

// Checks the declared inputs, fills in defaults, and normalizes them for the state.

export const atPath = (path: string, reason: string): string => (path ? `${path}: ${reason}` : reason);

export function warn({ log }: Pick<ConfigurationSources, "log">, resource: string, findings: readonly CheckFailure[]): void {
  for (const { path, reason } of findings) log.warn(`${resource}: ${atPath(path, reason)}`);
}

export function logNotes({ log }: Pick<ConfigurationSources, "log">, resource: string, notes: readonly PlanNote[]): void {
  for (const { path, text, isInformation } of notes) log[isInformation ? "info" : "warn"](`${resource}: ${atPath(path, text)}`);
}

/** Names the changed parts of a record, which Pulumi prints as a whole. */
export function logDrift(operation: Operation, differences: readonly Difference[]): void {
  for (const line of shortened(differences.map((difference) => described(operation, difference))))
    operation.run.log.info(`${operation.resource}: changed on the server (${line})`);
}

const secretName = (path: string): CheckFailure => ({
  path,
  rule: "secret-name",
  reason: "must not be a secret, since the id of the resource and messages show it (pulumi.unsecret removes the mark)",
});

const declaredTwice = ({ object, urn }: { object: string; urn: string }): CheckFailure => ({
  path: "",
  rule: "declared-twice",
  reason: `the resource "${urn.split("::").at(-1)}" of this program declares the same object, ${object}: declare each object once`,
});

/** The check failures of the known inputs against the schema. */
function schemaFindings(definition: AnyDefinition, inputs: Properties): CheckFailure[] {
  const issues = issuesOf(inputSchema(definition.fields), inputs).filter(
    ({ path }) => !path.some((_, depth) => valueAt(inputs, path.slice(0, depth + 1)) === unknown),
  );
  return checkFailures({ issues }, inputs);
}

/** Returns the inputs to store and their check failures. */
export async function check(
  definition: AnyDefinition,
  { describe, secretsIn, leftOut, connectionOf, recordCheck, log, urn }: ResourceContext,
  { comparison }: Changes,
  { last, news }: { last: Properties; news: Properties },
): Promise<{ inputs: Properties; findings: CheckFailure[] }> {
  recordCheck();
  const given = withoutNulls(news);
  const { [secretInputs]: _, ...declared } = given;
  const findings = schemaFindings(definition, declared);
  const isWellFormed = findings.length === 0;
  let inputs = given;
  if (!hasUnknown(given.connection) && !findings.some(({ path }) => path === "connection")) {
    try {
      const operation = connectionOf(given);
      inputs = { ...defined(defaultsOf(definition.fields, operation)), ...given };
      findings.push(...operation.secrets.fields.filter((field) => publicNames(definition).includes(field)).map(secretName));
      const invalid = new Set(findings.map(({ path }) => path.split(/[.[]/)[0]));
      for (const rule of definition.rules ?? [])
        if (!rule.fields.some((field) => hasUnknown(inputs[field]) || invalid.has(field)))
          findings.push(...(await rule.check(inputs, operation, last)));
      const isCreation = Object.keys(last).length === 0;
      if (findings.every(({ warning }) => warning) && !hasUnknown(inputs)) {
        const objects = definition.objects?.paths(inputs) ?? [];
        findings.push(...recordDeclared(operation, objects, urn?.()).map(declaredTwice));
        if (isCreation) recordNew(operation, objects);
        if (isCreation) logNotes(operation, describe(inputs), (await definition.planNotes?.({ operation, inputs })) ?? []);
        if (isCreation && operation.server.previewReads) await lookAhead(definition, { ...operation, resource: describe(inputs) }, inputs);
      }
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      const { rule, failures } = error.details;
      findings.push({ path: "", rule: rule ?? failures?.[0]?.rule ?? error.code, reason: error.message });
    }
  }
  // With an invalid name, the resource cannot be described.
  if (isWellFormed)
    warn(
      { log },
      describe(inputs),
      findings.filter(({ warning }) => warning),
    );
  const normalized = Object.fromEntries(
    Object.entries(inputs).map(([field, value]) => [field, hasUnknown(value) ? value : (comparison(field).normalize?.(value) ?? value)]),
  );
  const passedOn = new Set(secretsIn(normalized));
  for (const secret of secretsIn(inputs)) if (!passedOn.has(secret)) leftOut().add(secret);
  return { inputs: normalized, findings: findings.filter(({ warning }) => !warning) };
}
