import { neverDiffers } from "../comparison";
import { Operation } from "../connection";
import { AnyDefinition, OutcomeUnknown } from "../definition";
import { CheckFailure, invalidInput, PartialState, StewardError } from "../errors";
import { defaultsOf, essentialNames, format, inputNames, namesWith, parseId, placeholdersIn } from "../fields";
import { isStringList } from "../text/json";
import { changesOf, declaredIn } from "./changes";
import { check, logDrift, logNotes } from "./check";
import { takeOverExisting } from "./existing";
import { hintStaleConfig, OperationFailed, PartialResource, unexpected } from "./failure";
import { formerInputs, formerOf, hideFields, hideFormer, keepFormer, withFormer } from "./former-inputs";
import { areDeclared, createObjects, newInstance, recordFailure, recordWritten, registerManager } from "./ownership";
import { defined, fieldAt, hasUnknown, Properties, setField } from "./properties";
import { Mechanism, resourceContext } from "./resource-context";

/** The effect of an update. */
export interface DiffResult {
  changes: boolean;
  /** The fields whose declared values differ from the state; `field.key` for a key of a per-key field. */
  changing: string[];
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** The operations of a resource. All except `check` throw {@link OperationFailed}. */
export interface Lifecycle {
  /** `last`: the inputs of the last run. Empty before the first. */
  check(last: Properties, news: Properties): Promise<{ inputs: Properties; findings: CheckFailure[] }>;
  diff(id: string, state: Properties, news: Properties): Promise<DiffResult>;
  create(news: Properties): Promise<{ id: string; state: Properties }>;
  /** Returns undefined if the resource no longer exists. */
  read(id: string, stateOrArguments: Properties): Promise<{ state: Properties; inputs?: Properties } | undefined>;
  update(id: string, state: Properties, news: Properties): Promise<Properties>;
  delete(id: string, state: Properties): Promise<void>;
}

/** The life cycle of the resources of a definition, independent of the mechanism. */
export function lifecycle(definition: AnyDefinition, sources: Mechanism): Lifecycle {
  const context = resourceContext(definition, sources);
  const { describe, secretsIn, connectionOf, isChecked } = context;
  const changes = changesOf(definition);
  const { comparison, equal, fieldsOf, changed, recordDifferences } = changes;
  const secrets = namesWith(definition.fields, "secret");
  const replacing = namesWith(definition.fields, "replaces");
  const due = namesWith(definition.fields, "due");
  const idParts = placeholdersIn(definition.id);
  const essential = essentialNames(definition);
  const objectsOf = (fields: Properties): readonly string[] => definition.objects?.paths(fields) ?? [];

  /** Runs an operation. If it fails and `keep` returns properties, the engine stores the resource with them. */
  async function attempt<T>(
    verb: string,
    fields: Properties,
    operation: () => Promise<T>,
    keep?: (error: StewardError) => PartialResource | undefined,
  ): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      const known = error instanceof StewardError ? error : unexpected(error, secretsIn(fields));
      if (keep) recordFailure(sources);
      // The first read of a `get` is part of an `up`, which uses the current configuration.
      const isRecorded = verb === "delete" || (verb === "read" && fields.declared !== undefined);
      const explained = isRecorded ? hintStaleConfig(known) : known;
      throw new OperationFailed(explained.with({ operation: `Cannot ${verb} ${describe(fields)}` }), keep?.(known));
    }
  }

  function partsOf(id: string): Properties {
    const parts = definition.readById && parseId(definition, id);
    if (parts) return parts;
    const error = new StewardError({
      code: "ERR_INVALID_INPUT",
      operation: `Cannot read ${definition.displayName}`,
      ...(definition.readById
        ? { rule: "id", reason: `"${id}" is not a valid id`, hint: `Write it as ${definition.id}.` }
        : {
            rule: "no-read-by-id",
            reason: "it cannot be imported or read by id",
            hint: "Declare a new resource instead of an import or `get`.",
          }),
    });
    throw new OperationFailed(error, undefined);
  }

  /** Throws if the rules of the inputs reject the parts of an id. */
  async function assertParts(operation: Operation, parts: Properties): Promise<void> {
    const rules = (definition.rules ?? []).filter(({ fields }) => fields.every((field) => field in parts));
    const findings = await Promise.all(rules.map(({ check }) => check(parts, operation, {})));
    if (findings.flat().length > 0) throw invalidInput(findings.flat());
  }

  /** The state, with fields that it lacks taken from the id. Fails if an operation on it would act on the wrong object, or on none. */
  function whole(verb: string, id: string, state: Properties): Promise<Properties> {
    const fromId: Properties = parseId(definition, id) ?? {};
    const complete = defined(state);
    // Another value would be part of a path: `role/null`.
    for (const field of idParts) if (typeof complete[field] !== "string" || complete[field] === "") complete[field] = fromId[field];
    return attempt(verb, complete, async () => {
      const all = withFormer(complete);
      const missing = essential.filter((field) => (field === "declared" ? !isStringList(all.declared) : all[field] === undefined));
      if (missing.length === 0) return complete;
      throw new StewardError({
        code: "ERR_INVALID_INPUT",
        rule: "damaged-state",
        reason: `the state was damaged or edited: it lacks ${missing.join(", ")}`,
        hint: "Restore an earlier state with `pulumi stack import`, or remove the resource with `pulumi state delete <URN>` and adopt the object again.",
      });
    });
  }

  function assertSameServer(operation: Operation, state: Properties): void {
    if (state.server === undefined || state.server === operation.server.id || operation.server.allowAddressChange) return;
    throw new StewardError({
      code: "ERR_SERVER_MISMATCH",
      reason: `it was written to ${state.server}, but the ${operation.server.title} names ${operation.server.id}; nothing was sent`,
      hint: `Correct the address. If it is a new address of the same installation, set allowAddressChange: true next to the address in ${operation.server.place} for one \`pulumi up\`.`,
    });
  }

  /** The properties to store: inputs and state, with the server, the declared fields and the instance. */
  const stored = ({ server: { id: server }, instance }: Operation, inputs: Properties, state: Properties): Properties =>
    defined({ ...inputs, ...state, server, declared: fieldsOf(inputs), instance });

  /** If the outcome is unknown, fills in declared values missing from the properties, because a refresh encrypts only values that were encrypted before. */
  function fillUnknown(properties: Properties, inputs: Properties): Properties {
    if (properties.outcomeUnknown)
      for (const field of fieldsOf(inputs))
        if (fieldAt(properties, field) === undefined) setField(properties, field, fieldAt(inputs, field));
    return properties;
  }

  /** The values that the program declared, or that count as such, as the state has them. */
  function formerValues(state: Properties): Properties {
    const all = withFormer(state);
    const former: Properties = {};
    for (const field of [...declaredIn(state), ...fieldsOf((state[formerInputs] as Properties | undefined) ?? {})])
      setField(former, field, fieldAt(all, field));
    return former;
  }

  /** The connection of an operation that may print values which were secrets of an earlier program. */
  const hiding = (operation: Operation, former: unknown): Operation => ({
    ...operation,
    secretFields: [...operation.secrets.fields, ...Object.keys(former ?? {})],
  });

  /** After a partial update, hides each value that the program declared earlier but not now. */
  function hidePrevious(properties: Properties, state: Properties, given: Properties): Properties {
    const former = formerValues(state);
    return hideFormer(properties, Object.keys(former), { former, given }, equal);
  }

  /** Hides each value that was removed from the program, but that the server still holds. `given`: the fields that the program declares now. */
  function hideRetained(properties: Properties, state: Properties, given: readonly string[]): Properties {
    const former = formerValues(state);
    const left = fieldsOf(former).filter((field) => !given.includes(field) && !secrets.includes(field));
    const isHeld = (value: unknown, field: string): boolean => value !== undefined && equal(field, value, fieldAt(former, field));
    return hideFields(
      properties,
      left.filter((field) => isHeld(fieldAt(properties, field), field)),
    );
  }

  /** The inputs for an import: every readable value, defaults, and empty strings for required inputs that cannot be read, so that `check` reports them. */
  function importedInputs(operation: Operation, found: Properties): Properties {
    const { fields } = definition;
    const shown = inputNames(fields).filter((field) => found[field] !== undefined);
    const needed = inputNames(fields).filter((field) => fields[field]?.required && found[field] === undefined);
    return defined({
      ...defaultsOf(fields, operation),
      ...Object.fromEntries([...shown.map((field) => [field, found[field]]), ...needed.map((field) => [field, ""])]),
    });
  }

  async function diff(id: string, given: Properties, news: Properties): ReturnType<Lifecycle["diff"]> {
    const state = await whole("update", id, given);
    return attempt("update", state, async () => {
      const inputs = defined(news);
      const olds = withFormer(state);
      const deleteBeforeReplace = definition.deleteBeforeReplace ?? false;
      // Work that is due is not drift, so a refresh does not report it.
      const changing = changed(olds, inputs).filter((field) => isChecked() || !due.includes(field));
      const replaces = changing.filter((field) => replacing.includes(field));
      // Without a known connection the inputs have no defaults, so only given values are compared.
      if (hasUnknown(inputs.connection))
        return { changes: true, changing, replaces: replaces.filter((field) => field in inputs), deleteBeforeReplace };
      const operation = connectionOf(inputs, olds);
      const moved = olds.server !== undefined && olds.server !== operation.server.id;
      if (moved && !operation.server.allowAddressChange) {
        if (!changing.includes("connection")) assertSameServer(operation, olds);
        // Two addresses may be the same server: delete first, or deleting the old resource removes the new one.
        return {
          changes: true,
          changing: [...changing, "connection"],
          replaces: [...replaces, "connection"],
          deleteBeforeReplace: definition.deleteBeforeReplace ?? true,
        };
      }
      const isIncomplete = Boolean(olds.outcomeUnknown || olds.partiallyUpdated);
      const isKnown = !hasUnknown(inputs);
      const objects = isKnown ? objectsOf(inputs) : [];
      // A refresh also calls diff, before the program declares anything.
      const isDeclared = isKnown && isChecked() && areDeclared(operation, objects);
      const isWaiting = due.some((field) => olds[field] !== undefined);
      if ((changing.length > 0 || isIncomplete || isWaiting) && isDeclared)
        logNotes(operation, describe(inputs), (await definition.planNotes?.({ operation, inputs, last: olds })) ?? []);
      const isHeld = isDeclared && replaces.length === 0 && declaredIn(olds).length > 0;
      const isRemoved = isHeld && (await registerManager(operation, objects, olds));
      return { changes: moved || isIncomplete || isRemoved || changing.length > 0, changing, replaces, deleteBeforeReplace };
    });
  }

  async function create(news: Properties): ReturnType<Lifecycle["create"]> {
    const inputs = defined(news);
    let operation: Operation | undefined;
    return attempt(
      "create",
      inputs,
      async () => {
        const objects = objectsOf(inputs);
        const chosen = { ...connectionOf(inputs), instance: newInstance() };
        operation = chosen;
        const write = async (): Promise<Properties> => {
          const found = await takeOverExisting(definition, hiding(chosen, formerValues(formerOf(chosen, objects))), inputs);
          return definition.create({ connection: chosen, inputs, found });
        };
        const created = await createObjects(chosen, objects, inputs, objectsOf, () =>
          write().catch(async (error) => {
            // Do not diagnose a PartialState: its message already states the cause.
            throw definition.diagnose && !(error instanceof PartialState) ? await definition.diagnose(chosen, error) : error;
          }),
        );
        const state = stored(chosen, inputs, created);
        recordWritten(chosen, objects, state);
        return { id: format(definition.id, inputs, created), state: hideRetained(state, formerOf(chosen, objects), fieldsOf(inputs)) };
      },
      (error) => {
        if (!operation) return undefined;
        const id = format(definition.id, inputs);
        if (error instanceof PartialState)
          return { id, properties: fillUnknown(stored(operation, inputs, error.state as Properties), inputs) };
        return error.details.outcomeUnknown ? { id, properties: stored(operation, inputs, { outcomeUnknown: true }) } : undefined;
      },
    );
  }

  async function read(id: string, stateOrArguments: Properties): ReturnType<Lifecycle["read"]> {
    // The first read of a `get` has no state yet, only an id.
    const isFirst = stateOrArguments.declared === undefined && stateOrArguments.server === undefined;
    const parts = isFirst ? partsOf(id) : {};
    const state: Properties = isFirst ? { ...stateOrArguments, ...parts } : await whole("read", id, stateOrArguments);
    const { [formerInputs]: _, ...shown } = state;
    const previous = withFormer(state);
    const isImport = isFirst && Boolean(sources.marksSecrets);
    return attempt("read", previous, async () => {
      const operation = connectionOf(previous);
      assertSameServer(operation, previous);
      await assertParts(operation, parts);
      const found = await definition.read({ operation, state: previous, declared: declaredIn(previous) });
      if (!found) {
        // The engine would accept a missing resource, and give the program a resource without outputs.
        if (isFirst)
          throw new StewardError({
            code: "ERR_NOT_FOUND",
            reason: `the server has no object with the id "${id}"`,
            hint: isImport ? "Correct the id, or remove this import or `get`." : "Correct the id, or remove this `get`.",
          });
        return undefined;
      }
      const imported = isImport ? importedInputs(operation, found) : undefined;
      const kept = imported && definition.imported ? definition.imported(found) : found;
      const declared = imported ? fieldsOf(imported).sort() : declaredIn(previous);
      // `outcomeUnknown` stays, since a write-only value cannot be read back.
      const fresh: Properties = { ...previous, ...kept, ...imported, server: operation.server.id, declared };
      const props = previous.partiallyUpdated ? hidePrevious(fresh, state, shown) : hideRetained(fresh, state, declared);
      // The engine stores new inputs in plaintext, so a read returns only those that the state lists.
      const inputs: Properties = {};
      // Two imports of one object are two instances.
      if (imported) return { state: defined({ ...props, instance: newInstance() }), inputs: imported };
      for (const field of declared) {
        const isSecret = secrets.includes(field);
        // The provider cannot tell whether the program removed this secret, and the engine would store its value in plaintext.
        if (isSecret && comparison(field).equal === neverDiffers.equal && !sources.marksSecrets) continue;
        // Keep the previous spelling of an equivalent value, so refresh shows no false diff.
        const [before, now] = [fieldAt(shown, field), fieldAt(props, field)];
        if (equal(field, before, now)) setField(props, field, before);
        else if (isSecret) operation.run.log.info(`${describe(shown)}: the secret ${field} was changed on the server`);
        else logDrift(operation, recordDifferences(field, before, now));
        // Return a placeholder. If a secret input is missing from one read and present in the next, the engine stores it in plaintext.
        setField(inputs, field, fieldAt(props, field) ?? (isSecret ? "" : undefined));
      }
      // After a partial update, the engine has the inputs and secret marks from before it.
      const hasInputs = declared.length > 0 && !previous.partiallyUpdated;
      return { state: defined(props), ...(hasInputs ? { inputs: defined(inputs) } : {}) };
    });
  }

  async function update(id: string, given: Properties, news: Properties): Promise<Properties> {
    const state = await whole("update", id, given);
    const inputs = defined(news);
    const olds = withFormer(state);
    const instance = (olds.instance as string | undefined) ?? newInstance();
    let operation: Operation | undefined;
    let isRemoved = false;
    return attempt(
      "update",
      inputs,
      async () => {
        const chosen = { ...hiding(connectionOf(inputs, olds), state[formerInputs]), instance };
        operation = chosen;
        assertSameServer(chosen, olds);
        const { connection: _former, declared, server, outcomeUnknown, partiallyUpdated, ...last } = olds;
        const given = fieldsOf(inputs);
        const previous = { ...last };
        for (const field of declaredIn(olds)) if (!given.includes(field)) setField(previous, field, undefined);
        const [objects, before] = [objectsOf(inputs), new Set(objectsOf(last))];
        const held = objects.filter((object) => before.has(object));
        isRemoved = await registerManager(chosen, held, last);
        const changing = changed(olds, inputs);
        const isRenamed = changing.length === 1 && changing[0] === "connection";
        // A new address does not repeat an operation that leaves nothing on the server.
        const isMoved = !definition.delete && server !== chosen.server && changing.every((field) => field === "connection");
        const isIncomplete = outcomeUnknown || partiallyUpdated || (last as OutcomeUnknown).unanswered?.length;
        if ((isRenamed || isMoved) && !isIncomplete && !isRemoved) return hideRetained(stored(chosen, inputs, previous), state, given);
        const added = objects.filter((object) => !before.has(object));
        const mustRewrite = Boolean(outcomeUnknown) || isRemoved;
        const updated = await createObjects(chosen, added, inputs, objectsOf, () =>
          definition.update({
            connection: chosen,
            inputs,
            state: previous,
            last: { ...last, outcomeUnknown: mustRewrite },
            declared: declaredIn(olds),
          }),
        );
        const fresh = stored(chosen, inputs, updated);
        recordWritten(chosen, objects, fresh);
        return hideRetained(fresh, state, given);
      },
      (error) => {
        const keep = (properties: Properties): PartialResource => ({
          id,
          properties: hidePrevious({ ...fillUnknown(properties, inputs), partiallyUpdated: true }, state, inputs),
        });
        if (error instanceof PartialState && operation) return keep(stored(operation, inputs, error.state as Properties));
        // The server may hold other values, or this run removed an object that was not rewritten.
        if (error.details.outcomeUnknown || isRemoved) return keep({ ...olds, outcomeUnknown: true, instance });
        return undefined;
      },
    );
  }

  return {
    check: (last, news) => check(definition, context, changes, { last, news }),
    diff,
    create,
    read,
    update,
    async delete(id, given) {
      const stateAndFormer = await whole("delete", id, given);
      await attempt("delete", stateAndFormer, async () => {
        if (!definition.delete) return;
        const state = withFormer(stateAndFormer);
        const operation = connectionOf(state);
        assertSameServer(operation, state);
        await definition.delete({ operation, state });
        keepFormer(operation, objectsOf(state), stateAndFormer);
      });
    },
  };
}
