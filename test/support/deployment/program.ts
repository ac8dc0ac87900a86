import { Properties, referencesIn } from "./values";

/** A resource in a program, with its options. Names are unique in a program. */
export interface Declaration {
  name: string;
  /** The type, such as `secrets:SchedulerRole`. A component has no provider. */
  type: string;
  isComponent?: boolean;
  /** The inputs, with marks of secrets and references to outputs of other resources. */
  inputs: Properties;
  /** The name of a component in the program. */
  parent?: string;
  /** The URNs of the aliases. */
  aliases?: readonly string[];
  dependsOn?: readonly string[];
  /** The dependencies of each input, if the inputs have no references. */
  propertyDependencies?: Record<string, readonly string[]>;
  /** The id of an existing object that a new resource imports. */
  import?: string;
  /** The id of a resource that is only read. */
  get?: string;
  deleteBeforeReplace?: boolean;
  /** Names of inputs. A dynamic provider does not report changed inputs, so "*" only replaces partially created resources. */
  replaceOnChanges?: readonly string[];
  /** A value whose change replaces the resource. */
  replacementTrigger?: unknown;
  secretOutputs?: readonly string[];
  /** The outputs that a component registers at the end of the program. */
  outputs?: Properties;
}

export type Program = readonly Declaration[];

/** Returns a URN such as `Group$secrets:SchedulerRole::web`: the types of the parents, its own type, and its name. */
export const urnOf = (type: string, name: string, parent?: string): string => `${parent ? `${typesIn(parent)}$` : ""}${type}::${name}`;

const typesIn = (urn: string): string => urn.slice(0, urn.lastIndexOf("::"));
const nameIn = (urn: string): string => urn.slice(urn.lastIndexOf("::") + 2);
const lastTypeIn = (urn: string): string => typesIn(urn).split("$").at(-1) as string;

/** The engine's inheritedChildAlias: the former URN of a child whose parent had another name. */
const inheritedAlias = (type: string, name: string, parent: string, parentAlias: string): string => {
  const prefix = nameIn(parent);
  const renamed = name.startsWith(prefix) ? nameIn(parentAlias) + name.slice(prefix.length) : name;
  return `${typesIn(parentAlias)}$${type}::${renamed}`;
};

/** Every URN that a resource may have had, its current one first. `used` is the alias under which each parent was found. */
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

/** The resources that must exist before this one is registered. */
export const dependenciesOf = ({ inputs, dependsOn = [], parent }: Declaration): string[] => [
  ...new Set([...referencesIn(inputs), ...dependsOn, ...(parent ? [parent] : [])]),
];
