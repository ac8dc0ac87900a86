import { Properties, referencesIn } from "./values";

/** A resource as a program declares it, with what its class tells the engine. Names are unique in a program. */
export interface Declaration {
  name: string;
  /** `secrets:SchedulerRole`; without a provider it is a component. */
  type: string;
  isComponent?: boolean;
  /** Secrets are marked, outputs of other resources referred to. */
  inputs: Properties;
  /** The name of a component of the program. */
  parent?: string;
  /** URNs. */
  aliases?: readonly string[];
  dependsOn?: readonly string[];
  /** What each input depends on, where the inputs hold no references. */
  propertyDependencies?: Record<string, readonly string[]>;
  /** The id of an object that exists, and that a new resource takes over. */
  import?: string;
  /** The id of a resource that is only read. */
  get?: string;
  deleteBeforeReplace?: boolean;
  /** Names of inputs. A dynamic provider does not say which inputs changed, so all that it replaces is what was only half made, by "*". */
  replaceOnChanges?: readonly string[];
  /** A change of it replaces. */
  replacementTrigger?: unknown;
  secretOutputs?: readonly string[];
  /** What a component registers as its outputs, at the end of the program. */
  outputs?: Properties;
}

export type Program = readonly Declaration[];

/** `Group$secrets:SchedulerRole::web`: the types of its parents, its own, and its name. */
export const urnOf = (type: string, name: string, parent?: string): string => `${parent ? `${typesIn(parent)}$` : ""}${type}::${name}`;

const typesIn = (urn: string): string => urn.slice(0, urn.lastIndexOf("::"));
const nameIn = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);
const lastTypeIn = (urn: string): string => typesIn(urn).split("$").at(-1) as string;

/** The engine's inheritedChildAlias: what a child was called when its parent was called otherwise. */
const inheritedAlias = (type: string, name: string, parent: string, parentAlias: string): string => {
  const prefix = nameIn(parent);
  const renamed = name.startsWith(prefix) ? nameIn(parentAlias) + name.slice(prefix.length) : name;
  return `${typesIn(parentAlias)}$${type}::${renamed}`;
};

/** Every URN that a resource may have had, its own first. `used`: the alias under which each parent was found. */
export function formerUrns(
  urn: string,
  aliases: readonly string[],
  parent: string | undefined,
  used: ReadonlyMap<string, string>,
): string[] {
  const parentAlias = parent && used.get(parent);
  if (!parent || !parentAlias) return [urn, ...aliases];
  const inherited = [urn, ...aliases].map((each) => inheritedAlias(lastTypeIn(each), nameIn(each), parent, parentAlias));
  return [urn, ...aliases, ...inherited];
}

/** The resources that have to be there before this one is registered. */
export const dependenciesOf = ({ inputs, dependsOn = [], parent }: Declaration): string[] => [
  ...new Set([...referencesIn(inputs), ...dependsOn, ...(parent ? [parent] : [])]),
];
