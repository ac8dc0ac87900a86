import { Resource } from "./state";

/** The state that the engine would save at this moment: new resources first, then the old ones that remain. */
export class Journal {
  /** The steps in progress. */
  readonly pending = new Set<Resource>();
  private readonly done = new Set<Resource>();
  private readonly fresh: Resource[] = [];
  private frozen: Resource[] | undefined;

  /** `renamed` returns the current URN of a resource. */
  constructor(
    private base: readonly Resource[],
    private readonly renamed: ReadonlyMap<string, string>,
  ) {}

  add(resource: Resource): void {
    this.fresh.push(resource);
  }

  remove(resource: Resource): void {
    this.done.add(resource);
  }

  /** Sets the state after a refresh, which precedes all other steps. */
  rebase(base: readonly Resource[]): void {
    this.base = base;
  }

  /** Stops saving. */
  freeze(): void {
    this.frozen = this.resources();
  }

  resources(): Resource[] {
    if (this.frozen) return this.frozen;
    const now = (urn: string): string => this.renamed.get(urn) ?? urn;
    return [...this.fresh, ...this.base]
      .filter((resource) => !this.done.has(resource))
      .map((resource) => ({
        ...resource,
        parent: resource.parent && now(resource.parent),
        dependencies: resource.dependencies.map(now),
        propertyDependencies: Object.fromEntries(
          Object.entries(resource.propertyDependencies).map(([name, urns]) => [name, urns.map(now)]),
        ),
      }));
  }
}
