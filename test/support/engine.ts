import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { clearCache } from "../../provider/engine/dynamic-runtime";
import { CheckFailure, invalidInput } from "../../provider/errors";
import { provider } from "./limits";

/** A stand-in for the engine that never ends. */
export const noEngine = { assertAlive: async (): Promise<void> => {}, savesEachStep: true };

type Properties = Record<string, unknown>;
interface Stored {
  id: string;
  inputs: Properties;
  outputs: Properties;
  /** "Created, but not initialised": the next up updates it, regardless of the diff. */
  initErrors: boolean;
}
export type Operation = "create" | "same" | "update" | "replace";

/** The error that makes a resource "created, but not initialised". */
type Halfway = Error & { id?: string; properties?: Properties };

/** Encodes values like the protocol of the engine. Throws if it cannot, such as for an undefined value in an object. */
export const wire = <T extends object>(value: T): T => Struct.fromJavaScript(value as Record<string, JavaScriptValue>).toJavaScript() as T;

/** The engine's calls to a provider. A native one receives the last inputs as well. */
export interface Handler {
  configure(request: { config: { get(key: string): string | undefined } }): void;
  check(olds: Properties, news: Properties): Promise<{ inputs: Properties; failures: (CheckFailure & { property: string })[] }>;
  diff(
    id: string,
    olds: Properties,
    news: Properties,
    lastInputs: Properties,
  ): Promise<{ changes: boolean; replaces: string[]; deleteBeforeReplace: boolean }>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, state: Properties, lastInputs: Properties): Promise<{ id: string; props?: Properties; inputs?: Properties }>;
  update(id: string, olds: Properties, news: Properties, lastInputs: Properties): Promise<{ outs: Properties }>;
  delete(id: string, state: Properties): Promise<void>;
}

const differing = (before: Properties, after: Properties): string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => name !== "__provider" && JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    .sort();

/** One resource under a stand-in of the engine. It makes the same calls, in the same order and with the same arguments. */
export class Engine {
  state: Stored | undefined;

  constructor(
    token: string,
    config: Record<string, object>,
    protected readonly handler: Handler = provider(token),
  ) {
    this.configure(config);
  }

  /** Starts a new process. */
  protected forget(): void {
    clearCache();
  }

  /** Changes the stack configuration. */
  configure(config: Record<string, object>): void {
    this.handler.configure({ config: { get: (key) => config[key] && JSON.stringify(config[key]) } });
  }

  /** The failures of `check`, such as `policies[1]: policy-name`. */
  async problems(inputs: Properties): Promise<string[]> {
    const { failures } = await this.handler.check(this.state?.inputs ?? {}, wire({ ...inputs, __provider: "text" }));
    for (const failure of failures) expect(failure.property).toBe("");
    return failures.map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  }

  async preview(
    inputs: Properties,
  ): Promise<{ operation: Operation; inputs: Properties; replaces: string[]; deleteBeforeReplace: boolean }> {
    const checked = await this.handler.check(this.state?.inputs ?? {}, wire({ ...inputs, __provider: "text" }));
    if (checked.failures.length > 0) throw invalidInput(checked.failures);
    const news = wire({ ...checked.inputs, __provider: "text" });
    if (!this.state) return { operation: "create", inputs: news, replaces: [], deleteBeforeReplace: false };
    const diff = await this.handler.diff(this.state.id, wire(this.state.outputs), news, wire(this.state.inputs));
    const changed = diff.changes || this.state.initErrors;
    const operation = !changed ? "same" : diff.replaces.length > 0 ? "replace" : "update";
    return { operation, inputs: news, replaces: diff.replaces, deleteBeforeReplace: diff.deleteBeforeReplace };
  }

  /** `remembers` continues the process of another resource. */
  async up(inputs: Properties, { remembers = false } = {}): Promise<Operation> {
    if (!remembers) this.forget();
    const plan = await this.preview(inputs);
    const old = this.state;
    if (plan.operation === "create") await this.create(plan.inputs);
    if (plan.operation === "same" && old) old.inputs = plan.inputs;
    if (plan.operation === "update" && old) await this.update(plan.inputs);
    if (plan.operation === "replace" && old) {
      if (plan.deleteBeforeReplace) await this.destroy();
      await this.create(plan.inputs);
      if (!plan.deleteBeforeReplace) await this.handler.delete(old.id, wire(old.outputs));
    }
    return plan.operation;
  }

  /** Replaces the resource as `replacementTrigger` does, deleting first. The provider gets a diff, and then calls as for a new resource. */
  async replace(inputs: Properties): Promise<void> {
    this.forget();
    await this.preview(inputs);
    const old = this.state;
    this.state = undefined;
    const plan = await this.preview(inputs);
    this.state = old;
    await this.destroy({ remembers: true });
    await this.create(plan.inputs);
  }

  /** Creates the resource without another check, as the engine does after a preview. */
  async create(inputs: Properties): Promise<void> {
    try {
      const { id, outs } = await this.handler.create(wire(inputs));
      this.state = { id, inputs, outputs: wire({ ...outs, __provider: "text" }), initErrors: false };
    } catch (error) {
      this.keep(inputs, error as Halfway);
      throw error;
    }
  }

  private async update(inputs: Properties): Promise<void> {
    const { id, outputs } = this.state as Stored;
    try {
      const { outs } = await this.handler.update(id, wire(outputs), wire(inputs), wire((this.state as Stored).inputs));
      this.state = { id, inputs, outputs: wire({ ...outs, __provider: "text" }), initErrors: false };
    } catch (error) {
      // After a partial update, the engine keeps the previous inputs.
      this.keep((this.state as Stored).inputs, error as Halfway);
      throw error;
    }
  }

  private keep(inputs: Properties, { id, properties }: Halfway): void {
    if (!id || !properties) return;
    // Without it, the provider of this resource could not be loaded again.
    if (properties.__provider !== "text") throw new Error("the properties of what was made in part have no __provider");
    this.state = { id, inputs, outputs: wire(properties), initErrors: true };
  }

  /** Refreshes. Returns the fields that the engine would report as changed, or "gone". */
  async refresh(): Promise<string[] | "gone"> {
    this.forget();
    const { id, inputs, outputs } = this.state as Stored;
    const read = await this.handler.read(id, wire(outputs), wire(inputs));
    if (read.id === "") {
      this.state = undefined;
      return "gone";
    }
    const fresh = wire({ ...read.props, __provider: "text" });
    const { changes } = await this.handler.diff(id, fresh, wire(inputs), wire(read.inputs ?? inputs));
    const now = read.inputs ?? inputs;
    const changed = differing(inputs, now);
    this.state = { id, inputs: wire({ ...(read.inputs ?? inputs), __provider: "text" }), outputs: fresh, initErrors: false };
    if (!changes) return [];
    return changed.length > 0 ? changed : differing(outputs, fresh);
  }

  /** The result of `Type.get(name, id)`. */
  async get(id: string, args: Properties = {}): Promise<Properties> {
    const read = await this.handler.read(id, wire({ ...args, __provider: "text" }), {});
    expect(read.id).toBe(id);
    this.expectInputsOfGet(read.inputs);
    this.state = { id, inputs: {}, outputs: wire({ ...read.props, __provider: "text" }), initErrors: false };
    return this.outputs();
  }

  protected expectInputsOfGet(inputs: Properties | undefined): void {
    expect(inputs).toBeUndefined();
  }

  /** `remembers` continues the process in which another resource was deleted. */
  async destroy({ remembers = false } = {}): Promise<void> {
    if (!remembers) this.forget();
    const { id, outputs } = this.state as Stored;
    await this.handler.delete(id, wire(outputs));
    this.state = undefined;
  }

  /** The outputs that a program sees, without internal ones of the adapter. */
  outputs(): Properties {
    const { __provider, declared, server, instance, partiallyUpdated, ...outputs } = this.state?.outputs ?? {};
    return outputs;
  }
}
