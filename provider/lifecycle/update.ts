import { ExistingObject, OutcomeUnknown } from "../contract/definition";
import { PartialState, StewardError } from "../contract/errors";
import { comparisonOf } from "../contract/fields";
import { Adopt } from "../contract/inputs";
import { newInstance, Writer } from "../contract/operation";
import { isSameSecret } from "../contract/secret";
import { adoptExisting } from "./adoption";
import { changedFields, declaredIn, isDue } from "./changes";
import { hideFields, objectsOf, operationOn, Resource } from "./context";
import { asStewardError, failure, PartialResource } from "./failure";
import { claimsOf, createObjects, recordFailure, recordWritten, registerManager, isRemoved as wasRemoved } from "./ownership";
import { defined, Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { Resolved, received, recorded, resolveForWrite } from "./references";
import { fillUnknown, formerInputs, hidePrevious, hideRetained, stored, withFormer } from "./state";

/** Writes the declared values that changed. Returns the new state. Throws {@link OperationFailed}. */
export async function update(resource: Resource, id: string, before: Properties, news: Properties): Promise<Properties> {
  const state = wholeState(resource, "update", id, before);
  const inputs = defined(news);
  let write: Write | undefined;
  try {
    write = await prepare(resource, state, inputs);
    const current = sendsNothing(resource, write) ? keep(resource, write) : await send(resource, write);
    return hideRetained(resource.definition.fields, current, state, Object.keys(inputs));
  } catch (thrown) {
    const error = asStewardError(thrown, resource, inputs);
    recordFailure(resource.mechanism);
    throw failure(resource, "update", inputs, error, write && partialUpdate(resource, { id, state }, write, error));
  }
}

/** An update that is about to be sent. */
interface Write {
  operation: Writer;
  inputs: Properties;
  secrets: Resolved;
  /** The last state, with the inputs that were removed from the program. */
  last: Properties & OutcomeUnknown;
  /** The last state without them. */
  previous: Properties;
  /** The inputs that the program declared at the last `up`. */
  declared: string[];
  changing: string[];
  /** Only the connection changes, or a secret becomes a reference or the reverse. */
  isOnlyNamed: boolean;
  isMoved: boolean;
  /** An earlier update did not finish, or `work` is due. */
  isIncomplete: boolean;
  /** This run removed an object of the resource. */
  isRemoved: boolean;
  objects: readonly string[];
  added: readonly string[];
}

/** Reads the secrets, finds the changes, and registers the resource as the manager of the objects that it keeps. */
async function prepare(resource: Resource, state: Properties, inputs: Properties): Promise<Write> {
  const { definition } = resource;
  const { fields } = definition;
  const all = withFormer(state);
  const secrets = resolveForWrite(fields, inputs, all);
  const operation: Writer = {
    ...hideFields(operationOn(resource, secrets.stored, all), state[formerInputs] ?? {}),
    instance: (state.instance as string | undefined) ?? newInstance(),
  };
  assertSameServer(operation, all);
  const { connection: _, declared: __, server, outcomeUnknown, partiallyUpdated, ...last } = received(fields, all);
  const declared = declaredIn(all);
  const previous = { ...last };
  for (const field of declared) if (!Object.hasOwn(inputs, field)) previous[field] = undefined;
  const [objects, before] = [objectsOf(resource, inputs), new Set(objectsOf(resource, last))];
  const kept = objects.filter((object) => before.has(object));
  await registerManager(operation, kept, last);
  const isRemoved = kept.some((object) => wasRemoved(operation, object));
  const isIncomplete =
    outcomeUnknown || partiallyUpdated || isDue(definition.work?.(last) ?? "none") || (last as OutcomeUnknown).unanswered?.length;
  const changing = changedFields(fields, all, inputs);
  return {
    operation,
    inputs,
    secrets,
    last: { ...last, outcomeUnknown: Boolean(outcomeUnknown) || isRemoved },
    previous,
    declared,
    changing,
    isOnlyNamed: changing.every((field) => field === "connection" || isSameSecret(comparisonOf(fields, field), all[field], inputs[field])),
    isMoved: server !== operation.server.id,
    isIncomplete: Boolean(isIncomplete),
    isRemoved,
    objects,
    added: objects.filter((object) => !before.has(object)),
  };
}

/** True if only the state changes. A new address does not repeat an operation that leaves nothing on the server. */
function sendsNothing({ definition: { objects } }: Resource, { changing, isOnlyNamed, isMoved, isIncomplete, isRemoved }: Write): boolean {
  const isOnlyMoved = !objects && isMoved && changing.every((field) => field === "connection");
  return ((changing.length > 0 && isOnlyNamed) || isOnlyMoved) && !isIncomplete && !isRemoved;
}

function keep({ definition: { fields } }: Resource, { operation, inputs, secrets, previous, changing }: Write): Properties {
  const named = Object.fromEntries(changing.map((field) => [field, inputs[field]]));
  return stored(operation, secrets.stored, recorded(fields, { ...previous, ...named }, secrets.stored));
}

async function send(
  resource: Resource,
  { operation, inputs, secrets, last, previous, declared, objects, added }: Write,
): Promise<Properties> {
  const { definition } = resource;
  const request = {
    operation,
    inputs: secrets.inputs,
    state: previous,
    last,
    declared,
    claims: claimsOf(operation, definition),
    adopt: (existing: ExistingObject<unknown>) => adoptExisting(operation, inputs.adopt as Adopt | undefined, existing),
  };
  const written = await createObjects(resource, operation, added, inputs, () => definition.update(request));
  const current = stored(operation, secrets.stored, recorded(definition.fields, written, secrets.stored));
  recordWritten(operation, objects, current);
  return current;
}

/** The resource to store after an update that failed, if the server may have other values than the state. */
function partialUpdate(
  { definition }: Resource,
  { id, state }: { id: string; state: Properties },
  { operation, inputs, secrets, isRemoved: mustRewrite }: Write,
  error: StewardError,
): PartialResource | undefined {
  const partial = (properties: Properties): PartialResource => ({
    id,
    properties: hidePrevious(definition.fields, { ...fillUnknown(properties, inputs), partiallyUpdated: true }, state, inputs),
  });
  const toRecord = (properties: Properties): Properties => recorded(definition.fields, properties, secrets.stored);
  if (error instanceof PartialState) return partial(stored(operation, secrets.stored, toRecord(error.state as Properties)));
  return error.details.outcomeUnknown || mustRewrite
    ? partial({ ...toRecord(received(definition.fields, withFormer(state))), outcomeUnknown: true, instance: operation.instance })
    : undefined;
}
