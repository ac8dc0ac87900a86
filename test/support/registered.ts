import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { setMocks } from "@pulumi/pulumi/runtime/mocks";
import { getMonitor } from "@pulumi/pulumi/runtime/settings";

/** The request that Pulumi's SDK sends to the engine for the first resource in `construct`. */
export async function registered(construct: () => unknown): Promise<RegisterResourceRequest> {
  await setMocks({ call: () => ({}), newResource: ({ inputs }) => ({ id: "id", state: inputs }) });
  const monitor = getMonitor() as unknown as { registerResource(request: RegisterResourceRequest, ...rest: unknown[]): unknown };
  const original = monitor.registerResource.bind(monitor);
  const requests: RegisterResourceRequest[] = [];
  const sent = new Promise<void>((done) => {
    monitor.registerResource = (request, ...rest) => {
      requests.push(request);
      done();
      return original(request, ...rest);
    };
  });
  construct();
  await sent;
  return requests[0] as RegisterResourceRequest;
}
