import { Comparison, exact, ignored } from "../comparison";
import { ConfigurationSources, Connection, connect, System } from "../connection";
import { Definition, Doubt, Finding } from "../definition";
import { definitions } from "../definitions";
import { StewardError, Unfinished } from "../errors";
import { log, printable } from "../log";
import { areDeclared, createObjects, hold, newInstance, noteDeclared, noteNew, noteWritten } from "../ownership";
import { watchEngine } from "./engine";
import { lookAhead, takeOverExisting } from "./existing";
import { formerInputs, hideFields, hideFormer, withFormer } from "./former-inputs";
import { Kept, located, presented, schemaFindings, unexpected, withStaleConfiguration } from "./presentation";
import { defined, fieldAt, hasUnknown, Properties, put, stringsIn, valueAt, withoutNulls } from "./properties";
import { secretInputs } from "./secret-inputs";

interface DynamicProvider {
  configure(request: { config: { get(key: string): string | undefined } }): void;
  check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: { property: string; reason: string }[] }>;
  diff(id: string, olds: Properties, news: Properties): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, state: Properties): Promise<{ id: string; props?: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, state: Properties): Promise<void>;
}

// The engine passes its own address as the first argument.
const engine = watchEngine(process.argv[2]);

/** Lasts for one operation, because the engine starts a process for each. */
const memory = new Map<string, unknown>();

/** Clears the memory, as a new process would. @internal */
export function forget(): void {
  memory.clear();
}

/** The provider of one type: what `__provider` loads in the process that the engine starts. `_release` wrote the state, and is missing before 0.1. */
export function provider(token: string, _release?: string): DynamicProvider {
  const definition: Definition<Properties, Properties> | undefined = definitions.find((candidate) => candidate.token === token);
  if (!definition) throw new Error(`pulumi-steward has no type ${token}.`);
  const settings: ConfigurationSources = { config: () => undefined, environment: process.env, memory, engine };

  /** The server that the first properties name, for the resource that all of them are of. */
  const connectionOf = (...properties: Properties[]): Connection => ({
    ...connect(definition.token.split(":")[0] as System, (properties[0]?.connection as string | undefined) ?? "default", settings),
    secrets: [...properties.flatMap(secretsIn), ...leftOut()],
    // Not computed before it is used: a check connects while its inputs may still be invalid.
    get resource() {
      return describe(properties.at(-1) ?? {});
    },
    instance: properties.at(-1)?.instance as string | undefined,
    secretFields: [...definition.secrets, ...((properties[0]?.[secretInputs] as string[] | undefined) ?? [])],
  });

  /** Every secret value, of the fields themselves and of what an encrypted output holds under their names. */
  const secretsIn = (properties: Properties): string[] => {
    const holders = [properties, ...[...(definition.encrypted ?? []), formerInputs].map((output) => properties[output])];
    const paths = [...definition.secrets, ...(definition.secretsNamed?.(properties) ?? [])];
    return holders.flatMap((holder) =>
      paths.flatMap((path) => [valueAt(holder, [path]), valueAt(holder, path.split("."))].flatMap(stringsIn)),
    );
  };

  /** Secrets that a check has seen and not passed on. A server may know and echo them all the same. */
  const leftOut = (): Set<string> => {
    const key = `left out of ${token}`;
    const secrets = (memory.get(key) as Set<string> | undefined) ?? new Set();
    memory.set(key, secrets);
    return secrets;
  };

  const describe = (fields: Properties): string => {
    const name = definition.name(fields);
    return name ? `${definition.noun} "${name}"` : definition.noun;
  };

  /** Runs one operation. Where it fails, and `keep` gives properties, the engine stores the resource with them. */
  const attempt = async <T>(
    verb: string,
    fields: Properties,
    operation: () => Promise<T>,
    keep?: (error: StewardError) => Kept | undefined,
  ): Promise<T> => {
    try {
      return await operation();
    } catch (error) {
      const known = error instanceof StewardError ? error : unexpected(error, secretsIn(fields));
      // The first read of a `get` belongs to an `up`, which uses the present configuration.
      const isRecorded = verb === "delete" || (verb === "read" && fields.declared !== undefined);
      const explained = isRecorded ? withStaleConfiguration(known) : known;
      throw presented(explained, `Cannot ${verb} ${describe(fields)}`, keep?.(known));
    }
  };

  const partsOf = (id: string): Properties => {
    const parts = definition.parseId?.(id);
    if (parts) return parts;
    const error = new StewardError({
      code: "ERR_INVALID_INPUT",
      task: `Cannot read ${definition.noun}`,
      ...(definition.idForm
        ? { reason: `"${id}" is not an id of one`, advice: `Write it as ${definition.idForm}.` }
        : { reason: "it cannot be read by an id", advice: "Declare it without one." }),
    });
    throw Object.assign(error, { stack: "" });
  };

  const assertSameServer = (connection: Connection, state: Properties): void => {
    if (state.server === undefined || state.server === connection.server || connection.acceptMoved) return;
    throw new StewardError({
      code: "ERR_MOVED",
      reason: `it was written to ${state.server}, but the connection "${connection.name}" names ${connection.server}; nothing was sent`,
      advice: `Correct the connection's address. If it is a new address of the same installation, set acceptMoved: true beside it in steward:${connection.name} until the next \`pulumi up\`.`,
    });
  };

  const comparison = (field: string): Comparison => (field === secretInputs ? ignored : (definition.compare?.[field] ?? exact));
  const equal = (field: string, a: unknown, b: unknown): boolean => comparison(field).equal(a, b);
  /** The names of the fields that are given; of an open one, `field.key` of each of its keys. */
  const fieldsOf = (inputs: Properties): string[] =>
    Object.entries(inputs).flatMap(([field, value]) =>
      definition.open?.includes(field) && typeof value === "object" && value !== null
        ? Object.keys(value).map((key) => `${field}.${key}`)
        : [field],
    );
  const declaredIn = (state: Properties): string[] => (state.declared as string[] | undefined) ?? [];
  /** The fields whose meaning differs; to be declared from now on, or no longer, is a change as well. */
  const changes = (state: Properties, inputs: Properties): string[] => {
    const [given, declared] = [fieldsOf(inputs), declaredIn(state)];
    return [...new Set([...given, ...declared])].filter((field) => {
      if (field === "connection") return (state.connection ?? "default") !== (inputs.connection ?? "default");
      if (comparison(field).equal === ignored.equal) return false;
      const value = fieldAt(inputs, field);
      return given.includes(field) !== declared.includes(field) || hasUnknown(value) || !equal(field, fieldAt(state, field), value);
    });
  };

  /** Builds the stored properties: inputs and state, with the server, the declared fields and the creation. */
  const stored = (inputs: Properties, state: Properties, instance: unknown, __provider: unknown): Properties =>
    defined({ ...inputs, ...state, server: connectionOf(inputs).server, declared: fieldsOf(inputs), instance, __provider });

  /** Pulumi encrypts on a refresh what it has encrypted before, so whatever the server may hold now is in the state from now on. */
  const inDoubt = (properties: Properties, inputs: Properties): Properties => {
    if (properties.unfinished)
      for (const field of fieldsOf(inputs)) if (fieldAt(properties, field) === undefined) put(properties, field, fieldAt(inputs, field));
    return properties;
  };

  /** After an update that failed half-way: hides each value of a field that the program ever gave and does not give now. */
  const hidden = (properties: Properties, state: Properties, given: Properties): Properties => {
    const declared = declaredIn(state).map((field) => field.split(".")[0] as string);
    const fields = [...declared, ...Object.keys((state[formerInputs] as Properties | undefined) ?? {})];
    return hideFormer(properties, fields, { former: withFormer(state), given }, equal);
  };

  /** Hides each value that has left the program while the server goes on holding it. `given`: the fields that the program gives now. */
  const leftHidden = (properties: Properties, state: Properties, given: readonly string[]): Properties => {
    const former = withFormer(state);
    const fields = [...declaredIn(state), ...fieldsOf((state[formerInputs] as Properties | undefined) ?? {})];
    // After an update that failed half-way, a former value may be what the server held before the program gave any.
    const isOurs = (field: string): boolean => !state.halfDone || (definition.remaining ?? []).includes(field);
    const left = fields.filter((field) => !given.includes(field) && !definition.secrets.includes(field) && isOurs(field));
    const isHeld = (value: unknown, field: string): boolean => value !== undefined && equal(field, value, fieldAt(former, field));
    return hideFields(
      properties,
      left.filter((field) => isHeld(fieldAt(properties, field), field)),
    );
  };

  const objectsOf = (fields: Properties): readonly string[] => definition.objects?.paths(fields) ?? [];

  const warn = (fields: Properties, findings: readonly Finding[]): void => {
    for (const { path, reason } of findings) log(`warning: ${describe(fields)}: ${located(path, reason)}`);
  };

  return {
    // Stays synchronous: the engine sends the first request without waiting for a promise.
    configure({ config }) {
      settings.config = (key) => config.get(key);
    },

    async check(olds, news) {
      const { __provider, ...given } = withoutNulls(news);
      const { [secretInputs]: _, ...declared } = given;
      const findings = schemaFindings(definition, declared);
      const isWellFormed = findings.length === 0;
      let inputs = given;
      if (!hasUnknown(given.connection) && !findings.some(({ path }) => path === "connection")) {
        try {
          const connection = connectionOf(given);
          inputs = { ...defined(definition.defaults?.(connection) ?? {}), ...given };
          const invalid = new Set(findings.map(({ path }) => path.split(/[.[]/)[0]));
          for (const rule of definition.rules ?? [])
            if (!rule.fields.some((field) => hasUnknown(inputs[field]) || invalid.has(field)))
              findings.push(...(await rule.check(inputs, connection, olds ?? {})));
          const isCreation = Object.keys(olds ?? {}).length === 0;
          if (findings.every(({ warning }) => warning) && !hasUnknown(inputs)) {
            noteDeclared(connection, objectsOf(inputs));
            if (isCreation) noteNew(connection, objectsOf(inputs));
            if (isCreation) warn(inputs, definition.foreseeCreation?.(inputs) ?? []);
            if (isCreation && connection.previewReads) await lookAhead(definition, connection, inputs);
            if (isCreation && definition.announce) log(`${describe(inputs)}: ${await definition.announce(inputs, connection)}`);
          }
        } catch (error) {
          if (!(error instanceof StewardError)) throw error;
          findings.push({ path: "", reason: error.message });
        }
      }
      const warnings = findings.filter(({ warning }) => warning);
      // A name of another type than a string could not be shown.
      if (isWellFormed) warn(inputs, warnings);
      const normalised = Object.fromEntries(
        Object.entries(inputs).map(([field, value]) => [
          field,
          hasUnknown(value) ? value : (comparison(field).normalise?.(value) ?? value),
        ]),
      );
      const passedOn = new Set(secretsIn(normalised));
      for (const secret of secretsIn(inputs)) if (!passedOn.has(secret)) leftOut().add(secret);
      return {
        inputs: normalised,
        // With a property named, the engine prints its value, secrets included.
        failures: findings
          .filter(({ warning }) => !warning)
          .map(({ path, reason }) => ({ property: "", reason: printable(located(path, reason)) })),
      };
    },

    diff: (_id, state, news) =>
      attempt("update", state, async () => {
        const { __provider, ...inputs } = defined(news);
        const olds = withFormer(state);
        const deleteBeforeReplace = definition.deleteBeforeReplace ?? false;
        const changed = changes(olds, inputs);
        const replaces = changed.filter((field) => definition.replaces.includes(field));
        // Without a connection no defaults were filled in: only what is given can be compared.
        if (hasUnknown(inputs.connection))
          return { changes: true, replaces: replaces.filter((field) => field in inputs), deleteBeforeReplace };
        const connection = connectionOf(inputs, olds);
        const moved = olds.server !== undefined && olds.server !== connection.server;
        if (moved && !connection.acceptMoved) {
          if (!changed.includes("connection")) assertSameServer(connection, olds);
          // Two addresses may be the same server: delete first, or deleting the old resource removes the new one.
          return { changes: true, replaces: [...replaces, "connection"], deleteBeforeReplace: definition.deleteBeforeReplace ?? true };
        }
        const isInDoubt = Boolean(olds.unfinished || olds.halfDone);
        const isKnown = !hasUnknown(inputs);
        if ((changed.length > 0 || isInDoubt) && isKnown) warn(inputs, (await definition.foresee?.(inputs, olds)) ?? []);
        // A refresh compares as well, before the program has said what it declares.
        const objects = isKnown && declaredIn(olds).length > 0 ? objectsOf(inputs) : [];
        const isHeld = replaces.length === 0 && areDeclared(connection, objects);
        const isRemoved = isHeld && (await hold(connection, objects, olds));
        return { changes: moved || isInDoubt || isRemoved || changed.length > 0, replaces, deleteBeforeReplace };
      }),

    create: async ({ __provider, ...news }) => {
      const inputs = defined(news);
      const instance = newInstance();
      return attempt(
        "create",
        inputs,
        async () => {
          const connection = { ...connectionOf(inputs), instance };
          const objects = objectsOf(inputs);
          const create = async (): Promise<Properties> => {
            const found = await takeOverExisting(definition, connection, inputs);
            return definition.create(connection, inputs, found);
          };
          const state = await createObjects(connection, objects, inputs, objectsOf, () =>
            create().catch(async (error) => {
              // A partial state keeps its own message.
              throw definition.explain && !(error instanceof Unfinished) ? await definition.explain(connection, error) : error;
            }),
          );
          const outs = stored(inputs, state, instance, __provider);
          noteWritten(connection, objects, outs);
          return { id: definition.id(inputs, state), outs };
        },
        (error) => {
          const id = definition.id(inputs);
          if (error instanceof Unfinished)
            return { id, properties: inDoubt(stored(inputs, error.state as Properties, instance, __provider), inputs) };
          if (error.facts.outcomeUnknown) return { id, properties: stored(inputs, { unfinished: true }, instance, __provider) };
          return undefined;
        },
      );
    },

    read: async (id, { __provider, ...stateOrArguments }) => {
      // The first read of a `get` has no state yet, only an id.
      const isFirst = stateOrArguments.declared === undefined;
      const state: Properties = { ...stateOrArguments, ...(isFirst ? partsOf(id) : {}) };
      const { [formerInputs]: _, ...shown } = state;
      const previous = withFormer(state);
      const declared = declaredIn(previous);
      return attempt("read", previous, async () => {
        const connection = connectionOf(previous);
        assertSameServer(connection, previous);
        const found = await definition.read(connection, previous, declared);
        if (!found) {
          // The engine would accept "gone", and give the program a resource without outputs.
          if (isFirst)
            throw new StewardError({
              code: "ERR_NOT_FOUND",
              reason: `the server holds none there, at "${id}"`,
              advice: "Correct the id, or leave this `get` out.",
            });
          return { id: "" };
        }
        // `unfinished` stays: what cannot be read back may still be the other value.
        const fresh: Properties = { ...previous, ...found, server: connection.server, declared };
        const props = previous.halfDone ? hidden(fresh, state, shown) : leftHidden(fresh, state, declared);
        // The engine stores inputs that were none before in clear text, so none are given that the state does not list.
        const inputs: Properties = {};
        for (const field of declared) {
          const isSecret = definition.secrets.includes(field);
          // The provider cannot see when it leaves the program, and a former input would come back unencrypted.
          if (isSecret && comparison(field).equal === ignored.equal) continue;
          // Keep the previous spelling of an equivalent value, so refresh shows no false diff.
          if (equal(field, fieldAt(shown, field), fieldAt(props, field))) put(props, field, fieldAt(shown, field));
          else if (isSecret) log(`${describe(shown)}: ${field}, a secret, was changed on the server`);
          // Keep a placeholder: the engine stores a secret input that disappears and returns unencrypted.
          put(inputs, field, fieldAt(props, field) ?? (isSecret ? "" : undefined));
        }
        // After an update that failed half-way, the engine holds the inputs, and the marks, from before it.
        const hasInputs = declared.length > 0 && !previous.halfDone;
        return { id, props: defined(props), ...(hasInputs ? { inputs: defined(inputs) } : {}) };
      });
    },

    update: async (id, state, { __provider, ...news }) => {
      const inputs = defined(news);
      const olds = withFormer(state);
      const instance = (olds.instance as string | undefined) ?? newInstance();
      let isRemoved = false;
      return attempt(
        "update",
        inputs,
        async () => {
          const connection = { ...connectionOf(inputs, olds), instance };
          assertSameServer(connection, olds);
          const { __provider: _, connection: _former, declared, server, unfinished, halfDone: _halfDone, ...last } = olds;
          const given = fieldsOf(inputs);
          const previous = { ...last };
          for (const field of declaredIn(olds)) if (!given.includes(field)) put(previous, field, undefined);
          const [objects, before] = [objectsOf(inputs), new Set(objectsOf(last))];
          const held = objects.filter((object) => before.has(object));
          isRemoved = await hold(connection, held, last);
          const changed = changes(olds, inputs);
          const isRenamed = changed.length === 1 && changed[0] === "connection";
          // A resource that leaves nothing on the server is not repeated for a new address.
          const isMoved = !definition.delete && server !== connection.server && changed.every((field) => field === "connection");
          const isDoubtful = unfinished || (last as Doubt).unanswered?.length;
          if ((isRenamed || isMoved) && !isDoubtful && !isRemoved)
            return { outs: leftHidden(stored(inputs, previous, instance, __provider), state, given) };
          const joining = objects.filter((object) => !before.has(object));
          const isInDoubt = Boolean(unfinished) || isRemoved;
          const updated = await createObjects(connection, joining, inputs, objectsOf, () =>
            definition.update(connection, inputs, previous, { ...last, unfinished: isInDoubt }),
          );
          const outs = stored(inputs, updated, instance, __provider);
          noteWritten(connection, objects, outs);
          return { outs: leftHidden(outs, state, given) };
        },
        (error) => {
          const keep = (properties: Properties): Kept => ({
            id,
            properties: hidden({ ...inDoubt(properties, inputs), halfDone: true }, state, inputs),
          });
          if (error instanceof Unfinished) return keep(stored(inputs, error.state as Properties, instance, __provider));
          // This run removed an object, and the update did not write it again.
          if (error.facts.outcomeUnknown || isRemoved) return keep({ ...olds, unfinished: true, instance, __provider });
          return undefined;
        },
      );
    },

    delete: (_id, { __provider, ...stateAndFormer }) =>
      attempt("delete", stateAndFormer, async () => {
        if (!definition.delete) return;
        const state = withFormer(stateAndFormer);
        const connection = connectionOf(state);
        assertSameServer(connection, state);
        await definition.delete(connection, state);
      }),
  };
}
