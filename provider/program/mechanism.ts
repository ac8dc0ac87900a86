import { getConfig } from "@pulumi/pulumi/runtime/config";
import { StewardError } from "../contract/errors";

/** The value of `steward:native`. Undefined if it is not set: resources are then dynamic. */
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
