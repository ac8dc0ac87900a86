import { allConfig } from "@pulumi/pulumi/runtime/config";
import { StewardError } from "../errors";

const name = "default";
/** One letter is missing, too many or wrong, or two neighbors are swapped. A digit makes another name: `default2`. */
const misspelling = new RegExp(
  [...name].map((_, at) => `^${name.slice(0, at)}([a-z]{0,2}${name.slice(at + 1)}|[a-z]{2}${name.slice(at + 2)})$`).join("|"),
  "i",
);

/**
 * Fails where the stack's configuration misspells `steward:default`: the environment would name the server instead, and it may be another one. Only the
 * program can list the keys of the configuration: the provider asks for one key at a time.
 * @internal
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
