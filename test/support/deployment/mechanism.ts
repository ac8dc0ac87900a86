import { provider } from "../../../provider/adapters/dynamic-runtime";
import { wire } from "../engine";
import { Resource } from "./state";
import { annotated, known, Properties, plain } from "./values";

export type Config = Record<string, object>;

/** A dynamic provider of one type. */
export type Provider = ReturnType<typeof provider>;

/** What the engine compares to decide on a step. */
export interface Difference {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** Which resource the engine asks about. */
export type Subject = Pick<Resource, "urn" | "type" | "id">;

/** The inputs and outputs of the last operation. */
export type Last = Pick<Resource, "inputs" | "outputs">;

/** What an error carries that the engine makes "created, but not initialised" of; its properties as the state has them. */
export type Halfway = Error & { id?: string; properties?: Properties };

/** Passes an error on, with the properties of what was made in part as the state has them. */
export const halfway =
  (stored: (properties: Properties) => Properties) =>
  (error: Halfway): never => {
    const { id, message, properties = {} } = error;
    throw id ? Object.assign(new Error(message), { id, properties: stored(properties) }) : error;
  };

/** How the engine reaches the providers of one process: all values are as the state has them, with marks of secrets. */
export interface Mechanism {
  /** What each resource has as an input besides what it declares. */
  inputs: Properties;
  configure(config: Config): void;
  check(of: Subject, last: Properties, given: Properties, isPreview: boolean): Promise<{ inputs: Properties; failures: Failure[] }>;
  diff(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Difference>;
  create(of: Subject, news: Properties, isPreview: boolean): Promise<{ id: string; outputs: Properties }>;
  /** No id: it is gone. */
  read(of: Subject, last: Last): Promise<Last & { id: string }>;
  update(of: Subject, last: Last, news: Properties, isPreview: boolean): Promise<Properties>;
  delete(of: Subject, last: Last): Promise<void>;
}
type Failure = { reason: string };

/** The text that each resource carries instead of its provider. */
const inputs = { __provider: "text" };

/** Without marks, and without what is not known unless a preview may send that. */
const sent = (properties: Properties, isPreview = false): Properties => wire(plain(isPreview ? properties : known(properties)));

/** Dynamic providers, one for each type. They take no secrets: the engine marks what they return. */
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
  // What was made in part carries its provider itself.
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
      // The engine asks no dynamic provider in a preview.
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
