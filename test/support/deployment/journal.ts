import { Resource, repaired } from "./state";

/** What the engine would write to the backend at this moment: what is new first, then what is old and not yet dealt with. */
export class Journal {
  /** What was begun and has not ended. */
  readonly pending = new Set<Resource>();
  private readonly done = new Set<Resource>();
  private readonly fresh: Resource[] = [];
  private frozen: Resource[] | undefined;
  /** After a refresh, nothing depends on what is gone. */
  repairs = false;

  /** `renamed`: the URN by which a resource is known now. */
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

  /** A refresh comes before everything else. */
  rebase(base: readonly Resource[]): void {
    this.base = base;
  }

  /** Nothing is written any more. */
  freeze(): void {
    this.frozen = this.resources();
  }

  resources(): Resource[] {
    if (this.frozen) return this.frozen;
    const now = (urn: string): string => this.renamed.get(urn) ?? urn;
    const resources = [...this.fresh, ...this.base]
      .filter((resource) => !this.done.has(resource))
      .map((resource) => ({
        ...resource,
        parent: resource.parent && now(resource.parent),
        dependencies: resource.dependencies.map(now),
        propertyDependencies: Object.fromEntries(
          Object.entries(resource.propertyDependencies).map(([name, urns]) => [name, urns.map(now)]),
        ),
      }));
    return this.repairs ? repaired(resources) : resources;
  }
}
