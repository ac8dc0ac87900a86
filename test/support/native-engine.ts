import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { servePlugin } from "../../provider/adapters/plugin-server";
import { Path, withoutMarks } from "../../provider/adapters/plugin-values";
import { Engine, Handler } from "./engine";
import { limits } from "./limits";

type Properties = Record<string, unknown>;
type Served = Awaited<ReturnType<typeof servePlugin>> & { client: ResourceProviderClient };

const struct = (properties: Properties): Struct => Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);
const values = (given: Struct | undefined): Properties => (given?.toJavaScript() ?? {}) as Properties;

const running = new Set<Served>();

/** Ends every plugin that this suite has started. */
export function endPlugins(): void {
  for (const { client, close } of running) {
    client.close();
    close();
  }
  running.clear();
}

/** The resource that an operation left half-done, as the engine reads it off the error. */
function halfDone({ metadata }: grpc.ServiceError): { id: string; properties: Properties } | undefined {
  const [packed] = metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = packed === undefined ? [] : Status.deserializeBinary(packed as Buffer).getDetailsList();
  if (!detail) return undefined;
  const failed = messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return { id: failed.getId(), properties: values(failed.getProperties()) };
}

/** A plugin in this process, asked over gRPC as the engine does it. */
class Plugin implements Handler {
  private served: Promise<Served> | undefined;
  private config: Properties = {};
  /** Where the last answer was secret. */
  secrets: Path[] = [];
  readonly lines: string[] = [];

  constructor(readonly token: string) {}

  private get urn(): string {
    return `urn:pulumi:dev::test::steward:${this.token}::resource`;
  }

  private start(): Promise<Served> {
    this.served ??= servePlugin(undefined, "0.0.0", { limits }, (_severity, line) => this.lines.push(line)).then(async (server) => {
      const client = new ResourceProviderClient(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure());
      const served = { ...server, client };
      running.add(served);
      await this.ask(client, "configure", new messages.ConfigureRequest().setArgs(struct(this.config)));
      return served;
    });
    return this.served;
  }

  private ask<Response>(client: ResourceProviderClient, method: string, request: object): Promise<Response> {
    return new Promise((done, fail) => {
      const call = (client as unknown as Record<string, (r: object, d: (e: grpc.ServiceError | null, a: Response) => void) => void>)[
        method
      ];
      call?.call(client, request, (error, answer) => {
        if (!error) return done(answer);
        const kept = halfDone(error);
        const properties = kept && { ...this.clean(kept.properties), __provider: "text" };
        fail(Object.assign(new Error(error.details), kept && { id: kept.id, properties }));
      });
    });
  }

  private async rpc<Response>(method: string, request: object): Promise<Response> {
    return this.ask((await this.start()).client, method, request);
  }

  private clean(properties: Properties): Properties {
    const { properties: clean, secrets } = withoutMarks(properties);
    this.secrets = secrets;
    return clean;
  }

  private send({ __provider, ...properties }: Properties): Struct {
    return struct(properties);
  }

  /** Ends the plugin, as the engine does after each operation. */
  end(): void {
    void this.served?.then((served) => {
      served.client.close();
      served.close();
      running.delete(served);
    });
    this.served = undefined;
  }

  configureWith(config: Record<string, object>): void {
    this.config = Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(/^steward:/, ""), JSON.stringify(value)]));
    this.end();
  }

  configure(): void {}

  async check(olds: Properties, news: Properties): ReturnType<Handler["check"]> {
    const request = new messages.CheckRequest().setUrn(this.urn).setOlds(this.send(olds)).setNews(this.send(news));
    const answer = await this.rpc<messages.CheckResponse>("check", request);
    const failures = answer.getFailuresList().map((found) => {
      const [, path = "", reason = ""] = /^(?:([\w.[\]"-]+): )?(.*)$/s.exec(found.getReason()) ?? [];
      return { property: found.getProperty(), path, rule: reason, reason: found.getReason() };
    });
    return { inputs: this.clean(values(answer.getInputs())), failures };
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

  async create(inputs: Properties): ReturnType<Handler["create"]> {
    const request = new messages.CreateRequest().setUrn(this.urn).setProperties(this.send(inputs));
    const answer = await this.rpc<messages.CreateResponse>("create", request);
    return { id: answer.getId(), outs: this.clean(values(answer.getProperties())) };
  }

  async read(id: string, state: Properties, lastInputs: Properties): ReturnType<Handler["read"]> {
    const request = new messages.ReadRequest().setUrn(this.urn).setId(id).setProperties(this.send(state)).setInputs(this.send(lastInputs));
    const answer = await this.rpc<messages.ReadResponse>("read", request);
    const inputs = withoutMarks(values(answer.getInputs())).properties;
    return answer.getId() ? { id: answer.getId(), props: this.clean(values(answer.getProperties())), inputs } : { id: "" };
  }

  async update(id: string, olds: Properties, news: Properties, lastInputs: Properties): ReturnType<Handler["update"]> {
    const request = new messages.UpdateRequest()
      .setUrn(this.urn)
      .setId(id)
      .setOlds(this.send(olds))
      .setNews(this.send(news))
      .setOldInputs(this.send(lastInputs));
    const answer = await this.rpc<messages.UpdateResponse>("update", request);
    return { outs: this.clean(values(answer.getProperties())) };
  }

  async delete(id: string, state: Properties): Promise<void> {
    await this.rpc("delete", new messages.DeleteRequest().setUrn(this.urn).setId(id).setProperties(this.send(state)));
  }
}

/** One resource under an engine with the native plugin. */
export class NativeEngine extends Engine {
  readonly plugin: Plugin;

  constructor(token: string, config: Record<string, object>) {
    const plugin = new Plugin(token);
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

  /** Takes over what exists, as `pulumi import` does; gives back the inputs of the program that it would generate. */
  async import(id: string): Promise<Properties> {
    this.forget();
    const { props = {}, inputs = {} } = await this.plugin.read(id, {}, {});
    this.state = { id, inputs: { ...inputs, __provider: "text" }, outputs: { ...props, __provider: "text" }, initErrors: false };
    return inputs;
  }

  protected override expectInputsOfGet(inputs: Properties | undefined): void {
    expect(inputs).toBeDefined();
  }
}
