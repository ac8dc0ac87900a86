import { Properties, sealed } from "./values";

/** A resource in the engine's state. */
export interface Resource {
  urn: string;
  type: string;
  isComponent: boolean;
  id: string;
  inputs: Properties;
  outputs: Properties;
  parent?: string;
  /** The URNs of its dependencies. */
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  secretOutputs: readonly string[];
  replacementTrigger?: unknown;
  /** "Created, but not initialised": the next up updates it, regardless of the diff. */
  initErrors: boolean;
  /** True if it is only read. */
  external: boolean;
  /** True if it was replaced and must be deleted. */
  delete: boolean;
  /** True if it was deleted and must be created again. */
  pendingReplacement: boolean;
}

const every = ({ dependencies, propertyDependencies }: Resource): string[] => [
  ...dependencies,
  ...Object.values(propertyDependencies).flat(),
];

/** The dependencies in a list in which each resource comes after its dependencies. */
export class Graph {
  constructor(private readonly resources: readonly Resource[]) {}

  /** All direct and indirect dependents, with children only on request. */
  dependingOn(root: Resource, ignored: ReadonlySet<string>, withChildren: boolean): Resource[] {
    const dependents = new Set([root.urn]);
    return this.resources.slice(this.resources.indexOf(root) + 1).filter((candidate) => {
      if (ignored.has(candidate.urn)) return false;
      const depends = every(candidate).some((urn) => dependents.has(urn));
      const isChild = withChildren && candidate.parent !== undefined && dependents.has(candidate.parent);
      if (depends || isChild) dependents.add(candidate.urn);
      return depends || isChild;
    });
  }

  /** The direct dependencies, including the parent and the children of a component that it depends on. */
  dependenciesOf(resource: Resource): Set<Resource> {
    const before = this.resources.slice(0, this.resources.indexOf(resource));
    const urns = every(resource);
    const found = new Set(before.filter(({ urn }) => urns.includes(urn) || urn === resource.parent));
    for (const component of [...found].filter(({ urn, isComponent }) => isComponent && urns.includes(urn)))
      for (const inner of before) if (this.isInside(inner, component.urn)) found.add(inner);
    return found;
  }

  transitiveDependenciesOf(resource: Resource, found: Set<Resource> = new Set()): Set<Resource> {
    for (const each of this.dependenciesOf(resource))
      if (!found.has(each)) {
        found.add(each);
        this.transitiveDependenciesOf(each, found);
      }
    return found;
  }

  private isInside(resource: Resource, component: string): boolean {
    for (let parent = resource.parent; parent !== undefined; parent = this.resources.find(({ urn }) => urn === parent)?.parent)
      if (parent === component) return true;
    return false;
  }
}

/** The resources without dependencies and parents that no longer exist. */
export function repaired(resources: readonly Resource[]): Resource[] {
  const there = new Set<string>();
  const parents = new Map<string, string | undefined>(resources.map(({ urn, parent }) => [urn, parent]));
  return resources.map((resource) => {
    const kept = (urns: readonly string[]): string[] => urns.filter((urn) => there.has(urn));
    let { parent } = resource;
    while (parent !== undefined && !there.has(parent)) parent = parents.get(parent);
    there.add(resource.urn);
    return {
      ...resource,
      parent,
      dependencies: kept(resource.dependencies),
      propertyDependencies: Object.fromEntries(Object.entries(resource.propertyDependencies).map(([name, urns]) => [name, kept(urns)])),
    };
  });
}

/** The content of the backend's file. */
export const serialized = (resources: readonly Resource[]): string =>
  JSON.stringify(resources.map((resource) => ({ ...resource, inputs: sealed(resource.inputs), outputs: sealed(resource.outputs) })));
