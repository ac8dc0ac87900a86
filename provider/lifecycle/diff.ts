import { Operation } from "../contract/operation";
import { hiddenChange } from "./adoption";
import { changedFields, declaredIn, isDue } from "./changes";
import { describe, isChecked, objectsOf, operationOn, Resource } from "./context";
import { attempt } from "./failure";
import { logNotes } from "./notes";
import { areDeclared, isRemoved, registerManager } from "./ownership";
import { defined, hasUnknown, Properties } from "./properties";
import { assertSameServer, wholeState } from "./recorded";
import { received, resolveForWrite } from "./references";
import { withFormer } from "./state";

/** The effect of an update. */
export interface DiffResult {
  changes: boolean;
  /** The fields whose declared values differ from the state; `field.key` for a key of a per-key field. */
  changing: string[];
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** Compares the declared inputs with the state. Throws {@link OperationFailed}. */
export async function diff(resource: Resource, id: string, recorded: Properties, news: Properties): Promise<DiffResult> {
  const state = withFormer(wholeState(resource, "update", id, recorded));
  return attempt(resource, "update", state, () => compare(resource, state, defined(news)));
}

async function compare(resource: Resource, state: Properties, inputs: Properties): Promise<DiffResult> {
  const { definition } = resource;
  const { fields, deleteBeforeReplace = false } = definition;
  const changing = changedFields(fields, state, inputs);
  const replaces = changing.filter((field) => fields[field]?.replaces);
  // Without a known connection the inputs have no defaults, so only declared values are compared.
  if (hasUnknown(inputs.connection))
    return { changes: true, changing, replaces: replaces.filter((field) => field in inputs), deleteBeforeReplace };
  const operation = operationOn(resource, inputs, state);
  const isMoved = state.server !== undefined && state.server !== operation.server.id;
  const isMovedAway = isMoved && !operation.server.allowAddressChange;
  if (isMovedAway && !changing.includes("connection")) assertSameServer(operation, state);
  // A replacement that cannot read a reference must fail before the old object is deleted.
  if ((isMovedAway || replaces.length > 0) && !hasUnknown(inputs)) resolveForWrite(fields, inputs);
  if (isMovedAway)
    return {
      changes: true,
      changing: [...changing, "connection"],
      replaces: [...replaces, "connection"],
      // Two addresses may be the same server: delete first, or deleting the old resource removes the new one.
      deleteBeforeReplace: definition.deleteBeforeReplace ?? true,
    };
  const work = definition.work?.(received(fields, state)) ?? "none";
  const isIncomplete = Boolean(state.outcomeUnknown || state.partiallyUpdated);
  // A time that has passed is no drift, so a refresh, which calls diff before the program declares anything, does not report it.
  const isChanged = changing.length > 0 || (isDue(work) && (work === "now" || isChecked(resource))) || isIncomplete;
  const hasWork = isChanged || work !== "none";
  const isRewritten = await registerUpdate(resource, operation, { state, inputs, hasWork, changing, replaces });
  // Pulumi shows such an update without a property.
  const unseen = [
    ...(isIncomplete ? ["its last run did not complete, so `pulumi up` continues it"] : []),
    ...(isMoved ? [`its server changes from ${state.server} to ${operation.server.id}`] : []),
    ...(isRewritten ? ["it is written again, because this run has deleted it"] : []),
  ];
  for (const line of unseen) operation.run.log.info(`${operation.resource}: ${line}`);
  return { changes: isMoved || isChanged || isRewritten, changing, replaces, deleteBeforeReplace };
}

interface Compared extends Pick<DiffResult, "changing" | "replaces"> {
  state: Properties;
  inputs: Properties;
  /** The update has something to do. */
  hasWork: boolean;
}

/** Prints the notes on an update and registers the resource as manager of its objects. Returns true if this run removed one of them. */
async function registerUpdate(
  resource: Resource,
  operation: Operation,
  { state, inputs, hasWork, changing, replaces }: Compared,
): Promise<boolean> {
  // A refresh also calls diff, before the program declares anything.
  if (hasUnknown(inputs) || !isChecked(resource)) return false;
  const objects = objectsOf(resource, inputs);
  if (!areDeclared(operation, objects)) return false;
  const { fields } = resource.definition;
  const request = { operation, inputs: received(fields, inputs), last: received(fields, state) };
  const notes = hasWork ? await resource.definition.planNotes?.(request) : undefined;
  // Pulumi's diff of a dynamic resource shows a secret without its change.
  const isHidden = (field: string): boolean =>
    field in inputs &&
    // One that comes from another resource is no change of the user's.
    !fields[field]?.secretOutput &&
    declaredIn(state).includes(field) &&
    operation.secrets.fields.includes(field);
  const hidden = resource.mechanism.canReturnSecrets ? [] : changing.filter(isHidden);
  const secrets = hidden.map((path) => ({ path, reason: hiddenChange, isInformation: true }));
  logNotes(operation.run.log, describe(resource, inputs, operation.server.words), [...secrets, ...(notes ?? [])]);
  if (replaces.length > 0 || declaredIn(state).length === 0) return false;
  await registerManager(operation, objects, state);
  return objects.some((object) => isRemoved(operation, object));
}
