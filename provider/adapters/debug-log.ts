import * as provider from "@pulumi/pulumi/proto/provider_pb";
import * as resource from "@pulumi/pulumi/proto/resource_pb";

/** The responses of the engine that Pulumi's SDK writes to its debug log. They hold all outputs of a resource, secrets in clear text. */
const responses = ["RegisterResourceResponse", "ReadResourceResponse", "InvokeResponse", "CallResponse"];
/** A program can load several copies of the SDK: its own, ours and those of other packages, to which a program may pass our secrets. */
const message = /[\\/]@pulumi[\\/]pulumi[\\/]proto[\\/](resource|provider)_pb\.js$/;

let hidden = false;

/**
 * Keeps secrets out of `--json`, `--debug`, `-v=3` and the events of the Automation API: the SDK's debug log shows only the URN of a response.
 * Covers the copy of the SDK that our resources register with, and each other copy that is loaded by now.
 * @internal
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
