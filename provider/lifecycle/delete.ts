import { objectsOf, operationOn, Resource } from "./context";
import { attempt, hintStaleConfig } from "./failure";
import { Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { resolved } from "./references";
import { keepDeleted, withFormer } from "./state";

/** Deletes the object, unless another resource manages it. Throws {@link OperationFailed}. */
export async function remove(resource: Resource, id: string, recorded: Properties): Promise<void> {
  const { definition } = resource;
  const whole = wholeState(resource, "delete", id, recorded);
  if (!definition.delete) return;
  const state = withFormer(whole);
  const deleteObjects = async (): Promise<void> => {
    // A reference is read only to redact its value in messages.
    const operation = operationOn(resource, state, resolved(definition.fields, state));
    assertSameServer(operation, state);
    await definition.delete?.({ operation, state });
    keepDeleted(operation, objectsOf(resource, state), whole);
  };
  await attempt(resource, "delete", whole, deleteObjects, hintStaleConfig);
}
