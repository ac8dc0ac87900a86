import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { servePlugin } from "../../provider/engine/plugin-server";

type Sources = Parameters<typeof servePlugin>[2];

/** The native plugin, which the engine calls over gRPC. */
export interface Plugin {
  client: ResourceProviderClient;
  /** Passes the settings of a provider. */
  configure(name: string, settings?: Record<string, string>): Promise<void>;
  close(): void;
}

export async function startPlugin(sources: Sources): Promise<Plugin> {
  const served = await servePlugin(undefined, "0.0.0", sources, () => {});
  const client = new ResourceProviderClient(`127.0.0.1:${served.port}`, grpc.credentials.createInsecure());
  return {
    client,
    configure: (name, settings = {}) =>
      new Promise((done) =>
        client.configure(new messages.ConfigureRequest().setName(name).setArgs(Struct.fromJavaScript(settings)), () => done()),
      ),
    close() {
      client.close();
      served.close();
    },
  };
}
