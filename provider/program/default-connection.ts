import { allConfig } from "@pulumi/pulumi/runtime/config";
import { StewardError } from "../errors";

const name = "default";
/** Matches the name with one letter missing, added or replaced, or with two adjacent letters swapped. A digit makes another name: `default2`. */
const misspelling = new RegExp(
  [...name].map((_, at) => `^${name.slice(0, at)}([a-z]{0,2}${name.slice(at + 1)}|[a-z]{2}${name.slice(at + 2)})$`).join("|"),
  "i",
);

/**
 * Throws if the stack's configuration misspells `steward:default`, since the provider would then use the server in the environment. Only the program can
 * list the keys of the configuration.
 */
export function assertDefaultSpelled(connection: unknown): void {
  if (connection !== undefined && connection !== name) return;
  const names = Object.keys(allConfig()).flatMap((key) => (key.startsWith("steward:") ? [key.slice("steward:".length)] : []));
  const misspelt = names.includes(name) ? undefined : names.find((each) => misspelling.test(each));
  if (misspelt === undefined) return;
  throw new StewardError({
    code: "ERR_INVALID_INPUT",
    rule: "default-misspelt",
    reason: `The stack's configuration has steward:${misspelt}, but no steward:default`,
    hint: 'Did you mean "default"? Rename the key in the stack\'s configuration file.',
  });
}
