import { neverDiffers } from "../contract/comparison";
import { Difference } from "../contract/definition";
import { namesWith } from "../contract/fields";
import { Operation } from "../contract/operation";
import { shortened } from "../text/printable";
import { describeDifference } from "./adoption";
import { comparisonFor, declaredIn, isEqual, recordDifferences } from "./changes";
import { objectsOf, operationOn, Resource } from "./context";
import { attempt, hintStaleConfig } from "./failure";
import { recordRefreshed } from "./ownership";
import { defined, Properties } from "./properties";
import { assertSameServer, assertStorable, wholeState } from "./recorded";
import { received, recorded } from "./references";
import { formerInputs, hidePrevious, hideRetained, withFormer } from "./state";

/** The state of a resource after a refresh, and its inputs if the engine stores them. */
type Refreshed = { state: Properties; inputs?: Properties };

/** Reads the current state. Returns undefined if the resource no longer exists. Throws {@link OperationFailed}. */
export async function refresh(resource: Resource, id: string, before: Properties): Promise<Refreshed | undefined> {
  const { definition } = resource;
  const state = wholeState(resource, "read", id, before);
  const last = withFormer(state);
  const readAgain = async (): Promise<Refreshed | undefined> => {
    const operation = operationOn(resource, last);
    assertSameServer(operation, last);
    const declared = declaredIn(last);
    const object: Properties | undefined = await definition.read({ operation, state: received(definition.fields, last), declared });
    if (!object) return undefined;
    const read = recorded(definition.fields, object, last);
    assertStorable(read);
    // A `get` manages nothing.
    if (declared.length > 0) recordRefreshed(operation, objectsOf(resource, last));
    const { [formerInputs]: _, ...visible } = state;
    // `outcomeUnknown` stays, since a write-only value cannot be read back.
    const current: Properties = { ...last, ...read, server: operation.server.id, declared };
    const hidden = last.partiallyUpdated
      ? hidePrevious(definition.fields, current, state, visible)
      : hideRetained(definition.fields, current, state, declared);
    const { outputs, inputs } = compareDeclared(resource, operation, visible, hidden);
    // After a partial update, the engine has the inputs and secret marks from before it.
    return { state: defined(outputs), ...(declared.length > 0 && !last.partiallyUpdated ? { inputs: defined(inputs) } : {}) };
  };
  return attempt(resource, "read", last, readAgain, hintStaleConfig);
}

/**
 * Prints the drift of the declared fields that Pulumi would not show. Returns the outputs, with the last spelling of equivalent values, and the inputs.
 * The engine stores new inputs in plaintext, so only those that the state lists are returned.
 */
function compareDeclared({ definition, mechanism }: Resource, operation: Operation, last: Properties, current: Properties) {
  const { fields } = definition;
  const outputs = { ...current };
  const secrets = namesWith(fields, "secret");
  const inputs: Properties = {};
  for (const field of declaredIn(last)) {
    const isSecret = secrets.includes(field);
    // The provider cannot tell whether the program removed this secret, and the engine would store its value in plaintext.
    if (isSecret && comparisonFor(fields, field).equal === neverDiffers.equal && !mechanism.canReturnSecrets) continue;
    const [before, now] = [last[field], outputs[field]];
    // Keep the last spelling of an equivalent value, so refresh shows no false diff.
    if (isEqual(fields, field, before, now)) outputs[field] = before;
    else if (isSecret) operation.run.log.info(`${operation.resource}: the secret ${field} was changed on the server`);
    else logDrift(operation, recordDifferences(fields, field, before, now));
    // Return a placeholder. If a secret input is missing from one read and present in the next, the engine stores it in plaintext.
    inputs[field] = outputs[field] ?? (isSecret ? "" : undefined);
  }
  return { outputs, inputs };
}

/** Prints the changed parts of a record, which Pulumi prints as a whole. */
function logDrift(operation: Operation, differences: readonly Difference[]): void {
  for (const line of shortened(differences.map((difference) => describeDifference(operation, difference))))
    operation.run.log.info(`${operation.resource}: changed on the server (${line})`);
}
