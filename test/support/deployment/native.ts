import { createPlugin } from "../../../provider/engine/plugin";
import { atPath } from "../../../provider/lifecycle/notes";
import { noEngine, wire } from "../engine";
import { limits } from "../limits";
import { decoded, encoded } from "./marks";
import { halfway, Mechanism } from "./mechanism";
import { known, Properties } from "./values";

const sent = (properties: Properties, isPreview = false): Properties => wire(encoded(isPreview ? properties : known(properties)));
const returned = (properties: Properties): Properties => decoded(wire(properties));
const halfMade = halfway(returned);

/** The native plugin, started again for each operation. It marks its secrets, and is called in previews, too. */
export function native(): Mechanism {
  const plugin = createPlugin({ environment: process.env, engine: noEngine, limits }, (severity, line) =>
    console.log(severity === "warning" ? `warning: ${line}` : line),
  );
  const of = ({ urn }: { urn: string }): string => `urn:pulumi:dev::story::${urn.replace(/(secrets|platform):/, "steward:$1:")}`;
  return {
    inputs: {},
    configure: (config) =>
      plugin.configure(
        Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(/^steward:/, ""), JSON.stringify(value)])),
      ),
    async check(subject, last, given, isPreview) {
      const { inputs, failures } = await plugin.check(of(subject), sent(last, isPreview), sent(given, isPreview));
      return { inputs: returned(inputs), failures: failures.map(({ path, reason }) => ({ reason: atPath(path, reason) })) };
    },
    diff: (subject, { outputs, inputs }, news, isPreview) =>
      plugin.diff(of(subject), subject.id, sent(outputs, isPreview), sent(inputs, isPreview), sent(news, isPreview)),
    async create(subject, news, isPreview) {
      const { id, state } = await plugin.create(of(subject), sent(news, isPreview), isPreview).catch(halfMade);
      return { id, outputs: returned(state) };
    },
    async read(subject, { outputs, inputs }) {
      const found = await plugin.read(of(subject), subject.id, sent(outputs), sent(inputs));
      return found ? { id: found.id, inputs: returned(found.inputs), outputs: returned(found.state) } : { id: "", inputs: {}, outputs: {} };
    },
    async update(subject, { outputs, inputs }, news, isPreview) {
      const last = { state: sent(outputs, isPreview), inputs: sent(inputs, isPreview) };
      return returned(await plugin.update(of(subject), subject.id, last, sent(news, isPreview), isPreview).catch(halfMade));
    },
    delete: (subject, { outputs }) => plugin.delete(of(subject), subject.id, sent(outputs)),
  };
}
