import { Journal } from "./journal";
import { Halfway, Mechanism } from "./mechanism";
import { Resource } from "./state";
import { marked, same } from "./values";

/** One step of the engine for one resource. */
export type Step = { old?: Resource; new?: Resource } & (
  | { kind: "same"; new: Resource; isSkipped?: boolean }
  | { kind: "create"; new: Resource; keepsOld?: boolean }
  | { kind: "import"; new: Resource }
  | { kind: "update"; old: Resource; new: Resource }
  | { kind: "delete"; old: Resource; isReplaced?: boolean }
  /** Removes it from the state, after it was deleted for a replacement. */
  | { kind: "drop"; old: Resource }
  | { kind: "read"; new: Resource; keepsOld?: boolean }
  | { kind: "refresh"; old: Resource }
);

export const resourceOf = (step: Step): Resource => (step.new ?? step.old) as Resource;

/** The engine's error for an import whose inputs differ from the object's. */
export const mismatch = "inputs to import do not match the existing resource";

/** Runs steps, and updates the journal. Each step throws the provider's error. */
export class Worker {
  constructor(
    private readonly mechanism: Mechanism,
    private readonly journal: Journal,
    private readonly isPreview: boolean,
    /** Called for each URN that a refresh would report. */
    private readonly onDrift: (urn: string) => void,
  ) {}

  async do(step: Step): Promise<void> {
    const resource = resourceOf(step);
    this.journal.pending.add(resource);
    try {
      const perform: (step: never) => Promise<void> = this[step.kind];
      await perform.call(this, step as never);
    } finally {
      this.journal.pending.delete(resource);
    }
  }

  private async same({ old, new: fresh, isSkipped }: Step & { kind: "same" }): Promise<void> {
    if (isSkipped) return;
    Object.assign(fresh, { id: old?.id ?? "", outputs: old?.outputs ?? {} });
    this.mark(fresh);
    if (old) this.journal.remove(old);
    this.journal.add(fresh);
  }

  private async create({ old, new: fresh, keepsOld }: Step & { kind: "create" }): Promise<void> {
    const failure = await this.perhapsPartly(fresh, () => this.mechanism.create(fresh, fresh.inputs, this.isPreview));
    this.mark(fresh);
    if (old && keepsOld) old.delete = true;
    this.journal.add(fresh);
    if (old?.pendingReplacement) this.journal.remove(old);
    if (failure) throw failure;
  }

  /** Imports an object. The program must declare the object's values. */
  private async import({ new: fresh }: Step & { kind: "import" }): Promise<void> {
    const found = await this.mechanism.read(fresh, { inputs: {}, outputs: {} });
    const { inputs, failures } = await this.mechanism.check(fresh, found.inputs, fresh.inputs, this.isPreview);
    if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
    const { changes } = await this.mechanism.diff(fresh, found, inputs, this.isPreview);
    if (changes && !this.isPreview) throw new Error(mismatch);
    Object.assign(fresh, { inputs, outputs: found.outputs });
    this.mark(fresh);
    this.journal.add(fresh);
  }

  private async update({ old, new: fresh }: Step & { kind: "update" }): Promise<void> {
    fresh.id = old.id;
    const failure = await this.perhapsPartly(fresh, async () => ({
      id: old.id,
      outputs: await this.mechanism.update(fresh, old, fresh.inputs, this.isPreview),
    }));
    this.mark(fresh);
    // The engine keeps the previous inputs, since the new ones were not applied.
    if (failure) fresh.inputs = old.inputs;
    this.journal.remove(old);
    this.journal.add(fresh);
    if (failure) throw failure;
  }

  /** Writes a resource. Returns the error if that was only done in part. */
  private async perhapsPartly(fresh: Resource, write: () => Promise<Pick<Resource, "id" | "outputs">>): Promise<Halfway | undefined> {
    try {
      if (!fresh.isComponent) Object.assign(fresh, await write());
      return undefined;
    } catch (error) {
      if (!(error instanceof Halfway)) throw error;
      Object.assign(fresh, { id: fresh.id || error.id, outputs: error.properties, initErrors: true });
      return error;
    }
  }

  private async delete({ old, isReplaced }: Step & { kind: "delete" }): Promise<void> {
    if (!this.isPreview && !old.external && !old.isComponent) await this.mechanism.delete(old, old);
    if (isReplaced) old.pendingReplacement = true;
    // After its deletion, a replaced resource stays in the state until its successor exists.
    if (!old.pendingReplacement) this.journal.remove(old);
  }

  private async drop({ old }: Step & { kind: "drop" }): Promise<void> {
    this.journal.remove(old);
  }

  private async read({ old, new: fresh, keepsOld }: Step & { kind: "read" }): Promise<void> {
    const { id, outputs } = await this.mechanism.read(fresh, { inputs: {}, outputs: fresh.inputs });
    Object.assign(fresh, { id: id || fresh.id, outputs });
    this.mark(fresh);
    if (old && keepsOld) old.delete = true;
    else if (old) this.journal.remove(old);
    this.journal.add(fresh);
  }

  /** Sets the result in the step: without a new resource if it no longer exists. */
  private async refresh(step: Step & { kind: "refresh" }): Promise<void> {
    const { old } = step;
    step.new = old.isComponent || old.pendingReplacement ? { ...old } : await this.readAgain(old, { ...old });
  }

  private async readAgain(old: Resource, fresh: Resource): Promise<Resource | undefined> {
    const found = await this.mechanism.read(old, old);
    if (found.id === "") {
      this.onDrift(old.urn);
      return undefined;
    }
    Object.assign(fresh, found, { initErrors: false });
    const changes = old.external ? !same(old.outputs, fresh.outputs) : (await this.mechanism.diff(fresh, found, old.inputs, false)).changes;
    if (changes) this.onDrift(old.urn);
    this.mark(fresh);
    return fresh;
  }

  private mark(resource: Resource): void {
    resource.outputs = marked(resource.outputs, resource.inputs, resource.secretOutputs);
  }
}
