import * as provider from "@pulumi/pulumi/proto/provider_pb";
import * as resource from "@pulumi/pulumi/proto/resource_pb";

/** The responses of the engine that Pulumi's SDK writes to its debug log. They contain all outputs of a resource, with secrets in plaintext. */
const responses = ["RegisterResourceResponse", "ReadResourceResponse", "InvokeResponse", "CallResponse"];
/** A program may load several copies of the SDK, and pass secret outputs to the packages that load them. */
const message = /[\\/]@pulumi[\\/]pulumi[\\/]proto[\\/](resource|provider)_pb\.js$/;

let hidden = false;

/**
 * Keeps secrets out of `--json`, `--debug`, `-v=3` and the events of the Automation API: the SDK's debug log shows only the URN of a response.
 * Covers the SDK of this package and every other copy that is already loaded.
 */
export function hideResponses(): void {
  if (hidden) return;
  hidden = true;
  const loaded = Object.entries(require.cache).flatMap(([file, module]) => (message.test(file) ? [module?.exports] : []));
  for (const messages of [resource, provider, ...loaded])
    for (const name of responses) {
      const response: { prototype: { getUrn?(): string } } | undefined = messages[name];
      if (response) response.prototype.toString = urnAlone;
    }
}

function urnAlone(this: { getUrn?(): string }): string {
  return this.getUrn?.() ?? "[hidden by pulumi-steward]";
}
