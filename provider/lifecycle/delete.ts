import { objectsOf, operationOn, Resource } from "./context";
import { attempt, hintStaleConfig } from "./failure";
import { claimsOf } from "./ownership";
import { Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { resolved } from "./references";
import { keepDeleted, withFormer } from "./state";

/** Deletes the object, unless another resource manages it. Throws {@link OperationFailed}. */
export async function remove(resource: Resource, id: string, recorded: Properties): Promise<void> {
  const { definition } = resource;
  const whole = wholeState(resource, "delete", id, recorded);
  const { objects } = definition;
  if (!objects) return;
  const state = withFormer(whole);
  const deleteObjects = async (): Promise<void> => {
    // A reference is read only to redact its value in messages.
    const operation = operationOn(resource, state, resolved(definition.fields, state));
    assertSameServer(operation, state);
    if (objects.isRemoved?.(state) ?? true) await objects.remove({ operation, state }, claimsOf(operation, definition));
    keepDeleted(operation, objectsOf(resource, state), whole);
  };
  await attempt(resource, "delete", whole, deleteObjects, hintStaleConfig);
}
