import { invalidInput } from "../../provider/contract/errors";
import { clearCache } from "../../provider/engine/dynamic-runtime";
import { definitionOf, secretOutputs } from "./definitions";
import {
  Declaration,
  Deployment,
  Difference,
  dynamic,
  Ending,
  encoded,
  Mechanism,
  native,
  Options,
  plain,
  Resource,
  same,
} from "./deployment";
import { serialized } from "./deployment/state";
import { marked } from "./deployment/values";
import { provider } from "./limits";

type Properties = Record<string, unknown>;
export type Operation = "create" | "same" | "update" | "replace";

const differing = (before: Properties, after: Properties): string[] =>
  [...new Set([...Object.keys(after), ...Object.keys(before)])]
    .filter((name) => name !== "__provider" && !same(after[name], before[name]))
    .sort();

/** The cache of the native plugins. That of the dynamic providers is in their module. */
const cache = new Map<string, unknown>();
/** Starts a new process. */
function forget(): void {
  clearCache();
  cache.clear();
}

/** A stack of one resource, under the stand-in of Pulumi's engine. Operations throw the error of the provider. */
export class Engine {
  private readonly stack: Deployment;
  private replacements = 0;
  /** The response to the last check and the last diff. */
  private checked: Properties = {};
  private difference: Difference | undefined;

  constructor(
    private readonly token: string,
    config: Record<string, object>,
    private readonly begin: () => Mechanism = () => dynamic(() => provider(token)),
  ) {
    this.stack = new Deployment(() => this.mechanism(), config);
  }

  /** The provider, which an operation calls with the current configuration instead of that of the last `up`. */
  private mechanism(): Mechanism {
    const mechanism = this.begin();
    mechanism.configure(this.stack.config);
    return {
      ...mechanism,
      configure: () => {},
      check: async (...request) => {
        const checked = await mechanism.check(...request);
        if (checked.failures.length > 0) throw invalidInput(checked.failures);
        this.checked = checked.inputs;
        return checked;
      },
      diff: async (...request) => {
        this.difference = await mechanism.diff(...request);
        return this.difference;
      },
    };
  }

  get state(): Resource | undefined {
    return this.stack.resources.find((resource) => !resource.delete && !resource.pendingReplacement);
  }
  set state(state: Pick<Resource, "id" | "inputs" | "outputs"> | undefined) {
    const stored = { isComponent: false, dependencies: [], propertyDependencies: {}, secretOutputs: [], initErrors: false };
    this.stack.resources = state
      ? [{ ...this.subject, ...stored, external: false, delete: false, pendingReplacement: false, ...state }]
      : [];
  }

  private get subject(): { urn: string; type: string; id: string } {
    return { urn: `${this.token}::resource`, type: this.token, id: "" };
  }

  private declared(inputs: Properties): Declaration {
    return { name: "resource", type: this.token, inputs, replacementTrigger: this.replacements };
  }

  private async run(ending: Promise<Ending>): Promise<Ending> {
    const ended = await ending;
    if (!ended.succeeded) throw ended.cause;
    return ended;
  }

  private operationIn = ({ operations }: Ending): Operation => operations.get(this.subject.urn) as Operation;

  /** Changes the stack configuration. */
  configure(config: Record<string, object>): void {
    this.stack.config = config;
  }

  /** The failures of `check`, such as `policies[1]: policy-name`. */
  async problems(inputs: Properties): Promise<string[]> {
    const mechanism = this.begin();
    mechanism.configure(this.stack.config);
    const { failures } = await mechanism.check(this.subject, this.state?.inputs ?? {}, { ...inputs, ...mechanism.inputs }, true);
    return failures.map(({ path, rule }) => (path ? `${path}: ${rule}` : rule));
  }

  async preview(
    inputs: Properties,
  ): Promise<{ operation: Operation; inputs: Properties; replaces: string[]; deleteBeforeReplace: boolean }> {
    this.difference = undefined;
    const operation = this.operationIn(await this.run(this.stack.preview([this.declared(inputs)])));
    const { replaces = [], deleteBeforeReplace = false } = this.difference ?? ({} as Partial<Difference>);
    return { operation, inputs: this.checked, replaces, deleteBeforeReplace };
  }

  /** `remembers` continues the process of another resource. */
  async up(inputs: Properties, { remembers = false, ...options }: Options & { remembers?: boolean } = {}): Promise<Operation> {
    if (!remembers) forget();
    return this.operationIn(await this.run(this.stack.up([this.declared(inputs)], options)));
  }

  /** Replaces the resource as `replacementTrigger` does, deleting first. */
  async replace(inputs: Properties, options: Options = {}): Promise<void> {
    forget();
    this.replacements++;
    await this.run(this.stack.up([{ ...this.declared(inputs), deleteBeforeReplace: true }], options));
  }

  /** Refreshes. Returns the fields of an update that the engine would report, also hidden ones, or "gone". An update without a difference is "work". */
  async refresh(): Promise<string[] | "gone"> {
    forget();
    const { inputs, outputs } = this.state as Resource;
    const { drift } = await this.run(this.stack.refresh());
    if (!this.state) return "gone";
    if (drift.length === 0) return [];
    const changed = differing(inputs, this.state.inputs);
    const shown = changed.length > 0 ? changed : differing(outputs, this.state.outputs);
    return shown.length > 0 ? shown : ["work"];
  }

  /** The result of `Type.get(name, id)`. */
  async get(id: string, inputs: Properties = {}): Promise<Properties> {
    await this.run(this.stack.up([{ ...this.declared(inputs), get: id }]));
    return this.outputs();
  }

  /** Imports an object like `pulumi import`, and returns the inputs of the program that it would generate. */
  async import(id: string): Promise<Properties> {
    forget();
    const found = await this.mechanism().read({ ...this.subject, id }, { inputs: {}, outputs: {} });
    this.state = found;
    return encoded(found.inputs);
  }

  /** `remembers` continues the process in which another resource was deleted. */
  async destroy({ remembers = false, ...options }: Options & { remembers?: boolean } = {}): Promise<void> {
    if (!remembers) forget();
    await this.run(this.stack.destroy(options));
  }

  /** The content of the backend's file, in which the outputs that the resource's class lists are encrypted. */
  stored(): string {
    const hidden = secretOutputs(definitionOf(this.token));
    return serialized(this.stack.resources.map((each) => ({ ...each, outputs: marked(each.outputs, each.inputs, hidden) })));
  }

  /** The outputs that a program sees. */
  outputs(): Properties {
    return Object.fromEntries(Object.entries(plain(this.state?.outputs ?? {})).filter(([name]) => !name.startsWith("__")));
  }

  /** The outputs that only the provider uses, by their plain names. */
  hidden(): Properties {
    const outputs = Object.entries(plain(this.state?.outputs ?? {}));
    return Object.fromEntries(outputs.flatMap(([name, value]) => (name.startsWith("__") ? [[name.slice(2), value]] : [])));
  }
}

/** The same with the native plugin. */
export class NativeEngine extends Engine {
  /** `provider` is the name of an explicit provider. */
  constructor(token: string, config: Record<string, object>, provider?: string) {
    super(token, config, () => native({ provider, cache }));
  }
}
