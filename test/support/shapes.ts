import { connectionsOf } from "../../command/discover/search";
import { observer, readServer } from "../../command/shapes/read";
import { attributesOf, below, Shape, typeOf } from "../../command/shapes/shape";
import { AnyDefinition } from "../../provider/contract/definition";
import { defaultsOf, namesWith } from "../../provider/contract/fields";
import { noEngine, Operation, Writer } from "../../provider/contract/operation";
import { secretOf } from "../../provider/contract/secret";
import { wireName } from "../../provider/platform/client";
import { definitions } from "../../provider/registry/resources";
import { start } from "../../sandbox/index";
import { caseOf, livingCases, settingsCases } from "../cases";
import { Context, isIn } from "../cases/case";
import { contextOf, resetAll } from "./context";

// Prints command/shapes/expected.ts, which `npm run generate` writes: the attributes that the package reads from the documents of the sandbox.

/** A body that records the paths of the attributes that are read from it. */
function spied(value: unknown, path: string, reads: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const see = (target: object, key: string | symbol): string | undefined => {
    if (typeof key !== "string" || !Object.hasOwn(target, key) || (Array.isArray(target) && !/^\d+$/.test(key))) return undefined;
    const place = below(path, Array.isArray(target) ? "[]" : key);
    reads.add(place);
    return place;
  };
  return new Proxy(value, {
    get(target, key) {
      const place = see(target, key);
      const child = Reflect.get(target, key);
      return place === undefined ? child : spied(child, place, reads);
    },
    getOwnPropertyDescriptor(target, key) {
      see(target, key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    has(target, key) {
      see(target, key);
      return Reflect.has(target, key);
    },
  });
}

/** The responses to one request, and what the package reads from them. */
class Recorded {
  readonly reads = new Set<string>();
  private readonly types = new Map<string, Set<string>>();
  private readonly counts = new Map<string, number>();

  add(value: unknown, path = ""): unknown {
    for (const [name, child] of attributesOf(value) ?? []) {
      const place = below(path, name);
      this.types.set(place, (this.types.get(place) ?? new Set()).add(typeOf(child)));
      if (!Array.isArray(value)) this.counts.set(place, (this.counts.get(place) ?? 0) + 1);
      this.add(child, place);
    }
    if (!Array.isArray(value) && typeof value === "object" && value !== null)
      this.counts.set(`${path}{}`, (this.counts.get(`${path}{}`) ?? 0) + 1);
    return path === "" ? spied(value, "", this.reads) : undefined;
  }

  shape(): Shape {
    const optional = (path: string): string => {
      const objects = this.counts.get(`${path.replace(/\.?[^.]+$/, "")}{}`) ?? 0;
      return objects > (this.counts.get(path) ?? objects) ? "?" : "";
    };
    return Object.fromEntries(
      [...this.reads].sort().map((path) => [path, [...(this.types.get(path) ?? [])].sort().join(" | ") + optional(path)]),
    );
  }
}
const names: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["acme", "globex"].map((organization) => [organization, "<organization>"])),
  ...Object.fromEntries(["network", "website"].map((name) => [name, "<module>"])),
  ...Object.fromEntries(["aws", "google"].map((provider) => [provider, "<provider>"])),
};
/** The path without the names of the sandbox's objects, and without those that the cases create. */
const templateOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => names[segment] ?? segment.replace(/^ws-.*/, "<workspace>"))
    .join("/")
    .replace(/^\/v1\/(?!sys\/).*(?=\/(config|role)\b)/, "/v1/<mount>")
    .replace(/(?<=\/role\/).*/, "<name>")
    .replace(/(?<=\/sys\/mounts\/).*?(?=(\/tune)?$)/, "<mount>");

/** A resource of which nothing else manages a part. */
const claims = {
  each: async (path: string, act: (claim: object) => Promise<unknown>) => void (await act({ path })),
  isRemoved: () => false,
  managerOf: () => undefined,
  assertAdopted: () => {},
};

const isSettings = ({ token }: { token: string }): boolean => settingsCases.some(({ type }) => token === `platform:${type}`);

/** Creates each object that the search finds, with the inputs of its case, and writes each setting. */
async function fill(context: Context, operations: readonly Operation[], stage: "inputs" | "changed"): Promise<void> {
  const [engines, others] = [true, false].map((isEngine) => livingCases.filter(({ token }) => token.endsWith("Engine") === isEngine));
  // A new engine is empty.
  for (const each of [...(engines ?? []), ...(others ?? [])].filter(isIn(context.dialect))) {
    const definition = definitions.find(({ token }) => token === each.token) as AnyDefinition;
    if (typeof definition.discover !== "function" || isSettings(each) || each.token === "platform:AdminWorkspace") continue;
    await each.prepare?.(context);
    const operation = operations.find(({ server }) => server.system === definition.system.name) as Writer;
    const isSecret = (name: string): boolean => namesWith(definition.fields, "secret").includes(name);
    const inputs = Object.entries({ ...defaultsOf(definition.fields, operation), ...(each[stage] ?? each.inputs)(context) });
    const values = inputs.map(([name, value]) => [name, isSecret(name) ? secretOf(String(value)) : value]);
    const request = { operation, inputs: Object.fromEntries(values), claims: claims as never };
    await definition.create({ ...request, existing: await definition.find?.(request) });
  }
  for (const { type, values, productValues } of settingsCases.filter(isIn(context.dialect))) {
    const { enabled, ...all } = { ...values, ...(context.dialect === "standard" ? {} : productValues) };
    const index = stage === "inputs" ? 0 : 1;
    const named = Object.entries(all).map(([name, value]) => [wireName(operations[1] as Operation, name), value[index]]);
    const path = caseOf(`platform:${type}`).requests?.(context).refresh[0]?.replace("GET ", "") ?? "";
    await context.outOfBand("platform", "PATCH", path, { data: { attributes: Object.fromEntries(named) } });
  }
}

/** The shapes of the responses of one dialect, by the templates of their paths. */
async function shapesOf(dialect: "standard" | "hashicorp" | "openbao"): Promise<Record<string, Shape>> {
  const sandbox = await start({ dialect });
  try {
    const context = contextOf(sandbox, dialect === "standard" ? "standard" : "hashicorp");
    await resetAll(context);
    const recorded = new Map<string, Recorded>();
    for (const stage of [undefined, "inputs", "changed"] as const) {
      const observe = observer(({ server }, path, status, body) => {
        // Beside OpenBao, the other servers of the sandbox have their own dialect.
        if (server.dialect !== dialect) return body;
        const template = templateOf(path);
        recorded.set(template, recorded.get(template) ?? new Recorded());
        return status < 300 ? recorded.get(template)?.add(body) : body;
      });
      const log = { info: () => {}, warn: () => {} };
      const sources = { config: () => undefined, environment: sandbox.env, cache: new Map(), engine: noEngine, log, observe };
      const unobserved = connectionsOf({ ...sources, cache: new Map(), observe: undefined }, "default");
      if (stage) await fill(context, unobserved, stage);
      for (const operation of connectionsOf(sources, "default"))
        await readServer(operation, { mount: [], module: ["acme/network/aws", "globex/website/google"] });
      // Without modules, the search lists the organizations and their modules.
      for (const operation of connectionsOf(sources, "default")) await readServer(operation, { mount: [], module: [] });
    }
    return Object.fromEntries([...recorded].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, each]) => [path, each.shape()]));
  } finally {
    await sandbox.close();
  }
}

/** The shapes of each dialect. */
export async function recordedShapes(): Promise<Record<string, Record<string, Shape>>> {
  return { standard: await shapesOf("standard"), hashicorp: await shapesOf("hashicorp"), openbao: await shapesOf("openbao") };
}

const head = `// Generated by \`npm run generate\` from the sandbox. Do not edit.

import { Shape } from "./shape";

/** The attributes that the package reads, by the dialect and the template of the path. */
export const expected: Readonly<Record<string, Readonly<Record<string, Shape>>>> = `;
if (require.main === module)
  void recordedShapes().then((shapes) => process.stdout.write(`${head}${JSON.stringify(shapes, undefined, 2)};\n`));
