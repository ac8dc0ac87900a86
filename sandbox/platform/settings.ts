import { Hono } from "hono";
import { Attribute, Values } from "./attributes";
import { HttpError, Problem } from "./http-error";
import { Records } from "./records";
import { AppEnv, attributesOf, document, Route } from "./response";

/** A settings resource of the installation. Each exists exactly once. */
export interface Settings {
  type: string;
  id: string;
  attributes: Record<string, Attribute>;
  /** Attributes that depend on others. */
  derived?(values: Values, origin: string): Values;
  /** The problems of combinations of attributes. */
  problems?(values: Values): Problem[];
}

/** The stored values, with defaults. */
export function valuesOf(records: Records, settings: Settings): Values {
  const stored = records.settings.get(settings.type);
  return Object.fromEntries(Object.entries(settings.attributes).map(([name, attribute]) => [name, stored?.[name] ?? attribute.default]));
}

/**
 * The values after the request. Omitted attributes keep their value, null restores the default, and unknown attributes are ignored. An empty
 * string counts as null if the default is null.
 */
export function merged(c: Route, settings: Settings): Values {
  const values = valuesOf(c.var.records, settings);
  const problems: Problem[] = [];
  for (const [name, sent] of Object.entries(attributesOf(c))) {
    const attribute = Object.hasOwn(settings.attributes, name) ? settings.attributes[name] : undefined;
    if (!attribute || attribute.only === "reads") continue;
    if (sent === null || (sent === "" && attribute.default === null)) values[name] = attribute.default;
    else if (isOf(attribute, sent)) values[name] = sent;
    else problems.push(wrong(name, `has to be ${attribute.type === "integer" ? "an integer" : `a ${attribute.type}`}`));
  }
  if (problems.length > 0) throw new HttpError(422, ...problems);
  for (const [name, { oneOf }] of Object.entries(settings.attributes))
    if (oneOf && !oneOf.includes(String(values[name]))) problems.push(wrong(name, `has to be one of: ${oneOf.join(", ")}`));
  problems.push(...(settings.problems?.(values) ?? []));
  if (problems.length > 0) throw new HttpError(422, ...problems);
  return values;
}

export function show(c: Route, settings: Settings): Response {
  const values = valuesOf(c.var.records, settings);
  const visible = Object.entries(values).filter(([name]) => settings.attributes[name]?.only !== "writes");
  const attributes = { ...Object.fromEntries(visible), ...settings.derived?.(values, new URL(c.req.url).origin) };
  return document(c, { data: { id: settings.id, type: settings.type, attributes } });
}

export function store(c: Route, settings: Settings, values: Values): Response {
  c.var.records.settings.set(settings.type, values);
  return show(c, settings);
}

/** Adds the routes of settings without side effects. */
export function serve(app: Hono<AppEnv>, settings: Settings): void {
  const path = `/api/v2/admin/${settings.type}`;
  app.get(path, (c) => show(c, settings));
  app.patch(path, (c) => store(c, settings, merged(c, settings)));
}

/** Problems for those of the named attributes that have no value. */
export function required(values: Values, ...names: string[]): Problem[] {
  return names.filter((name) => values[name] === null || values[name] === "").map((name) => wrong(name, "is required when enabled"));
}

/** A problem with an attribute. It does not contain the value, which may be a secret. */
export function wrong(attribute: string, reason: string): Problem {
  return { attribute, detail: `${attribute} ${reason}.` };
}

function isOf({ type }: Attribute, value: unknown): value is string | number | boolean {
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === type;
}
