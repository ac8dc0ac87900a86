import { allConfig } from "@pulumi/pulumi/runtime/config";
import { StewardError } from "../errors";
import { distance } from "../text/spelling";

const name = "default";
/** One letter or one swap apart. A digit makes another name: `default2`. */
const isMisspelling = (each: string): boolean => /^[a-z]+$/i.test(each) && distance(each.toLowerCase(), name) <= 1;

/**
 * Throws if the stack's configuration misspells `steward:default`, since the provider would then use the server in the environment. Only the program can
 * list the keys of the configuration.
 */
export function assertDefaultSpelled(connection: unknown): void {
  if (connection !== undefined && connection !== name) return;
  const names = Object.keys(allConfig()).flatMap((key) => (key.startsWith("steward:") ? [key.slice("steward:".length)] : []));
  const misspelt = names.includes(name) ? undefined : names.find(isMisspelling);
  if (misspelt === undefined) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    rule: "default-misspelt",
    reason: `The stack's configuration has steward:${misspelt}, but no steward:default`,
    hint: 'Did you mean "default"? Rename the key in the stack\'s configuration file.',
  });
}
