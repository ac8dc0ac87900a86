import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Grpc from "@grpc/grpc-js";
import type * as EngineMessages from "@pulumi/pulumi/proto/engine_pb";
import type * as PluginMessages from "@pulumi/pulumi/proto/plugin_pb";
import type * as Messages from "@pulumi/pulumi/proto/provider_pb";
import type * as AnyMessages from "google-protobuf/google/protobuf/any_pb";
import type * as EmptyMessages from "google-protobuf/google/protobuf/empty_pb";
import type * as Structs from "google-protobuf/google/protobuf/struct_pb";
import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { ConfigurationSources } from "../connection";
import { CheckFailure, StewardError } from "../errors";
import { unexpected } from "../lifecycle/failure";
import { atPath } from "../lifecycle/notes";
import { Properties } from "../lifecycle/properties";
import { printable } from "../text/printable";
import { monitorEngine } from "./engine";
import { createPlugin, isSameConfiguration, PartialFailure } from "./plugin";
import { construct } from "./plugin-components";

// The gRPC server of the plugin, Pulumi's ResourceProvider service. The server in the SDK supports no provider configuration, no detailed diff and no
// secrets, so only its messages are loaded.

const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc: typeof Grpc = sdk("@grpc/grpc-js");
const messages: typeof Messages = sdk("./proto/provider_pb.js");
const { PluginInfo }: typeof PluginMessages = sdk("./proto/plugin_pb.js");
const engineMessages: typeof EngineMessages = sdk("./proto/engine_pb.js");
const { Empty }: typeof EmptyMessages = sdk("google-protobuf/google/protobuf/empty_pb.js");
const { Any }: typeof AnyMessages = sdk("google-protobuf/google/protobuf/any_pb.js");
const { Struct }: typeof Structs = sdk("google-protobuf/google/protobuf/struct_pb.js");
const { ResourceProviderService }: { ResourceProviderService: Grpc.ServiceDefinition } = sdk("./proto/provider_grpc_pb.js");
const { EngineClient }: { EngineClient: Grpc.ServiceClientConstructor } = sdk("./proto/engine_grpc_pb.js");
const { Status } = sdk("./proto/status_pb.js");

const { DiffChanges } = messages.DiffResponse;
const { Kind } = messages.PropertyDiff;

/** A set of a few thousand roles exceeds gRPC's default of 4 MB. */
const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

const values = (struct: Structs.Struct | undefined): Properties => (struct?.toJavaScript() ?? {}) as Properties;
const struct = (properties: Properties): Structs.Struct => Struct.fromJavaScript(properties as Record<string, JavaScriptValue>);

/** Puts the path in the reason, since the engine prints the value of a named property, even a secret. */
const failure = ({ path, reason }: CheckFailure): Messages.CheckFailure =>
  new messages.CheckFailure().setReason(printable(atPath(path, reason)));

/** The gRPC status of an error, with the resource to store after a half-done operation. */
function statusOf(error: unknown): Partial<Grpc.StatusObject> {
  const failed = error instanceof PartialFailure || error instanceof StewardError ? error : unexpected(error, []);
  const status = { code: grpc.status.UNKNOWN, details: failed.message };
  if (!(failed instanceof PartialFailure)) return status;
  const initFailed = new messages.ErrorResourceInitFailed()
    .setId(failed.id)
    .setProperties(struct(failed.properties))
    .setReasonsList([failed.message]);
  const any = new Any();
  any.pack(initFailed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const packed = new Status();
  packed.setCode(grpc.status.UNKNOWN);
  packed.setMessage(failed.message);
  packed.addDetails(any);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(packed.serializeBinary()));
  return { ...status, metadata };
}

type Log = (severity: "info" | "warning", line: string, urn: string) => void;

/** Sends lines to the engine's log in order, each after the response to the previous one. */
function engineLog(address: string | undefined): {
  log: Log;
  flushed(): Promise<void>;
} {
  const client = address ? new EngineClient(address, grpc.credentials.createInsecure(), unlimited) : undefined;
  let last: Promise<void> = Promise.resolve();
  const send = (request: EngineMessages.LogRequest): Promise<void> =>
    new Promise((done) => (client ? (client as unknown as { log(r: object, d: () => void): void }).log(request, () => done()) : done()));
  return {
    log(severity, line, urn) {
      const level = severity === "warning" ? engineMessages.LogSeverity.WARNING : engineMessages.LogSeverity.INFO;
      last = last.then(() => send(new engineMessages.LogRequest().setSeverity(level).setMessage(printable(line)).setUrn(urn)));
    },
    flushed: () => last,
  };
}

type Unary<Request, Response> = (request: Request) => Promise<Response> | Response;

/** Serves all resources until `close`. */
export async function servePlugin(
  engineAddress: string | undefined,
  version: string,
  overrides: Partial<ConfigurationSources> = {},
  logTo?: Log,
): Promise<{ port: number; close(): void }> {
  const { log, flushed } = engineLog(engineAddress);
  const cancellation = new AbortController();
  const engine = { ...monitorEngine(engineAddress), canceled: cancellation.signal };
  const plugin = createPlugin({ environment: process.env, engine, ...overrides }, logTo ?? log);
  const empty = (): EmptyMessages.Empty => new Empty();

  /** Pulumi itself warns about an older plugin. */
  function warnOfOlderProgram(asked: unknown): void {
    if (typeof asked !== "string" || version.localeCompare(asked, "en", { numeric: true }) <= 0) return;
    (logTo ?? log)(
      "warning",
      `the program uses pulumi-steward ${asked}, but Pulumi runs version ${version} of the plugin: in Pulumi.yaml, set the plugin's path to node_modules/pulumi-steward/bin`,
      "",
    );
  }

  /** Sends the response after the lines that were logged before it. */
  const unary =
    <Request, Response>(handle: Unary<Request, Response>): Grpc.handleUnaryCall<Request, Response> =>
    ({ request }, done) => {
      Promise.resolve()
        .then(() => handle(request))
        .finally(flushed)
        .then(
          (response) => done(null, response),
          (error) => done(statusOf(error)),
        );
    };

  const service = {
    handshake: unary(() => new messages.ProviderHandshakeResponse().setAcceptSecrets(true)),
    attach: unary(empty),
    cancel: unary(() => {
      cancellation.abort();
      return empty();
    }),
    getPluginInfo: unary(() => new PluginInfo().setVersion(version)),
    getSchema: unary(() => new messages.GetSchemaResponse().setSchema(readFileSync(join(__dirname, "../../../bin/schema.json"), "utf8"))),
    checkConfig: unary((request: Messages.CheckRequest) => {
      const settings = values(request.getNews());
      warnOfOlderProgram(settings.version);
      return new messages.CheckResponse().setInputs(request.getNews()).setFailuresList(plugin.checkConfiguration(settings).map(failure));
    }),
    // Never a replacement: each resource compares its own server.
    diffConfig: unary((request: Messages.DiffRequest) =>
      new messages.DiffResponse().setChanges(
        isSameConfiguration(values(request.getOlds()), values(request.getNews())) ? DiffChanges.DIFF_NONE : DiffChanges.DIFF_SOME,
      ),
    ),
    configure: unary((request: Messages.ConfigureRequest) => {
      const name = request.getName() ?? "";
      // A default provider, which Pulumi creates from the stack's configuration.
      plugin.configure(values(request.getArgs()), /^default(_|$)/.test(name) ? undefined : name || undefined);
      return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    check: unary(async (request: Messages.CheckRequest) => {
      const { inputs, failures } = await plugin.check({ urn: request.getUrn() }, values(request.getOlds()), values(request.getNews()));
      return new messages.CheckResponse().setInputs(struct(inputs)).setFailuresList(failures.map(failure));
    }),
    diff: unary(async (request: Messages.DiffRequest) => {
      const { changes, replaces, deleteBeforeReplace, names, properties } = await plugin.diff(
        { urn: request.getUrn() },
        request.getId(),
        values(request.getOlds()),
        values(request.getOldInputs()),
        values(request.getNews()),
      );
      const response = new messages.DiffResponse()
        .setChanges(changes ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
        .setDiffsList(names)
        .setReplacesList(replaces)
        .setDeletebeforereplace(deleteBeforeReplace)
        .setHasdetaileddiff(Object.keys(properties).length > 0);
      for (const [path, change] of Object.entries(properties))
        response.getDetaileddiffMap().set(path, new messages.PropertyDiff().setKind(Kind[change as keyof typeof Kind]));
      return response;
    }),
    create: unary(async (request: Messages.CreateRequest) => {
      const { id, state } = await plugin.create({ urn: request.getUrn() }, values(request.getProperties()), request.getPreview());
      return new messages.CreateResponse().setId(id).setProperties(struct(state));
    }),
    read: unary(async (request: Messages.ReadRequest) => {
      const resource = await plugin.read(
        { urn: request.getUrn() },
        request.getId(),
        values(request.getProperties()),
        values(request.getInputs()),
      );
      if (!resource) return new messages.ReadResponse();
      return new messages.ReadResponse().setId(resource.id).setProperties(struct(resource.state)).setInputs(struct(resource.inputs));
    }),
    update: unary(async (request: Messages.UpdateRequest) => {
      const last = { state: values(request.getOlds()), inputs: values(request.getOldInputs()) };
      const state = await plugin.update({ urn: request.getUrn() }, request.getId(), last, values(request.getNews()), request.getPreview());
      return new messages.UpdateResponse().setProperties(struct(state));
    }),
    invoke: unary(async (request: Messages.InvokeRequest) =>
      new messages.InvokeResponse().setReturn(struct(await plugin.invoke(request.getTok(), values(request.getArgs())))),
    ),
    list: (stream: Grpc.ServerWritableStream<Messages.ListRequest, Messages.ListResponse>) => {
      plugin.list(stream.request.getToken()).then(
        (objects) => {
          const limit = stream.request.getLimit() || objects.length;
          for (const { id, name } of objects.slice(0, limit))
            stream.write(new messages.ListResponse().setResult(new messages.ListResponse.Result().setId(id).setName(name)));
          stream.end();
        },
        (error) => stream.emit("error", statusOf(error)),
      );
    },
    construct: unary((request: Messages.ConstructRequest) => construct(engineAddress ?? "", request)),
    delete: unary(async (request: Messages.DeleteRequest) => {
      await plugin.delete({ urn: request.getUrn() }, request.getId(), values(request.getProperties()));
      return empty();
    }),
  };

  const server = new grpc.Server(unlimited);
  server.addService(ResourceProviderService, service as unknown as Grpc.UntypedServiceImplementation);
  const port = await new Promise<number>((done, fail) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) => (error ? fail(error) : done(bound))),
  );
  return { port, close: () => server.forceShutdown() };
}
