import { noEngine } from "../../../provider/contract/operation";
import { createPlugin } from "../../../provider/engine/plugin";
import { OperationFailed } from "../../../provider/lifecycle/failure";
import { atPath } from "../../../provider/lifecycle/notes";
import { limits } from "../limits";
import { decoded, encoded } from "./marks";
import { Halfway, Mechanism } from "./mechanism";
import { known, Properties, wire } from "./values";

/** A message of the plugin to the engine: a response, with its secrets marked, an error or a line. */
export interface Told {
  by: string;
  value: unknown;
}

/** The messages of this suite's plugins, after `listen` was called. */
let listener: Told[] | undefined;
export function listen(told: Told[]): void {
  listener = told;
}
const tell = (by: string, value: unknown): unknown => listener?.push({ by, value: decoded({ value }).value });

const telling = async <T>(by: string, response: Promise<T>): Promise<T> => {
  try {
    const value = await response;
    if (value !== undefined) tell(by, value);
    return value;
  } catch (error) {
    tell(`${by}: error`, { message: (error as Error).message, kept: (error as OperationFailed).partial });
    throw error;
  }
};

const sent = (properties: Properties, isPreview = false): Properties => wire(encoded(isPreview ? properties : known(properties)));
const returned = (properties: Properties): Properties => decoded(wire(properties));
const halfMade = (error: Error): never => {
  const { partial, error: failure } = error as OperationFailed;
  throw partial ? new Halfway(failure, partial.id, returned(partial.properties)) : error;
};

/**
 * The native plugin, started again for each operation. It marks its secrets, and is called in previews, too. `provider` is the name of an explicit
 * provider, and `cache` continues a process.
 */
export function native({ provider, cache = new Map() }: { provider?: string; cache?: Map<string, unknown> } = {}): Mechanism {
  const plugin = createPlugin({ environment: process.env, engine: noEngine, limits, cache }, (severity, line) => {
    tell("log", line);
    console.log(severity === "warning" ? `warning: ${line}` : line);
  });
  const of = ({ urn }: { urn: string }): string => `urn:pulumi:dev::story::${urn.replace(/(secrets|platform):/, "steward:$1:")}`;
  return {
    inputs: {},
    configure: (config) =>
      plugin.configure(
        Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(/^steward:/, ""), JSON.stringify(value)])),
        provider,
      ),
    async check(subject, last, given, isPreview) {
      const checked = plugin.check(of(subject), sent(last, isPreview), sent(given, isPreview));
      const { inputs, failures } = await telling("check", checked);
      return { inputs: returned(inputs), failures: failures.map((each) => ({ ...each, reason: atPath(each.path, each.reason) })) };
    },
    diff: (subject, { outputs, inputs }, news, isPreview) =>
      telling("diff", plugin.diff(of(subject), subject.id, sent(outputs, isPreview), sent(inputs, isPreview), sent(news, isPreview))),
    async create(subject, news, isPreview) {
      const creation = plugin.create(of(subject), sent(news, isPreview), isPreview);
      const { id, state } = await telling("create", creation).catch(halfMade);
      return { id, outputs: returned(state) };
    },
    async read(subject, { outputs, inputs }) {
      const found = await telling("read", plugin.read(of(subject), subject.id, sent(outputs), sent(inputs)));
      return found ? { id: found.id, inputs: returned(found.inputs), outputs: returned(found.state) } : { id: "", inputs: {}, outputs: {} };
    },
    async update(subject, { outputs, inputs }, news, isPreview) {
      const last = { state: sent(outputs, isPreview), inputs: sent(inputs, isPreview) };
      const update = plugin.update(of(subject), subject.id, last, sent(news, isPreview), isPreview).then((state) => ({ state }));
      const { state } = await telling("update", update).catch(halfMade);
      return returned(state);
    },
    delete: (subject, { outputs }) => telling("delete", plugin.delete(of(subject), subject.id, sent(outputs))),
  };
}
