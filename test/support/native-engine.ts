import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { servePlugin } from "../../provider/engine/plugin-server";
import { unwrapSecrets } from "../../provider/engine/plugin-values";
import { Engine, Handler } from "./engine";
import { limits } from "./limits";

type Properties = Record<string, unknown>;
type Served = Awaited<ReturnType<typeof servePlugin>> & { client: ResourceProviderClient };

const struct = (properties: Properties): Struct => Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);
const values = (given: Struct | undefined): Properties => (given?.toJavaScript() ?? {}) as Properties;

/** A message of the plugin to the engine: a response, an error or a log line. */
export interface Told {
  by: string;
  /** The value with the marks of secrets. */
  value: unknown;
}

/** The messages of this suite's plugin, after `listen` was called. */
let listener: Told[] | undefined;
export function listen(told: Told[]): void {
  listener = told;
}
const tell = (by: string, value: () => unknown): void => {
  listener?.push({ by, value: value() });
};

/** The plugin's cache and its last configuration. */
const cache = new Map<string, unknown>();
let configured: string | undefined;
let running: Promise<Served> | undefined;

/** Starts one plugin for all engines of a suite, since a start takes longer than all calls. */
async function start(): Promise<Served> {
  const server = await servePlugin(undefined, "0.0.0", { limits, cache }, (_severity, line) => tell("log", () => line));
  return { ...server, client: new ResourceProviderClient(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure()) };
}

export async function endPlugin(): Promise<void> {
  if (!running) return;
  const { client, close } = await running;
  client.close();
  close();
  running = undefined;
}

interface Answer {
  toObject(): object;
  getInputs?(): Struct | undefined;
  getProperties?(): Struct | undefined;
}

/** A response with the marks of its secrets. */
const shown = (answer: Answer): object => ({
  ...answer.toObject(),
  inputs: values(answer.getInputs?.()),
  properties: values(answer.getProperties?.()),
});

/** The partially created resource in the error of an operation, as the engine reads it. */
function halfDone({ metadata }: grpc.ServiceError): { id: string; properties: Properties } | undefined {
  const [packed] = metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = packed === undefined ? [] : Status.deserializeBinary(packed as Buffer).getDetailsList();
  if (!detail) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: values(failed.getProperties()) };
}

/** The error of an operation, as the engine receives it. */
export class PluginError extends Error {}

/** A plugin in this process, called over gRPC like the engine does. The state keeps the marks of secrets, as in the engine. */
class Plugin implements Handler {
  private config: Properties = {};

  /** `provider` is the name of an explicit provider. */
  constructor(
    readonly token: string,
    private readonly provider = "default",
  ) {}

  private get urn(): string {
    return `urn:pulumi:dev::test::steward:${this.token}::resource`;
  }

  private async ask<Response extends Answer>(method: string, request: object): Promise<Response> {
    running ??= start();
    const { client } = await running;
    return new Promise((done, fail) => {
      const calls = client as unknown as Record<string, (r: object, d: (e: grpc.ServiceError | null, a: Response) => void) => void>;
      calls[method]?.(request, (error, answer) => {
        if (!error) {
          tell(method, () => shown(answer));
          return done(answer);
        }
        const kept = halfDone(error);
        tell(`${method}: error`, () => ({ message: error.message, details: error.details, kept }));
        fail(
          Object.assign(new PluginError(error.details), kept && { id: kept.id, properties: { ...kept.properties, __provider: "text" } }),
        );
      });
    });
  }

  private async rpc<Response extends Answer>(method: string, request: object): Promise<Response> {
    const config = JSON.stringify([this.provider, this.config]);
    if (configured !== config)
      await this.ask("configure", new messages.ConfigureRequest().setName(this.provider).setArgs(struct(this.config)));
    configured = config;
    return this.ask(method, request);
  }

  private send({ __provider, ...properties }: Properties): Struct {
    return struct(properties);
  }

  /** Ends the process: the engine starts one for each operation. */
  end(): void {
    cache.clear();
  }

  configureWith(config: Record<string, object>): void {
    this.config = Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(/^steward:/, ""), JSON.stringify(value)]));
  }

  configure(): void {}

  async check(olds: Properties, news: Properties): ReturnType<Handler["check"]> {
    const request = new messages.CheckRequest().setUrn(this.urn).setOlds(this.send(olds)).setNews(this.send(news));
    const answer = await this.rpc<messages.CheckResponse>("check", request);
    const failures = answer.getFailuresList().map((found) => {
      const [, path = "", reason = ""] = /^(?:([\w.[\]"-]+): )?(.*)$/s.exec(found.getReason()) ?? [];
      return { property: found.getProperty(), path, rule: reason, reason: found.getReason() };
    });
    return { inputs: values(answer.getInputs()), failures };
  }

  async diff(id: string, olds: Properties, news: Properties, lastInputs: Properties): ReturnType<Handler["diff"]> {
    const request = new messages.DiffRequest()
      .setUrn(this.urn)
      .setId(id)
      .setOlds(this.send(olds))
      .setNews(this.send(news))
      .setOldInputs(this.send(lastInputs));
    const answer = await this.rpc<messages.DiffResponse>("diff", request);
    const properties = [...answer.getDetaileddiffMap().entries()].map(([path, each]) => [path, each.getKind()]);
    return {
      changes: answer.getChanges() === messages.DiffResponse.DiffChanges.DIFF_SOME,
      replaces: answer.getReplacesList(),
      deleteBeforeReplace: answer.getDeletebeforereplace(),
      ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    };
  }

  async create(inputs: Properties, isPreview = false): ReturnType<Handler["create"]> {
    const request = new messages.CreateRequest().setUrn(this.urn).setProperties(this.send(inputs)).setPreview(isPreview);
    const answer = await this.rpc<messages.CreateResponse>("create", request);
    return { id: answer.getId(), outs: values(answer.getProperties()) };
  }

  async read(id: string, state: Properties, lastInputs: Properties): ReturnType<Handler["read"]> {
    const request = new messages.ReadRequest().setUrn(this.urn).setId(id).setProperties(this.send(state)).setInputs(this.send(lastInputs));
    const answer = await this.rpc<messages.ReadResponse>("read", request);
    if (!answer.getId()) return { id: "" };
    return { id: answer.getId(), props: values(answer.getProperties()), inputs: values(answer.getInputs()) };
  }

  async update(id: string, olds: Properties, news: Properties, lastInputs: Properties, isPreview = false): ReturnType<Handler["update"]> {
    const request = new messages.UpdateRequest()
      .setUrn(this.urn)
      .setPreview(isPreview)
      .setId(id)
      .setOlds(this.send(olds))
      .setNews(this.send(news))
      .setOldInputs(this.send(lastInputs));
    const answer = await this.rpc<messages.UpdateResponse>("update", request);
    return { outs: values(answer.getProperties()) };
  }

  async delete(id: string, state: Properties): Promise<void> {
    await this.rpc("delete", new messages.DeleteRequest().setUrn(this.urn).setId(id).setProperties(this.send(state)));
  }
}

/** One resource under an engine with the native plugin. */
export class NativeEngine extends Engine {
  readonly plugin: Plugin;

  constructor(token: string, config: Record<string, object>, provider?: string) {
    const plugin = new Plugin(token, provider);
    plugin.configureWith(config);
    super(token, {}, plugin);
    this.plugin = plugin;
  }

  override configure(config: Record<string, object>): void {
    if (this.plugin) this.plugin.configureWith(config);
  }

  protected override forget(): void {
    this.plugin.end();
  }

  /** The outputs in a preview, with the marks of secrets. */
  async previewed(inputs: Properties): Promise<Properties> {
    const plan = await this.preview(inputs);
    if (!this.state) return (await this.plugin.create(plan.inputs, true)).outs;
    const { id, outputs, inputs: last } = this.state;
    return (await this.plugin.update(id, outputs, plan.inputs, last, true)).outs;
  }

  /** Imports an object like `pulumi import`, and returns the inputs of the program that it would generate. */
  async import(id: string): Promise<Properties> {
    this.forget();
    const { props = {}, inputs = {} } = await this.plugin.read(id, {}, {});
    this.state = { id, inputs: { ...inputs, __provider: "text" }, outputs: { ...props, __provider: "text" }, initErrors: false };
    return inputs;
  }

  override outputs(): Properties {
    return unwrapSecrets(super.outputs()).properties;
  }

  protected override expectInputsOfGet(inputs: Properties | undefined): void {
    expect(inputs).toBeDefined();
  }
}
