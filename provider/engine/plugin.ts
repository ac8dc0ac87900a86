import { AsyncLocalStorage } from "node:async_hooks";
import { isDeepStrictEqual } from "node:util";
import { ConfigurationSources, connect } from "../connection";
import { AnyDefinition } from "../definition";
import { definitions } from "../definitions";
import { CheckFailure, StewardError } from "../errors";
import { fieldPath, format, namesWith, secretsOf } from "../fields";
import { functions } from "../functions";
import { valueAt } from "../inputs";
import { check } from "../lifecycle/check";
import { Mechanism, Resource } from "../lifecycle/context";
import { create } from "../lifecycle/create";
import { remove } from "../lifecycle/delete";
import { diff } from "../lifecycle/diff";
import { OperationFailed, unexpected, withoutSecrets } from "../lifecycle/failure";
import { importResource, isFirstRead } from "../lifecycle/import";
import { Properties, stringsIn, unknown, withoutNulls } from "../lifecycle/properties";
import { refresh } from "../lifecycle/refresh";
import { encryptedOutputs } from "../lifecycle/state";
import { update } from "../lifecycle/update";
import { nativeType } from "../program/dynamic";
import { assertOptions, withOperation } from "../program/invoke";
import { isObject } from "../text/json";
import { propertyChanges } from "./plugin-diff";
import { Path, unwrapSecrets, wrapSecrets } from "./plugin-values";

// The native Pulumi provider of all resources. plugin-server.ts is its gRPC server.

/** Configuration keys that are not connections. */
const reserved: readonly string[] = ["native", "secrets", "platform", "scheduler", "version", "pluginDownloadURL"];
const systems: readonly string[] = ["secrets", "platform", "scheduler"];

/** The resource of an engine request. */
export interface Subject {
  urn: string;
}

export interface PluginDifference {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
  /** The changed properties. Pulumi shows nested changes only inside of these. */
  names: string[];
  /** The changes by property path: `ADD`, `DELETE_REPLACE`. */
  properties: Record<string, string>;
}

/** The error of a half-done operation, with the resource that the engine stores. */
export class PartialFailure extends Error {
  constructor(
    readonly error: StewardError,
    readonly id: string,
    readonly properties: Properties,
  ) {
    super(error.message);
  }
}

/** The native provider. All values have the engine's secret marks. */
export interface Plugin {
  checkConfiguration(settings: Properties): CheckFailure[];
  /** `provider`: the name of an explicit provider. */
  configure(settings: Properties, provider?: string): void;
  check(subject: Subject, last: Properties, news: Properties): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  diff(subject: Subject, id: string, state: Properties, lastInputs: Properties, news: Properties): Promise<PluginDifference>;
  create(subject: Subject, news: Properties, isPreview: boolean): Promise<{ id: string; state: Properties }>;
  read(
    subject: Subject,
    id: string,
    state: Properties,
    inputs: Properties,
  ): Promise<{ id: string; state: Properties; inputs: Properties } | undefined>;
  update(
    subject: Subject,
    id: string,
    last: { state: Properties; inputs: Properties },
    news: Properties,
    isPreview: boolean,
  ): Promise<Properties>;
  delete(subject: Subject, id: string, state: Properties): Promise<void>;
  /** Finds all objects of a type, by the settings of the provider. */
  list(type: string): Promise<{ id: string; name: string }[]>;
  /** Calls a function that reads. */
  invoke(token: string, options: Properties): Promise<Properties>;
}

/** The current resource. All plugins of a process share one storage: Node slows down with each that was ever created. */
const current = new AsyncLocalStorage<{ urn: string; secretInputs: string[]; secretValues: string[] }>();

export function createPlugin(
  base: Omit<ConfigurationSources, "config" | "log" | "cache"> & Partial<Pick<ConfigurationSources, "cache">>,
  log: (severity: "info" | "warning", line: string, urn: string) => void,
): Plugin {
  const logAs =
    (severity: "info" | "warning") =>
    (line: string): void =>
      log(severity, line, current.getStore()?.urn ?? "");
  let settings: Properties = {};
  let explicit: string | undefined;
  const sources: Mechanism = {
    cache: new Map(),
    ...base,
    config: (key) => connectionIn(settings, key),
    log: { info: logAs("info"), warn: logAs("warning") },
    provider: () => explicit,
    canReturnSecrets: true,
    secretInputs: () => current.getStore()?.secretInputs ?? [],
    urn: () => current.getStore()?.urn,
    secretValues: () => current.getStore()?.secretValues ?? [],
  };
  /** The URNs of imported resources. The engine reads a resource before it sends its connection. */
  const imported = new Set<string>();

  /** urn:pulumi:<stack>::<project>::<type of the parent>$<type>::<name> */
  const resourceOf = ({ urn }: Subject): Resource => resourceOfType(urn.split("::")[2]?.split("$").at(-1) ?? "");

  function resourceOfType(type: string): Resource {
    const definition = definitions.find(({ token }) => nativeType(token) === type);
    if (definition) return { definition, mechanism: sources };
    throw new StewardError({ code: "ERR_INVALID_INPUT", rule: "unknown-type", reason: `pulumi-steward has no resource type ${type}` });
  }

  /** Runs an operation on a resource. A property that is secret in the given values stays secret in the returned ones. */
  async function run<T>(
    subject: Subject,
    values: readonly Properties[],
    operation: (resource: Resource, properties: Properties[], marked: (properties: Properties) => Properties) => Promise<T>,
  ): Promise<T> {
    const resource = resourceOf(subject);
    const clean = values.map(unwrapSecrets);
    const markedPaths = clean.flatMap(({ secrets }) => secrets);
    const marked = (properties: Properties): Properties =>
      wrapSecrets(properties, [...secretPaths(resource.definition, properties), ...markedPaths]);
    const secretInputs = [...new Set((clean[0]?.secrets ?? []).map(([name = ""]) => name))];
    // An output that is encrypted as a whole also contains values that are not secrets.
    const holding = encryptedOutputs(resource.definition.fields);
    const secretValues = clean.flatMap(({ properties, secrets }) =>
      secrets.filter(([name = ""]) => !holding.includes(name)).flatMap((path) => stringsIn(valueAt(properties, path))),
    );
    try {
      return await current.run({ urn: subject.urn, secretInputs, secretValues }, () =>
        operation(
          resource,
          clean.map(({ properties: { __provider, ...rest } }) => rest),
          marked,
        ),
      );
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error instanceof StewardError ? error : unexpected(error, secretValues);
      if (!error.partial) throw error.error;
      throw new PartialFailure(error.error, error.partial.id, marked(error.partial.properties));
    }
  }

  /** The properties of a resource in a preview: its inputs, and unknown outputs. */
  const previewed = ({ definition }: Resource, inputs: Properties): Properties => ({
    ...Object.fromEntries(namesWith(definition.fields, "output").map((field) => [field, unknown])),
    ...inputs,
  });

  return {
    checkConfiguration: (configuration) => configurationFailures(unwrapSecrets(configuration).properties),
    configure: (configuration, provider) => {
      settings = unwrapSecrets(configuration).properties;
      explicit = provider;
    },
    check: (subject, last, news) =>
      run(subject, [news, last], async (resource, [declared = {}, before = {}], marked) => {
        const { inputs, failures } = await check(resource, before, declared);
        const isElsewhere = imported.has(subject.urn) && ![undefined, unknown, "default"].includes(inputs.connection as string);
        return { inputs: marked(inputs), failures: isElsewhere ? [...failures, importElsewhere] : failures };
      }),
    diff: (subject, id, state, lastInputs, news) =>
      run(subject, [state, lastInputs, news], async (resource, [last = {}, , inputs = {}]) => {
        const difference = await diff(resource, id, last, inputs);
        const { changes, changing, replaces, deleteBeforeReplace } = difference;
        const changed = propertyChanges(resource.definition.fields, changing, { state: last, inputs });
        const names = [...new Set(changed.map(([, field]) => fieldPath(field)[0] as string))];
        const properties = changed.map(([path, field, change]) => [path, replaces.includes(field) ? `${change}_REPLACE` : change] as const);
        return { changes, replaces, deleteBeforeReplace, names, properties: Object.fromEntries(properties) };
      }),
    create: (subject, news, isPreview) =>
      run(subject, [news], async (resource, [inputs = {}], marked) => {
        if (isPreview) return { id: "", state: marked(previewed(resource, inputs)) };
        const { id, state } = await create(resource, inputs);
        return { id, state: marked(state) };
      }),
    read: (subject, id, state, inputs) =>
      run(subject, [state, inputs], async (resource, [last = {}, before = {}], marked) => {
        if (Object.keys(last).length + Object.keys(before).length === 0) imported.add(subject.urn);
        const current = isFirstRead(last) ? await importResource(resource, id, last) : await refresh(resource, id, last);
        return current && { id, state: marked(current.state), inputs: marked(current.inputs ?? before) };
      }),
    update: (subject, id, last, news, isPreview) =>
      run(subject, [news, last.state, last.inputs], async (resource, [inputs = {}, state = {}], marked) => {
        if (isPreview) return marked(previewed(resource, inputs));
        return marked(await update(resource, id, state, inputs));
      }),
    delete: (subject, id, state) => run(subject, [state], (resource, [last = {}]) => remove(resource, id, last)),
    async list(type) {
      const { definition } = resourceOfType(type);
      const { discover, system, displayName, id, name = id } = definition;
      if (typeof discover !== "function") return [];
      const operation = connect(system, "default", { ...sources, cache: new Map() });
      return withOperation(`Cannot list ${displayName}`, async () => {
        const request = {
          operation,
          mounts: [],
          modules: [],
          workspaces: true,
          attempt: <T>(_: string, part: () => Promise<T[]>) => part(),
        };
        const single = await discover({ ...request, asSet: false });
        // A set of roles is found only as a set.
        const objects = single.length > 0 ? single : await discover({ ...request, asSet: true });
        const ids = new Map(objects.map(({ state }) => [format(id, state), format(name, state)]));
        return [...ids].map(([each, label]) => ({ id: each, name: label }));
      });
    },
    async invoke(token, marked) {
      const called = functions.find((each) => nativeType(each.token) === token);
      if (!called)
        throw new StewardError({ code: "ERR_INVALID_INPUT", rule: "unknown-type", reason: `pulumi-steward has no function ${token}` });
      const { properties, secrets } = unwrapSecrets(marked);
      const options = withoutNulls(properties);
      const secretValues = secrets.flatMap((path) => stringsIn(valueAt(properties, path)));
      const result = await withOperation(called.operation, async () => {
        assertOptions(called.options, options);
        const operation = connect(called.system, (options.connection as string | undefined) ?? "default", {
          ...sources,
          cache: new Map(),
        });
        return called.run(operation as never, options as never);
      }).catch((error) => {
        throw withoutSecrets(error, secretValues);
      });
      const outputs = called.property === undefined ? result : { [called.property]: result };
      // Drops undefined properties, which Pulumi's values cannot have.
      const plain = JSON.parse(JSON.stringify(outputs));
      return wrapSecrets(
        plain,
        (called.secrets ?? []).map((field) => [field]),
      );
    },
  };
}

const importElsewhere: CheckFailure = {
  path: "connection",
  rule: "import-connection",
  reason: 'an import reads from the connection "default": pass the resource an explicit provider instead',
};

/** The paths of the values that the definition marks as secret. */
const secretPaths = ({ fields }: AnyDefinition, properties: Properties): Path[] => [
  ...secretsOf(fields, properties),
  ...encryptedOutputs(fields).map((field) => [field]),
];

/** A provider setting, which an SDK passes as JSON or as an object. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** The value of `steward:<connection>`. An explicit provider has only the connection `default`. */
function connectionIn(settings: Properties, key: string): string | undefined {
  const name = key.replace(/^steward:/, "");
  const explicit = Object.fromEntries(
    systems.flatMap((system) => (settings[system] === undefined ? [] : [[system, parsed(settings[system])]])),
  );
  if (name === "default" && Object.keys(explicit).length > 0) return JSON.stringify(explicit);
  const value = reserved.includes(name) ? undefined : settings[name];
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}

const configurationFailures = (settings: Properties): CheckFailure[] =>
  Object.entries(settings).flatMap(([name, value]) => {
    const isSystem = systems.includes(name);
    if ((reserved.includes(name) && !isSystem) || value === unknown || isObject(parsed(value))) return [];
    const reason = isSystem
      ? "must be an object with the address, the token and other settings of that server"
      : "is not a setting; a connection is an object with secrets, platform or scheduler";
    return [{ path: name, rule: "connection", reason }];
  });

export const isSameConfiguration = (a: Properties, b: Properties): boolean =>
  isDeepStrictEqual(unwrapSecrets(a).properties, unwrapSecrets(b).properties);
