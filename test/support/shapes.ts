import { connectionsOf } from "../../command/discover/search";
import { observer, readServer } from "../../command/shapes/read";
import { attributesOf, below, Shape, typeOf } from "../../command/shapes/shape";
import { noEngine, Operation } from "../../provider/contract/operation";
import { wireName } from "../../provider/platform/client";
import { Sandbox, start } from "../../sandbox/index";
import { caseOf, settingsCases } from "../cases";
import { certificate, idpCertificate } from "./certificates";
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
/** The names of the sandbox's objects in paths. */
const placeholders: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["nomad", "scheduler"].map((mount) => [mount, "<mount>"])),
  web: "<name>",
  operator: "<name>",
  ...Object.fromEntries(["acme", "globex"].map((organization) => [organization, "<organization>"])),
  network: "<module>",
  website: "<module>",
  aws: "<provider>",
  google: "<provider>",
};
const templateOf = (path: string): string =>
  path
    .split("/")
    .map((segment) => placeholders[segment] ?? segment.replace(/^ws-.*/, "<workspace>"))
    .join("/");

/** Writes each object that the package reads. */
async function fill(sandbox: Sandbox, dialect: string): Promise<void> {
  const context = contextOf(sandbox, dialect === "standard" ? "standard" : "hashicorp");
  const { mount, outOfBand } = context;
  await outOfBand("secrets", "POST", `/v1/${mount}/config/access`, { address: "http://127.0.0.1:1", token: "token", ca_cert: certificate });
  await outOfBand("secrets", "POST", `/v1/${mount}/config/lease`, { ttl: "1h", max_ttl: "2h" });
  await outOfBand("secrets", "POST", `/v1/${mount}/role/web`, { policies: "deploy", type: "client" });
  await outOfBand("secrets", "POST", `/v1/${mount}/role/operator`, { type: "management" });
  const attributes = { deprecation: { "deprecated-status": "Deprecated", reason: "old", link: "https://example.com" } };
  const version = "/api/v2/organizations/acme/registry-modules/private/acme/network/aws/1.0.0";
  await outOfBand("platform", "PATCH", version, { data: { type: "module-versions", attributes } });
  const isServed = ({ dialects = [context.dialect] }: { dialects?: readonly string[] }): boolean => dialects.includes(context.dialect);
  for (const { type, values, productValues } of settingsCases.filter(isServed))
    for (const index of [0, 1] as const) {
      const { enabled, ...all } = { ...values, ...(dialect === "standard" ? {} : productValues) };
      const platform = { server: { dialect: context.dialect } } as Operation;
      const named = Object.entries(all).map(([name, value]) => [wireName(platform, name), value[index]]);
      const path = caseOf(`platform:${type}`).requests?.(context).refresh[0]?.replace("GET ", "") ?? "";
      await outOfBand("platform", "PATCH", path, { data: { attributes: Object.fromEntries(named) } });
    }
  if (dialect === "standard") return;
  const banner = { title: "News", body: "Soon.", style: "info", audience: "all_users" };
  const created = [
    ["banners", "banners", banner],
    ["data-retention-policy-settings", "data-retention-policy-delete-olders", { "delete-older-than-n-days": 30 }],
    ["saml-settings/idp-certificates", "saml-idp-certificates", { "display-name": "Ours", cert: idpCertificate }],
  ] as const;
  for (const [path, type, all] of created)
    await outOfBand("platform", "POST", `/api/v2/admin/${path}`, { data: { type, attributes: all } });
}

/** The shapes of the responses of one dialect, by the templates of their paths. */
async function shapesOf(dialect: "standard" | "hashicorp" | "openbao"): Promise<Record<string, Shape>> {
  const sandbox = await start({ dialect });
  try {
    await resetAll(contextOf(sandbox, "hashicorp"));
    const recorded = new Map<string, Recorded>();
    for (const filling of [async () => {}, fill]) {
      await filling(sandbox, dialect);
      const observe = observer((_operation, path, status, body) => {
        const template = templateOf(path);
        recorded.set(template, recorded.get(template) ?? new Recorded());
        return status < 300 ? recorded.get(template)?.add(body) : body;
      });
      const log = { info: () => {}, warn: () => {} };
      const sources = { config: () => undefined, environment: sandbox.env, cache: new Map(), engine: noEngine, log, observe };
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
