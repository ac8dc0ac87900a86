import { ConfigurationSources } from "../connection";
import { AnyDefinition } from "../contract/definition";
import { check } from "../lifecycle/check";
import { Resource } from "../lifecycle/context";
import { create } from "../lifecycle/create";
import { remove } from "../lifecycle/delete";
import { diff } from "../lifecycle/diff";
import { OperationFailed } from "../lifecycle/failure";
import { fromStored, toStored } from "../lifecycle/hidden";
import { get, isFirstRead } from "../lifecycle/import";
import { atPath } from "../lifecycle/notes";
import { Properties } from "../lifecycle/properties";
import { refresh } from "../lifecycle/refresh";
import { update } from "../lifecycle/update";
import { definitions } from "../registry/resources";
import { standardOutput } from "../text/log";
import { printable } from "../text/printable";
import { toEngineError } from "./diagnostics";
import { monitorEngine } from "./engine";

export type DynamicProvider = ReturnType<typeof providerWith>;

// The engine passes its own address as the first argument.
const engine = monitorEngine(process.argv[2]);

/** The cache lasts for one Pulumi operation, since the engine starts a process for each. */
const cache = new Map<string, unknown>();

export function clearCache(): void {
  cache.clear();
}

/** The provider of a type with other sources, such as the limits of a test. */
export function providerWith(overrides: Partial<ConfigurationSources>, token: string) {
  const definition: AnyDefinition | undefined = definitions.find((candidate) => candidate.token === token);
  if (!definition) throw new Error(`pulumi-steward has no type ${token}.`);
  const sources: ConfigurationSources = {
    config: () => undefined,
    environment: process.env,
    cache,
    engine,
    log: standardOutput,
    ...overrides,
  };
  const resource: Resource = { definition, mechanism: sources };
  const plain = ({ __provider, ...stored }: Properties): Properties => fromStored(definition.fields, stored);
  const toOutputs = (state: Properties): Properties => toStored(definition.fields, state);

  /** Converts the error of an operation for the engine, which refreshes and deletes a partial resource with the provider in its state. */
  async function attempt<T>(provider: unknown, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      if (error.partial) error.partial.properties = { ...toOutputs(error.partial.properties), __provider: provider };
      throw toEngineError(error);
    }
  }

  return {
    // Stays synchronous: the engine sends the first request without waiting for a promise.
    configure({ config }: { config: { get(key: string): string | undefined } }) {
      sources.config = (key) => config.get(key);
    },
    async check(olds: Properties, { __provider, ...news }: Properties) {
      const { inputs, failures } = await check(resource, olds ?? {}, news);
      // The engine prints the value of a named property, even a secret.
      return { inputs, failures: failures.map((each) => ({ ...each, property: "", reason: printable(atPath(each.path, each.reason)) })) };
    },
    diff: (id: string, outputs: Properties, { __provider, ...news }: Properties) =>
      attempt(__provider, async () => {
        const difference = await diff(resource, id, plain(outputs), news);
        return { ...difference, changes: difference.changes || outputs.__provider === undefined };
      }),
    create: ({ __provider, ...news }: Properties) =>
      attempt(__provider, async () => {
        const { id, state } = await create(resource, news);
        return { id, outs: { ...toOutputs(state), __provider } };
      }),
    read: (id: string, outputs: Properties): Promise<{ id: string; props?: Properties; inputs?: Properties }> =>
      attempt(outputs.__provider, async () => {
        const state = plain(outputs);
        if (isFirstRead(state)) return { id, props: toOutputs((await get(resource, id, state)).state) };
        const current = await refresh(resource, id, state);
        return current ? { id, props: toOutputs(current.state), inputs: current.inputs } : { id: "" };
      }),
    update: (id: string, outputs: Properties, { __provider, ...news }: Properties) =>
      attempt(__provider, async () => {
        const state = plain(outputs);
        // If the native plugin wrote the state and nothing else changed, only `__provider` is missing.
        const isSame = outputs.__provider === undefined && !(await diff(resource, id, state, news)).changes;
        return { outs: { ...toOutputs(isSame ? state : await update(resource, id, state, news)), __provider } };
      }),
    delete: (id: string, outputs: Properties) => attempt(outputs.__provider, () => remove(resource, id, plain(outputs))),
  };
}
