import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { decoded, Program, Properties, Provider, sealed, sourceOf } from "../support/deployment";

// A provider that records its calls. The real engine and the stand-in load the same one.

/** The variable with the file to which the provider writes its calls. The file with the suffix `.world` contains the world. */
export const recordingVariable = "STEWARD_RECORDING";

/** The values that replace the written ones, by resource name; or "gone" or "undeletable". */
export type World = Record<string, object | "gone" | "undeletable">;

/**
 * The inputs control its behavior: `key` replaces, `first` deletes before it replaces, `fails` names the failing operation, and all others update. The
 * engine loads this source on its own, so it uses nothing else in this file.
 */
export const recorder = `
const { appendFileSync, readFileSync } = require("node:fs");
const file = process.env.${recordingVariable};
const note = (call, ...args) => appendFileSync(file, JSON.stringify({ call, args }, (name, value) => (name === "__provider" ? "text" : value)) + "\\n");
const world = () => JSON.parse(readFileSync(file + ".world", "utf8"));
const outputs = ["computed", "hidden"];
const outs = (inputs) => ({ ...inputs, computed: inputs.name + " " + inputs.value, hidden: "canary" });
const id = ({ name, key, first }) => [name, key, first].filter(Boolean).join("/");
const halfway = (verb, inputs) => {
  if (inputs.fails === verb) throw new Error("cannot " + verb);
  if (inputs.fails === verb + " partly")
    throw Object.assign(new Error("half " + verb), { id: id(inputs), properties: { ...inputs, half: true }, reasons: ["half"] });
};
exports.handler = () => ({
  async check(olds, news) {
    note("check", olds, news);
    return { inputs: { size: 1, ...news }, failures: news.fails === "check" ? [{ property: "", reason: "refused" }] : [] };
  },
  async diff(id, olds, news) {
    note("diff", id, olds, news);
    const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter((name) => ![...outputs, "half", "__provider"].includes(name));
    const changed = names.filter((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]));
    const replaces = changed.filter((name) => name === "key" || name === "first");
    return { changes: changed.length > 0, replaces, deleteBeforeReplace: replaces.includes("first") };
  },
  async create(inputs) {
    note("create", inputs);
    halfway("create", inputs);
    return { id: id(inputs), outs: outs(inputs) };
  },
  async update(id, olds, news) {
    note("update", id, olds, news);
    halfway("update", news);
    return { outs: outs(news) };
  },
  async read(id, state) {
    note("read", id, state);
    const found = world()[state.name] || {};
    if (found === "gone") return { id: "" };
    const props = { ...state, ...found };
    if (state.name === undefined) return { id, props: { ...props, value: "found" } };
    const inputs = Object.fromEntries(Object.entries(props).filter(([name]) => ![...outputs, "half", "__provider"].includes(name)));
    return { id, props, inputs };
  },
  async delete(id, state) {
    note("delete", id, state);
    if (world()[state.name] === "undeletable") throw new Error("cannot delete");
  },
});
`;

export interface Call {
  call: string;
  args: unknown[];
}

/** The file of the recorded calls, one run after another. */
export class Recording {
  constructor(readonly file: string) {}

  begin(world: World = {}): void {
    writeFileSync(this.file, "");
    writeFileSync(`${this.file}.world`, JSON.stringify(world));
  }

  calls(): Call[] {
    return readFileSync(this.file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** The same provider in this process. */
  provider(): Provider {
    const loaded: { handler?: () => Provider } = {};
    const variables = { [recordingVariable]: this.file };
    new Function("exports", "require", "process", recorder)(loaded, () => ({ appendFileSync, readFileSync }), { env: variables });
    return Object.assign((loaded.handler as () => Provider)(), { configure: () => undefined });
  }
}

export const thing = "recording:Thing";
const realTypes: Record<string, string> = { [thing]: `pulumi-nodejs:dynamic/steward/${thing}` };
const prefix = "urn:pulumi:dev::story::";

export const realUrn = (urn: string): string => prefix + urn.replaceAll(thing, realTypes[thing] as string);
const shortUrn = (urn: string): string => urn.replace(prefix, "").replaceAll(realTypes[thing] as string, thing);

/** The same program for the real command line. */
export const source = (program: Program): string => `
const text = ${JSON.stringify(recorder)};
const fields = { computed: undefined, hidden: undefined, value: undefined, name: undefined, __provider: text };
class Thing extends pulumi.CustomResource {
  constructor(name, args, opts) { super(${JSON.stringify(realTypes[thing])}, name, { ...fields, ...args }, opts); }
}
class Group extends pulumi.ComponentResource {
  constructor(name, args, opts) { super("recording:Group", name, args, opts); }
}
${sourceOf(program, ({ isComponent }) => (isComponent ? "new Group(" : "new Thing("), realUrn)}`;

type Kept = Record<string, unknown>;

/** The resources of this provider in the backend's file, in a common form. */
export function kept(resources: readonly Kept[]): Kept[] {
  const plain = (properties: Properties): unknown =>
    sealed(decoded({ ...properties, ...(properties.__provider ? { __provider: "text" } : {}) }));
  const urns = (list: unknown): string[] => ((list as string[] | undefined) ?? []).map(shortUrn);
  return resources
    .filter(({ urn }) => String(urn).includes("recording:"))
    .map((resource) =>
      common({
        ...{ id: "", external: false, delete: false, pendingReplacement: false, ...resource },
        urn: shortUrn(String(resource.urn)),
        inputs: plain((resource.inputs ?? {}) as Properties),
        outputs: plain((resource.outputs ?? {}) as Properties),
        parent: /recording:/.test(String(resource.parent ?? "")) ? shortUrn(String(resource.parent)) : undefined,
        dependencies: urns(resource.dependencies),
        initErrors: ((resource.initErrors as unknown[] | undefined) ?? []).length > 0,
      }),
    );
}

/** The resources of the stand-in, in the common form. */
export const keptByStandIn = (stored: string): Kept[] =>
  (JSON.parse(stored.replaceAll(realTypes[thing] as string, thing)) as Kept[]).map(common);

const fields = ["urn", "id", "inputs", "outputs", "parent", "initErrors", "external", "delete", "pendingReplacement"];
const common = (resource: Kept): Kept => ({
  ...Object.fromEntries(fields.map((field) => [field, resource[field]])),
  dependencies: [...(resource.dependencies as string[])].sort(),
});
