import { getConfig } from "@pulumi/pulumi/runtime/config";
import { StewardError } from "../errors";

/** The version of this package, and of the plugin in it: Pulumi warns of an older plugin, and the plugin says when it is newer. @internal */
export const packageVersion = (): string => (require("pulumi-steward/package.json") as { version: string }).version;

/** The value of `steward:native`. Undefined: it is not set, and resources are dynamic. @internal */
export function usesPlugin(): boolean | undefined {
  const value = getConfig("steward:native");
  if (value === undefined || value === "true" || value === "false") return value === undefined ? undefined : value === "true";
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    rule: "native",
    reason: `The stack's configuration has steward:native ${JSON.stringify(value)}`,
    hint: "Set it to true or false.",
  });
}
