import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import type { Values } from "../attributes";
import type { Dialect } from "../dialect";
import type { Settings } from "../settings";
import { merged, show, store, wrong } from "../settings";

export function routes(app: Hono<AppEnv>, dialect: Dialect): Settings {
  const { keyPair, document, client, derived } = dialect.costEstimation;
  const complete = (values: Values, names: string[]): boolean => names.every((name) => values[name]);

  const settings: Settings = {
    type: "cost-estimation-settings",
    id: "cost-estimation",
    attributes: {
      enabled: { type: "boolean", default: false },
      ...Object.fromEntries([...keyPair, document, ...client].map((name) => [name, { type: "string", default: null, secret: true }])),
    },
    derived: (values) => derived({ a: complete(values, keyPair), b: isJsonObject(values[document]), c: complete(values, client) }),
    problems: (values) =>
      !values.enabled || complete(values, keyPair) || isJsonObject(values[document]) || complete(values, client)
        ? []
        : [wrong("enabled", "requires at least one complete set of credentials")],
  };

  const path = "/api/v2/admin/cost-estimation-settings";
  app.get(path, (c) => show(c, settings));
  app.patch(path, (c) => store(c, settings, merged(c, settings)));
  return settings;
}

/** The key file of the second cloud, as text. */
function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
