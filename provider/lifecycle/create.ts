import { PartialState, StewardError } from "../contract/errors";
import { format } from "../contract/fields";
import { newInstance, Writer } from "../contract/operation";
import { findAndAdopt } from "./adoption";
import { hideFields, objectsOf, operationOn, Resource } from "./context";
import { asStewardError, failure, PartialResource } from "./failure";
import { claimsOf, createObjects, recordFailure, recordWritten } from "./ownership";
import { defined, Properties } from "./properties";
import { recorded, resolveForWrite } from "./references";
import { deletedState, fillUnknown, formerValues, hideRetained, stored } from "./state";

/** Creates the object, or adopts an existing one. Throws {@link OperationFailed}. */
export async function create(resource: Resource, news: Properties): Promise<{ id: string; state: Properties }> {
  const { definition } = resource;
  let inputs = defined(news);
  let operation: Writer | undefined;
  try {
    const objects = objectsOf(resource, inputs);
    const secrets = resolveForWrite(definition.fields, inputs);
    inputs = secrets.stored;
    operation = { ...operationOn(resource, inputs), instance: newInstance() };
    const former = deletedState(operation, objects);
    const writer = hideFields(operation, formerValues(former));
    const created: Properties = await createObjects(resource, writer, objects, inputs, async () => {
      const existing = await findAndAdopt(definition, writer, secrets.inputs);
      return definition.create({ operation: writer, inputs: secrets.inputs, existing, claims: claimsOf(writer, definition) });
    });
    const state = stored(operation, inputs, recorded(definition.fields, created, inputs));
    recordWritten(operation, objects, state);
    return { id: format(definition.id, inputs, created), state: hideRetained(definition.fields, state, former, Object.keys(inputs)) };
  } catch (thrown) {
    const error = asStewardError(thrown, resource, inputs);
    recordFailure(resource.mechanism);
    throw failure(resource, "create", inputs, error, operation && partialCreate(resource, operation, inputs, error));
  }
}

/** The resource to store after a create that failed, if the server may have it. */
function partialCreate({ definition }: Resource, operation: Writer, inputs: Properties, error: StewardError): PartialResource | undefined {
  const id = format(definition.id, inputs);
  if (error instanceof PartialState) {
    const state = recorded(definition.fields, error.state as Properties, inputs);
    return { id, properties: fillUnknown(stored(operation, inputs, state), inputs) };
  }
  return error.details.outcomeUnknown ? { id, properties: stored(operation, inputs, { outcomeUnknown: true }) } : undefined;
}
