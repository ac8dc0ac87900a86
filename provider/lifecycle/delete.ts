import { connectionOf, objectsOf, Resource } from "./context";
import { asStewardError, failure, hintStaleConfig } from "./failure";
import { Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { keepDeleted, withFormer } from "./state";

/** Deletes the object, unless another resource manages it. Throws {@link OperationFailed}. */
export async function remove(resource: Resource, id: string, recorded: Properties): Promise<void> {
  const { definition } = resource;
  const whole = wholeState(resource, "delete", id, recorded);
  if (!definition.delete) return;
  const state = withFormer(whole);
  try {
    const connection = connectionOf(resource, state);
    assertSameServer(connection, state);
    await definition.delete({ connection, state });
    keepDeleted(connection, objectsOf(resource, state), whole);
  } catch (error) {
    throw failure(resource, "delete", whole, hintStaleConfig(asStewardError(error, resource, whole)));
  }
}
