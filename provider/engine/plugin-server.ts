import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type * as AnyMessages from "google-protobuf/google/protobuf/any_pb";
import type * as EmptyMessages from "google-protobuf/google/protobuf/empty_pb";
import type * as Structs from "google-protobuf/google/protobuf/struct_pb";
import { ConfigurationSources } from "../connection";
import { CheckFailure, StewardError } from "../contract/errors";
import { OperationFailed, unexpected } from "../lifecycle/failure";
import { atPath } from "../lifecycle/notes";
import { Properties } from "../lifecycle/properties";
import { printable } from "../text/printable";
import { monitorEngine } from "./engine";
import { createPlugin, isSameConfiguration, PluginLog } from "./plugin";
import type * as Components from "./plugin-components";

// The gRPC server of the plugin, Pulumi's ResourceProvider service. The server in the SDK supports no provider configuration, no detailed diff and no
// secrets, so only its messages are loaded.

// Dependencies of the SDK, from its own copies.
const sdk = createRequire(require.resolve("@pulumi/pulumi/package.json"));
const grpc: typeof Grpc = sdk("@grpc/grpc-js");
const { Empty }: typeof EmptyMessages = sdk("google-protobuf/google/protobuf/empty_pb.js");
const { Any }: typeof AnyMessages = sdk("google-protobuf/google/protobuf/any_pb.js");
const { Struct }: typeof Structs = sdk("google-protobuf/google/protobuf/struct_pb.js");

/** Loaded on demand, with the rest of the SDK. */
const components = (): typeof Components => require("./plugin-components");

const { DiffChanges } = messages.DiffResponse;
const { Kind } = messages.PropertyDiff;

/** A set of a few thousand roles exceeds gRPC's default of 4 MB. */
const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

const values = (struct: Structs.Struct | undefined): Properties => (struct?.toJavaScript() ?? {}) as Properties;
const struct = (properties: Properties): Structs.Struct => Struct.fromJavaScript(properties as Record<string, Structs.JavaScriptValue>);

/** Puts the path in the reason, since the engine prints the value of a named property, even a secret. */
const failure = ({ path, reason }: CheckFailure): messages.CheckFailure =>
  new messages.CheckFailure().setReason(printable(atPath(path, reason)));

/** The gRPC status of an error, with the resource to store after a half-done operation. */
function statusOf(error: unknown): Partial<Grpc.StatusObject> {
  const { message } = error instanceof OperationFailed || error instanceof StewardError ? error : unexpected(error, []);
  const status = { code: grpc.status.UNKNOWN, details: message };
  if (!(error instanceof OperationFailed && error.partial)) return status;
  const { id, properties } = error.partial;
  const initFailed = new messages.ErrorResourceInitFailed().setId(id).setProperties(struct(properties)).setReasonsList([message]);
  const any = new Any();
  any.pack(initFailed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const packed = new Status().setCode(grpc.status.UNKNOWN).setMessage(message);
  packed.addDetails(any);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(packed.serializeBinary()));
  return { ...status, metadata };
}

/** Sends lines to the engine's log in order, each after the response to the previous one. */
function engineLog(address: string | undefined): { log: PluginLog; flushed(): Promise<void> } {
  const client = address ? new EngineClient(address, grpc.credentials.createInsecure(), unlimited) : undefined;
  let last: Promise<void> = Promise.resolve();
  const send = (request: LogRequest): Promise<void> => new Promise((done) => (client ? client.log(request, () => done()) : done()));
  return {
    log(severity, line, urn) {
      const level = severity === "warning" ? LogSeverity.WARNING : LogSeverity.INFO;
      last = last.then(() => send(new LogRequest().setSeverity(level).setMessage(printable(line)).setUrn(urn)));
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
  logTo?: PluginLog,
): Promise<{ port: number; close(): void }> {
  const { log, flushed } = engineLog(engineAddress);
  const cancellation = new AbortController();
  const engine = { ...monitorEngine(engineAddress), canceled: cancellation.signal };
  const plugin = createPlugin({ environment: process.env, engine, ...overrides }, logTo ?? log);
  const empty = (): EmptyMessages.Empty => new Empty();

  /** Pulumi itself warns about an older plugin. */
  function warnOfOlderProgram(programVersion: unknown): void {
    if (typeof programVersion !== "string" || version.localeCompare(programVersion, "en", { numeric: true }) <= 0) return;
    (logTo ?? log)(
      "warning",
      `the program uses pulumi-steward ${programVersion}, but Pulumi runs version ${version} of the plugin: in Pulumi.yaml, set the plugin's path to node_modules/pulumi-steward/bin`,
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
    checkConfig: unary((request: messages.CheckRequest) => {
      const settings = values(request.getNews());
      warnOfOlderProgram(settings.version);
      return new messages.CheckResponse().setInputs(request.getNews()).setFailuresList(plugin.checkConfiguration(settings).map(failure));
    }),
    // Never a replacement: each resource compares its own server.
    diffConfig: unary((request: messages.DiffRequest) =>
      new messages.DiffResponse().setChanges(
        isSameConfiguration(values(request.getOlds()), values(request.getNews())) ? DiffChanges.DIFF_NONE : DiffChanges.DIFF_SOME,
      ),
    ),
    configure: unary((request: messages.ConfigureRequest) => {
      const name = request.getName() ?? "";
      // A default provider, which Pulumi creates from the stack's configuration.
      plugin.configure(values(request.getArgs()), /^default(_|$)/.test(name) ? undefined : name || undefined);
      return new messages.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),
    check: unary(async (request: messages.CheckRequest) => {
      const { inputs, failures } = await plugin.check(request.getUrn(), values(request.getOlds()), values(request.getNews()));
      return new messages.CheckResponse().setInputs(struct(inputs)).setFailuresList(failures.map(failure));
    }),
    diff: unary(async (request: messages.DiffRequest) => {
      const { changes, replaces, deleteBeforeReplace, names, properties } = await plugin.diff(
        request.getUrn(),
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
    create: unary(async (request: messages.CreateRequest) => {
      const { id, state } = await plugin.create(request.getUrn(), values(request.getProperties()), request.getPreview());
      return new messages.CreateResponse().setId(id).setProperties(struct(state));
    }),
    read: unary(async (request: messages.ReadRequest) => {
      const resource = await plugin.read(request.getUrn(), request.getId(), values(request.getProperties()), values(request.getInputs()));
      if (!resource) return new messages.ReadResponse();
      return new messages.ReadResponse().setId(resource.id).setProperties(struct(resource.state)).setInputs(struct(resource.inputs));
    }),
    update: unary(async (request: messages.UpdateRequest) => {
      const last = { state: values(request.getOlds()), inputs: values(request.getOldInputs()) };
      const state = await plugin.update(request.getUrn(), request.getId(), last, values(request.getNews()), request.getPreview());
      return new messages.UpdateResponse().setProperties(struct(state));
    }),
    invoke: unary(async (request: messages.InvokeRequest) =>
      new messages.InvokeResponse().setReturn(struct(await plugin.invoke(request.getTok(), values(request.getArgs())))),
    ),
    list: (stream: Grpc.ServerWritableStream<messages.ListRequest, messages.ListResponse>) => {
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
    construct: unary((request: messages.ConstructRequest) => components().construct(engineAddress ?? "", request, struct)),
    delete: unary(async (request: messages.DeleteRequest) => {
      await plugin.delete(request.getUrn(), request.getId(), values(request.getProperties()));
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
