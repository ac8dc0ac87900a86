import { ExistingObject, OutcomeUnknown } from "../contract/definition";
import { PartialState, StewardError } from "../contract/errors";
import { Adopt } from "../contract/inputs";
import { newInstance, Writer } from "../contract/operation";
import { isSameSecret } from "../contract/secret";
import { adoptExisting } from "./adoption";
import { changedFields, declaredIn, isDue } from "./changes";
import { hideFields, objectsOf, operationOn, Resource } from "./context";
import { asStewardError, failure, PartialResource } from "./failure";
import { claimsOf, createObjects, isRemoved, recordFailure, recordWritten, registerManager } from "./ownership";
import { defined, Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { exposed, Resolved, resolveForWrite } from "./references";
import { fillUnknown, formerInputs, hidePrevious, hideRetained, stored, withFormer } from "./state";

/** Writes the declared values that changed. Returns the new state. Throws {@link OperationFailed}. */
export async function update(resource: Resource, id: string, recorded: Properties, news: Properties): Promise<Properties> {
  const state = wholeState(resource, "update", id, recorded);
  const inputs = defined(news);
  const progress: Progress = { instance: (state.instance as string | undefined) ?? newInstance(), isRemoved: false };
  try {
    const current = await write(resource, state, inputs, progress);
    return hideRetained(resource.definition.fields, current, state, Object.keys(inputs));
  } catch (thrown) {
    const error = asStewardError(thrown, resource, inputs);
    recordFailure(resource.mechanism);
    throw failure(resource, "update", inputs, error, partialUpdate(resource, { id, state, inputs }, progress, error));
  }
}

/** The progress of an update, from which its failure continues. */
interface Progress {
  instance: string;
  operation?: Writer;
  /** This run removed an object of the resource. */
  isRemoved: boolean;
  secrets?: Resolved;
}

async function write(resource: Resource, state: Properties, inputs: Properties, progress: Progress): Promise<Properties> {
  const { definition } = resource;
  const { fields } = definition;
  const all = withFormer(state);
  const secrets = resolveForWrite(fields, inputs, all);
  const operation: Writer = {
    ...hideFields(operationOn(resource, secrets.inputs, all), state[formerInputs] ?? {}),
    instance: progress.instance,
  };
  Object.assign(progress, { operation, secrets });
  assertSameServer(operation, all);
  const { connection: _, declared, server, outcomeUnknown, partiallyUpdated, ...last } = exposed(fields, all, inputs, secrets.inputs);
  const previous = { ...last };
  for (const field of declaredIn(all)) if (!Object.hasOwn(inputs, field)) previous[field] = undefined;
  const [objects, before] = [objectsOf(resource, inputs), new Set(objectsOf(resource, last))];
  const kept = objects.filter((object) => before.has(object));
  await registerManager(operation, kept, last);
  progress.isRemoved = kept.some((object) => isRemoved(operation, object));
  const changing = changedFields(fields, all, inputs);
  // A secret that only becomes a reference, or the reverse, is not sent.
  const isOnlyNamed = (field: string): boolean => field === "connection" || isSameSecret(fields, field, all[field], inputs[field]);
  const isRenamed = changing.length > 0 && changing.every(isOnlyNamed);
  // A new address does not repeat an operation that leaves nothing on the server.
  const isMoved = !definition.objects && server !== operation.server.id && changing.every((field) => field === "connection");
  const isIncomplete =
    outcomeUnknown || partiallyUpdated || isDue(definition.work?.(all) ?? "none") || (last as OutcomeUnknown).unanswered?.length;
  if ((isRenamed || isMoved) && !isIncomplete && !progress.isRemoved) {
    for (const field of changing) previous[field] = inputs[field];
    return stored(operation, secrets.stored, secrets.conceal(previous));
  }
  const request = {
    operation,
    inputs: secrets.inputs,
    state: previous,
    last: { ...last, outcomeUnknown: Boolean(outcomeUnknown) || progress.isRemoved },
    declared: declaredIn(all),
    claims: claimsOf(operation, definition),
    adopt: (existing: ExistingObject<unknown>) => adoptExisting(operation, inputs.adopt as Adopt | undefined, existing),
  };
  const added = objects.filter((object) => !before.has(object));
  const written = await createObjects(resource, operation, added, inputs, () => definition.update(request));
  const current = stored(operation, secrets.stored, secrets.conceal(written));
  recordWritten(operation, objects, current);
  return current;
}

/** The resource to store after an update that failed, if the server may have other values than the state. */
function partialUpdate(
  { definition }: Resource,
  { id, state, inputs }: { id: string; state: Properties; inputs: Properties },
  { operation, instance, isRemoved: mustRewrite, secrets }: Progress,
  error: StewardError,
): PartialResource | undefined {
  const keep = (properties: Properties): PartialResource => ({
    id,
    properties: hidePrevious(definition.fields, { ...fillUnknown(properties, inputs), partiallyUpdated: true }, state, inputs),
  });
  if (error instanceof PartialState && operation && secrets)
    return keep(stored(operation, secrets.stored, secrets.conceal(error.state as Properties)));
  return error.details.outcomeUnknown || mustRewrite
    ? keep({ ...(secrets?.conceal(withFormer(state)) ?? withFormer(state)), outcomeUnknown: true, instance })
    : undefined;
}
