import { CheckFailure } from "../../../provider/contract/errors";
import { provider } from "../../../provider/engine/runtime";
import { Resource } from "./state";
import { annotated, known, Properties, plain, wire } from "./values";

export type Config = Record<string, object>;

export type Provider = ReturnType<typeof provider>;

/** The values that the engine compares to choose a step. */
export interface Difference {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

export type Subject = Pick<Resource, "urn" | "type" | "id">;

export type Last = Pick<Resource, "inputs" | "outputs">;

/** The error that makes a resource "created, but not initialised", with its properties as in the state. */
export class Halfway extends Error {
  constructor(
    readonly error: Error,
    readonly id: string,
    readonly properties: Properties,
  ) {
    super(error.message);
  }
}

/** The connection from the engine to the providers of one process. All values are as in the state, with marks of secrets. */
export interface Mechanism {
  /** Additional inputs of each resource. */
  inputs: Properties;
  configure(config: Config): void;
  check(of: Subject, last: Properties, given: Properties, isPreview: boolean): Promise<{ inputs: Properties; failures: CheckFailure[] }>;
  diff(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Difference>;
  create(of: Subject, news: Properties, isPreview: boolean): Promise<{ id: string; outputs: Properties }>;
  /** Reads a resource. Without an id, it is deleted. */
  read(of: Subject, last: Last): Promise<Last & { id: string }>;
  update(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Properties>;
  delete(of: Subject, last: Last): Promise<void>;
}

/** The string that each resource contains instead of its provider. */
const inputs = { __provider: "text" };

/** The properties without marks and, unless a preview may send them, without unknown values. */
const sent = (properties: Properties, isPreview = false): Properties => wire(plain(isPreview ? properties : known(properties)));

/** Dynamic providers, one for each type. They receive no secrets: the engine marks their results. */
export function dynamic(providers: (type: string) => Provider): Mechanism {
  const configured = new Map<string, Provider>();
  let settings: Config = {};
  const of = ({ type }: Subject): Provider => {
    const found = configured.get(type) ?? providers(type);
    if (!configured.has(type)) found.configure({ config: { get: (key) => settings[key] && JSON.stringify(settings[key]) } });
    configured.set(type, found);
    return found;
  };
  const returned = (properties: Properties | undefined, given: Properties): Properties =>
    annotated(wire({ ...properties, ...inputs }), given);
  const halfMade =
    (given: Properties) =>
    (error: Error & { id?: string; properties?: Properties }): never => {
      const { id, properties = {} } = error;
      if (!id) throw error;
      // Without it, the provider of this resource could not be loaded again.
      if (!properties.__provider) throw new Error("the properties of what was made in part have no __provider");
      throw new Halfway(error, id, annotated(wire(properties), given));
    };
  return {
    inputs,
    configure: (config) => {
      settings = config;
    },
    async check(subject, last, given, isPreview) {
      const found = await of(subject).check(sent(last, isPreview), sent(given, isPreview));
      // The engine would print the value of a named property.
      for (const { property } of found.failures) if (property !== "") throw new Error(`a failed check names the property ${property}`);
      return { inputs: annotated({ ...found.inputs, ...inputs }, given), failures: found.failures };
    },
    diff: async (subject, { outputs }, news, isPreview) => of(subject).diff(subject.id, sent(outputs, isPreview), sent(news, isPreview)),
    async create(subject, news, isPreview) {
      // The engine does not call a dynamic provider in a preview.
      if (isPreview) return { id: "", outputs: news };
      const { id, outs } = await of(subject).create(sent(news)).catch(halfMade(news));
      return { id, outputs: returned(outs, news) };
    },
    async read(subject, last) {
      const found = await of(subject).read(subject.id, sent(last.outputs));
      return {
        id: found.id,
        inputs: found.inputs ? returned(found.inputs, last.inputs) : last.inputs,
        outputs: returned(found.props, last.outputs),
      };
    },
    async update(subject, { outputs }, news, isPreview) {
      if (isPreview) return news;
      const { outs } = await of(subject).update(subject.id, sent(outputs), sent(news)).catch(halfMade(news));
      return returned(outs, news);
    },
    delete: async (subject, { outputs }) => of(subject).delete(subject.id, sent(outputs)),
  };
}
