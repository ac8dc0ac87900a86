import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { clearCache } from "../../provider/adapters/dynamic-runtime";
import { CheckFailure, invalidInput } from "../../provider/errors";
import { provider } from "./limits";

/** Nobody who could die. */
export const noEngine = { assertAlive: async (): Promise<void> => {}, savesEachStep: true };

type Properties = Record<string, unknown>;
interface Stored {
  id: string;
  inputs: Properties;
  outputs: Properties;
  /** "Created, but not initialised": the next up updates, whatever diff says. */
  initErrors: boolean;
}
export type Operation = "create" | "same" | "update" | "replace";

/** What an error carries that the engine makes "created, but not initialised" of. */
type Halfway = Error & { id?: string; properties?: Properties };

/** As the wire between the engine and the provider does it: what it cannot carry, an undefined inside an object for one, throws. */
export const wire = <T extends object>(value: T): T => Struct.fromJavaScript(value as Record<string, JavaScriptValue>).toJavaScript() as T;

/** What the engine asks of a provider. A native one gets the last inputs as well. */
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

/** One resource under an engine: what the real one calls, in its order, with the arguments that it passes. */
export class Engine {
  state: Stored | undefined;

  constructor(
    token: string,
    config: Record<string, object>,
    protected readonly handler: Handler = provider(token),
  ) {
    this.configure(config);
  }

  /** As a new process begins. */
  protected forget(): void {
    clearCache();
  }

  /** A changed stack configuration. */
  configure(config: Record<string, object>): void {
    this.handler.configure({ config: { get: (key) => config[key] && JSON.stringify(config[key]) } });
  }

  /** What `check` finds wrong: `policies[1]: policy-name`. */
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

  /** `remembers`: in the process that another resource was seen in before. */
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

  /** A replacement that the resource option `replacementTrigger` orders, deleted first: the provider is asked for a diff, and then as if it were new. */
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

  /** Without another check: what the engine does after a preview. */
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
      // Of an update that failed half-way, the engine keeps the inputs from before.
      this.keep((this.state as Stored).inputs, error as Halfway);
      throw error;
    }
  }

  private keep(inputs: Properties, { id, properties }: Halfway): void {
    if (!id || !properties) return;
    // Without it nothing could load the provider of this resource again.
    if (properties.__provider !== "text") throw new Error("the properties of what was made in part have no __provider");
    this.state = { id, inputs, outputs: wire(properties), initErrors: true };
  }

  /** Refreshes; gives back what the engine would show as changed, or "gone". */
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
    const names = [...new Set([...Object.keys(read.inputs ?? {}), ...Object.keys(inputs)])].filter((name) => name !== "__provider");
    const now = read.inputs ?? inputs;
    const changed = names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(inputs[name])).sort();
    this.state = { id, inputs: wire({ ...(read.inputs ?? inputs), __provider: "text" }), outputs: fresh, initErrors: false };
    return changes ? changed : [];
  }

  /** What `Type.get(name, id)` reads. */
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

  /** `remembers`: another resource was deleted before in the same process. */
  async destroy({ remembers = false } = {}): Promise<void> {
    if (!remembers) this.forget();
    const { id, outputs } = this.state as Stored;
    await this.handler.delete(id, wire(outputs));
    this.state = undefined;
  }

  /** The outputs that a program sees, without the adapter's own. */
  outputs(): Properties {
    const { __provider, declared, server, instance, halfDone, ...outputs } = this.state?.outputs ?? {};
    return outputs;
  }
}
