import { Hono } from "hono";
import { Values } from "../attributes";
import { Dialect } from "../dialect";
import { AppEnv } from "../response";
import { Settings, serve, wrong } from "../settings";

export function settings(dialect: Dialect): Settings {
  const { keyPair, document, client, derived } = dialect.costEstimation;
  const complete = (values: Values, names: string[]): boolean => names.every((name) => values[name]);

  return {
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
}

export const routes = (app: Hono<AppEnv>, dialect: Dialect): void => serve(app, settings(dialect));

function isJsonObject(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
