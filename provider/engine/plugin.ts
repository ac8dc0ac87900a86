import { isDeepStrictEqual } from "node:util";
import { ConfigurationSources, connect } from "../connection";
import { AnyDefinition } from "../contract/definition";
import { CheckFailure, StewardError } from "../contract/errors";
import { format, namesWith, secretsOf } from "../contract/fields";
import { call, ReadFunction } from "../contract/function";
import { unknown, valueAt } from "../contract/inputs";
import { Operation, System, systemNames } from "../contract/operation";
import { check } from "../lifecycle/check";
import { className, Mechanism, Resource } from "../lifecycle/context";
import { create } from "../lifecycle/create";
import { remove } from "../lifecycle/delete";
import { diff } from "../lifecycle/diff";
import { OperationFailed, unexpected, withoutSecrets } from "../lifecycle/failure";
import { encryptedNames, fromStored, toStored } from "../lifecycle/hidden";
import { importResource, isFirstRead } from "../lifecycle/import";
import { Properties, stringsIn } from "../lifecycle/properties";
import { refresh } from "../lifecycle/refresh";
import { update } from "../lifecycle/update";
import { nativeType } from "../program/dynamic";
import { assertOptions, withOperation } from "../program/invoke";
import { functions } from "../registry/functions";
import { definitions } from "../registry/resources";
import { isObject, parsed, withoutNulls } from "../text/json";
import { Log } from "../text/log";
import { propertyChanges } from "./plugin-diff";
import { Path, unwrapSecrets, wrapSecrets } from "./plugin-values";

// The native Pulumi provider of all resources, whose gRPC server is plugin-server.ts.

/** Configuration keys that are not connections. */
const reserved: readonly string[] = ["native", ...systemNames, "version", "pluginDownloadURL"];

export type PluginLog = (severity: "info" | "warning", line: string, urn: string) => void;

/** The native provider. All values have the engine's secret marks. */
export function createPlugin(base: Partial<ConfigurationSources> & Pick<ConfigurationSources, "environment" | "engine">, log: PluginLog) {
  /** The log of a resource. */
  const logOf = (urn: string): Log => ({ info: (line) => log("info", line, urn), warn: (line) => log("warning", line, urn) });
  let settings: Properties = {};
  let explicit: string | undefined;
  const sources: ConfigurationSources = {
    cache: new Map(),
    ...base,
    config: (key) => connectionIn(settings, key),
    log: logOf(""),
    provider: () => explicit,
  };
  const connected = (system: System, name = "default", server?: ConfigurationSources["server"]): Operation =>
    connect(system, name, { ...sources, server, cache: new Map() });
  /** The URNs of imported resources. The engine reads a resource before it sends its connection. */
  const imported = new Set<string>();

  /** Runs an operation on a resource. A property that is secret in the inputs stays secret in the returned values. */
  async function run<T>(
    urn: string,
    values: readonly Properties[],
    operation: (resource: Resource, properties: Properties[], marked: (properties: Properties) => Properties) => Promise<T>,
  ): Promise<T> {
    // urn:pulumi:<stack>::<project>::<type of the parent>$<type>::<name>
    const definition = definitionOf(urn.split("::")[2]?.split("$").at(-1) ?? "");
    const clean = values.map(unwrapSecrets);
    const markedPaths = clean.flatMap(({ secrets }) => secrets);
    const marked = (properties: Properties): Properties =>
      wrapSecrets(toStored(definition.fields, properties), [...secretPaths(definition), ...markedPaths]);
    const secretInputs = [...new Set((clean[0]?.secrets ?? []).map(([name = ""]) => name))];
    // An output that is encrypted as a whole also contains values that are not secrets.
    const holding = encryptedNames(definition.fields);
    const secretValues = clean.flatMap(({ properties, secrets }) =>
      secrets.filter(([name = ""]) => !holding.includes(name)).flatMap((path) => stringsIn(valueAt(properties, path))),
    );
    const mechanism: Mechanism = { ...sources, log: logOf(urn), canReturnSecrets: true, urn, secretInputs, secretValues };
    const properties = clean.map(({ properties: { __provider, ...rest } }) => fromStored(definition.fields, rest));
    try {
      return await operation({ definition, mechanism }, properties, marked);
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error instanceof StewardError ? error : unexpected(error, secretValues);
      const { partial } = error;
      throw partial ? new OperationFailed(error.error, { ...partial, properties: marked(partial.properties) }) : error.error;
    }
  }

  return {
    checkConfiguration: (configuration: Properties) => configurationFailures(unwrapSecrets(configuration).properties),
    /** `provider`: the name of an explicit provider. */
    configure: (configuration: Properties, provider?: string) => {
      settings = unwrapSecrets(configuration).properties;
      explicit = provider;
    },
    check: (urn: string, last: Properties, news: Properties) =>
      run(urn, [news, last], async (resource, [declared = {}, before = {}], marked) => {
        const { inputs, failures } = await check(resource, before, declared);
        const isElsewhere = imported.has(urn) && ![undefined, unknown, "default"].includes(inputs.connection as string);
        return { inputs: marked(inputs), failures: isElsewhere ? [...failures, importElsewhere] : failures };
      }),
    diff: (urn: string, id: string, state: Properties, lastInputs: Properties, news: Properties) =>
      run(urn, [state, lastInputs, news], async (resource, [last = {}, , inputs = {}]) => {
        const { changes, changing, replaces, deleteBeforeReplace } = await diff(resource, id, last, inputs);
        const changed = propertyChanges(resource.definition.fields, changing, last, inputs);
        const names = [...new Set(changed.map(([, field]) => field))];
        const kinds = changed.map(([path, field, change]) => [path, replaces.includes(field) ? `${change}_REPLACE` : change] as const);
        // Pulumi shows nested changes only inside of the properties that `names` lists.
        return { changes, replaces, deleteBeforeReplace, names, properties: Object.fromEntries(kinds) };
      }),
    create: (urn: string, news: Properties, isPreview: boolean) =>
      run(urn, [news], async (resource, [inputs = {}], marked) => {
        if (isPreview) return { id: "", state: marked(previewed(resource, inputs)) };
        const { id, state } = await create(resource, inputs);
        return { id, state: marked(state) };
      }),
    read: (urn: string, id: string, state: Properties, inputs: Properties) =>
      run(urn, [state, inputs], async (resource, [last = {}, before = {}], marked) => {
        if (Object.keys(last).length + Object.keys(before).length === 0) imported.add(urn);
        const current = isFirstRead(last) ? await importResource(resource, id, last) : await refresh(resource, id, last);
        return current && { id, state: marked(current.state), inputs: marked(current.inputs ?? before) };
      }),
    update: (urn: string, id: string, last: { state: Properties; inputs: Properties }, news: Properties, isPreview: boolean) =>
      run(urn, [news, last.state, last.inputs], async (resource, [inputs = {}, state = {}], marked) => {
        if (isPreview) return marked(previewed(resource, inputs));
        return marked(await update(resource, id, state, inputs));
      }),
    delete: (urn: string, id: string, state: Properties) => run(urn, [state], (resource, [last = {}]) => remove(resource, id, last)),
    /** Finds all objects of a type, by the settings of the provider. */
    async list(type: string) {
      const definition = definitionOf(type);
      const { discover, system, id, name = id } = definition;
      if (typeof discover !== "function") return [];
      const request = {
        operation: connected(system),
        mounts: [],
        modules: [],
        workspaces: true,
        attempt: <T>(_: string, part: () => Promise<T[]>) => part(),
      };
      return withOperation(`Cannot list ${className(definition)}`, async () => {
        const single = await discover({ ...request, asSet: false });
        // A set of roles is found only as a set.
        const objects = single.length > 0 ? single : await discover({ ...request, asSet: true });
        const names = new Map(objects.map(({ state }) => [format(id, state), format(name, state)]));
        return [...names].map(([each, label]) => ({ id: each, name: label }));
      });
    },
    /** Calls a function that reads. */
    async invoke(token: string, marked: Properties) {
      const called = functions.find((each) => nativeType(each.token) === token);
      if (!called) throw unknownType("function", token);
      const { properties, secrets } = unwrapSecrets(marked);
      const options = withoutNulls(properties);
      // The engine accepts no unknown results.
      if (stringsIn(options).includes(unknown)) return {};
      const secretValues = secrets.flatMap((path) => stringsIn(valueAt(properties, path)));
      const result = await withOperation(called.operation, async () => {
        assertOptions(called.options, options);
        return call(
          called as ReadFunction<object, unknown>,
          connected(called.system, options.connection as string | undefined, options),
          options,
        );
      }).catch((error) => {
        throw withoutSecrets(error, secretValues);
      });
      const outputs = called.property === undefined ? result : { [called.property]: result };
      const secretPaths = (called.secrets ?? []).map((field) => [field]);
      // Drops undefined properties, which Pulumi's values cannot have.
      return wrapSecrets(JSON.parse(JSON.stringify(outputs)), secretPaths);
    },
  };
}

export const unknownType = (kind: string, name: string): StewardError =>
  new StewardError({ code: "ERR_INVALID_INPUT", rule: "unknown-type", reason: `pulumi-steward has no ${kind} ${name}` });

function definitionOf(type: string): AnyDefinition {
  const definition = definitions.find(({ token }) => nativeType(token) === type);
  if (definition) return definition;
  throw unknownType("resource type", type);
}

/** The properties of a resource in a preview: its inputs, and unknown outputs. */
const previewed = ({ definition }: Resource, inputs: Properties): Properties => ({
  ...Object.fromEntries(namesWith(definition.fields, "output").map((field) => [field, unknown])),
  ...inputs,
});

const importElsewhere: CheckFailure = {
  path: "connection",
  rule: "import-connection",
  reason: 'an import reads from the connection "default": pass the resource an explicit provider instead',
};

/** The paths of the values that the definition marks as secret. */
const secretPaths = ({ fields }: AnyDefinition): Path[] => [...secretsOf(fields), ...encryptedNames(fields).map((field) => [field])];

/** A provider setting, which an SDK passes as JSON or as an object. */
const settingOf = (value: unknown): unknown => (typeof value === "string" ? (parsed(value) ?? value) : value);

/** The value of `steward:<connection>`. An explicit provider has only the connection `default`. */
function connectionIn(settings: Properties, key: string): string | undefined {
  const name = key.replace(/^steward:/, "");
  const explicit = Object.fromEntries(
    systemNames.flatMap((system) => (settings[system] === undefined ? [] : [[system, settingOf(settings[system])]])),
  );
  if (name === "default" && Object.keys(explicit).length > 0) return JSON.stringify(explicit);
  const value = reserved.includes(name) ? undefined : settings[name];
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}

const configurationFailures = (settings: Properties): CheckFailure[] =>
  Object.entries(settings).flatMap(([name, value]) => {
    const isSystem = systemNames.some((system) => system === name);
    if ((reserved.includes(name) && !isSystem) || value === unknown || isObject(settingOf(value))) return [];
    const reason = isSystem
      ? "must be an object with the address, the token and other settings of that server"
      : "is not a setting; a connection is an object with secrets, platform or scheduler";
    return [{ path: name, rule: "connection", reason }];
  });

export const isSameConfiguration = (a: Properties, b: Properties): boolean =>
  isDeepStrictEqual(unwrapSecrets(a).properties, unwrapSecrets(b).properties);
