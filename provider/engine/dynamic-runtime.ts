import { ConfigurationSources } from "../connection";
import { AnyDefinition } from "../definition";
import { definitions } from "../definitions";
import { CheckFailure } from "../errors";
import { lifecycle } from "../lifecycle";
import { atPath } from "../lifecycle/check";
import { OperationFailed } from "../lifecycle/failure";
import { Properties } from "../lifecycle/properties";
import { standardOutput } from "../log/print";
import { printable } from "../text/printable";
import { toEngineError } from "./diagnostics";
import { monitorEngine } from "./engine";

/** The engine reads `property` and `reason`. */
interface Failure extends CheckFailure {
  property: string;
}

export interface DynamicProvider {
  configure(request: { config: { get(key: string): string | undefined } }): void;
  check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: Failure[] }>;
  diff(id: string, olds: Properties, news: Properties): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, state: Properties): Promise<{ id: string; props?: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, state: Properties): Promise<void>;
}

// The engine passes its own address as the first argument.
const engine = monitorEngine(process.argv[2]);

/** The cache lasts for one Pulumi operation, since the engine starts a process for each. */
const cache = new Map<string, unknown>();

export function clearCache(): void {
  cache.clear();
}

/** The provider of a type with other sources, such as the limits of a test. */
export function providerWith(overrides: Partial<ConfigurationSources>, token: string): DynamicProvider {
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
  const life = lifecycle(definition, sources);

  /** Converts the error of an operation for the engine, which refreshes and deletes a partial resource with the provider in its state. */
  async function attempt<T>(provider: unknown, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      if (error.partial) error.partial.properties.__provider = provider;
      throw toEngineError(error);
    }
  }

  return {
    // Stays synchronous: the engine sends the first request without waiting for a promise.
    configure({ config }) {
      sources.config = (key) => config.get(key);
    },
    async check(olds, { __provider, ...news }) {
      const { inputs, findings } = await life.check(olds ?? {}, news);
      // The engine prints the value of a named property, even a secret.
      return {
        inputs,
        failures: findings.map((failure) => ({ ...failure, property: "", reason: printable(atPath(failure.path, failure.reason)) })),
      };
    },
    diff: (id, { __provider: recorded, ...state }, { __provider, ...news }) =>
      attempt(__provider, async () => {
        const difference = await life.diff(id, state, news);
        return { ...difference, changes: difference.changes || recorded === undefined };
      }),
    create: ({ __provider, ...news }) =>
      attempt(__provider, async () => {
        const { id, state } = await life.create(news);
        return { id, outs: { ...state, __provider } };
      }),
    read: (id, { __provider, ...state }) =>
      attempt(__provider, async () => {
        const resource = await life.read(id, state);
        return resource ? { id, props: resource.state, inputs: resource.inputs } : { id: "" };
      }),
    update: (id, { __provider: recorded, ...state }, { __provider, ...news }) =>
      attempt(__provider, async () => {
        // If the native plugin wrote the state and nothing else changed, only `__provider` is missing.
        const isSame = recorded === undefined && !(await life.diff(id, state, news)).changes;
        return { outs: { ...(isSame ? state : await life.update(id, state, news)), __provider } };
      }),
    delete: (id, { __provider, ...state }) => attempt(__provider, () => life.delete(id, state)),
  };
}
