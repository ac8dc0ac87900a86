import { provider } from "../../../provider/engine/runtime";
import { wire } from "../engine";
import { Resource } from "./state";
import { annotated, known, Properties, plain } from "./values";

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
export type Halfway = Error & { id?: string; properties?: Properties; partial?: { id: string; properties: Properties } };

/** Passes an error on, with the properties of a partially created resource as in the state. */
export const halfway =
  (stored: (properties: Properties) => Properties) =>
  (error: Halfway): never => {
    const { id, properties = {} } = error.partial ?? error;
    throw id ? Object.assign(new Error(error.message), { id, properties: stored(properties) }) : error;
  };

/** The connection from the engine to the providers of one process. All values are as in the state, with marks of secrets. */
export interface Mechanism {
  /** Additional inputs of each resource. */
  inputs: Properties;
  configure(config: Config): void;
  check(of: Subject, last: Properties, given: Properties, isPreview: boolean): Promise<{ inputs: Properties; failures: Failure[] }>;
  diff(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Difference>;
  create(of: Subject, news: Properties, isPreview: boolean): Promise<{ id: string; outputs: Properties }>;
  /** Reads a resource. Without an id, it is deleted. */
  read(of: Subject, last: Last): Promise<Last & { id: string }>;
  update(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Properties>;
  delete(of: Subject, last: Last): Promise<void>;
}
type Failure = { reason: string };

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
  // A partially created resource contains its provider.
  const halfMade = (given: Properties): ((error: Halfway) => never) => halfway((properties) => annotated(wire(properties), given));
  return {
    inputs,
    configure: (config) => {
      settings = config;
    },
    async check(subject, last, given, isPreview) {
      const found = await of(subject).check(sent(last, isPreview), sent(given, isPreview));
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
