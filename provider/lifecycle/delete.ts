import { objectsOf, operationOn, Resource } from "./context";
import { attempt, hintStaleConfig } from "./failure";
import { claimsOf } from "./ownership";
import { Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { received } from "./references";
import { keepDeleted, withFormer } from "./state";

/** Deletes the object, unless another resource manages it. Throws {@link OperationFailed}. */
export async function remove(resource: Resource, id: string, recorded: Properties): Promise<void> {
  const { definition } = resource;
  const whole = wholeState(resource, "delete", id, recorded);
  const { objects } = definition;
  if (!objects) return;
  const state = withFormer(whole);
  const deleteObjects = async (): Promise<void> => {
    const operation = operationOn(resource, state);
    assertSameServer(operation, state);
    const last = received(definition.fields, state);
    if (objects.isRemoved?.(last) ?? true) await objects.remove({ operation, state: last }, claimsOf(operation, definition));
    keepDeleted(operation, objectsOf(resource, state), whole);
  };
  await attempt(resource, "delete", whole, deleteObjects, hintStaleConfig);
}
