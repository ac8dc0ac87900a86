import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { Values } from "../attributes";
import { Dialect } from "../dialect";
import { HttpError, Problem } from "../http-error";
import { keptFor } from "../lifetime";
import { Records } from "../records";
import { AppEnv, attributesOf, document, done, missing, Route } from "../response";
import { wrong } from "../settings";
import { Resource } from "../wire";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

const bannersOf = keptFor(() => new Map<string, Values>());
const schedule = ["scheduled-publish-at", "scheduled-expire-at", "timezone"];
const texts = ["title", "body", "style", "audience", ...schedule];
const choices: Record<string, string[]> = { style: ["info", "warning", "critical"], audience: ["all_users", "authenticated_only"] };

const isPast = (time: unknown, now: Date): boolean => typeof time === "string" && new Date(time) <= now;
/** Undefined if the banner is deactivated, or its schedule has ended. */
const isActive = (banner: Values | undefined, now: Date): boolean =>
  banner !== undefined && !banner["deactivated-at"] && !isPast(banner["scheduled-expire-at"], now);

function resource(id: string, banner: Values, now: Date): Resource {
  const from = banner["scheduled-publish-at"] ?? banner["created-at"] ?? null;
  const { "created-at": _, ...attributes } = banner;
  return { id, type: "admin-banners", attributes: { ...attributes, "published-at": isPast(from, now) ? from : null } };
}

/** The banner after the request. HTML other than some tags is removed. */
function merged(c: Route, before: Values): Values {
  const sent = Object.entries(attributesOf(c)).filter(([name]) => texts.includes(name));
  const values: Values = { ...before, ...(Object.fromEntries(sent) as Values) };
  const problems: Problem[] = texts
    .filter((name) => !schedule.includes(name) && (typeof values[name] !== "string" || values[name] === ""))
    .map((name) => wrong(name, "can't be blank"));
  for (const [name, allowed] of Object.entries(choices))
    if (!allowed.includes(String(values[name]))) problems.push(wrong(name, `has to be one of: ${allowed.join(", ")}`));
  values.body = String(values.body).replace(/<(?!\/?(strong|em|b|i|a)\b)[^>]*>/g, "");
  for (const [name, most] of [
    ["title", 100],
    ["body", 255],
  ] as const)
    if (String(values[name]).length > most) problems.push(wrong(name, `is too long (maximum is ${most} characters)`));
  const times = schedule.filter((name) => values[name] !== null && values[name] !== undefined);
  if (times.length % schedule.length !== 0) problems.push(wrong("scheduled-publish-at", "requires the whole schedule"));
  if (problems.length > 0) throw new HttpError(422, ...problems);
  for (const name of schedule.slice(0, 2)) values[name] = values[name] ? new Date(String(values[name])).toISOString() : null;
  return values;
}

export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/admin/banners";

  app.get(path, (c) => {
    const active = [...bannersOf(c.var.records)].filter(([, banner]) => isActive(banner, c.var.now));
    return document(c, { data: active.map(([id, banner]) => resource(id, banner, c.var.now)) });
  });

  app.post(path, (c) => {
    const { records, now } = c.var;
    const created = merged(c, { timezone: null, "deactivated-at": null, "created-at": now.toISOString() });
    for (const banner of bannersOf(records).values()) banner["deactivated-at"] ??= now.toISOString();
    const id = records.numberedId("ab");
    bannersOf(records).set(id, created);
    return document(c, { data: resource(id, created, now) }, 201);
  });

  app.patch(`${path}/:id`, (c) => {
    const id = c.req.param("id");
    const banner = bannersOf(c.var.records).get(id);
    if (!banner) return missing(c);
    const changed = merged(c, banner);
    bannersOf(c.var.records).set(id, changed);
    return document(c, { data: resource(id, changed, c.var.now) });
  });

  app.delete(`${path}/:id`, (c) => {
    const banner = bannersOf(c.var.records).get(c.req.param("id"));
    if (!banner) return missing(c);
    banner["deactivated-at"] ??= c.var.now.toISOString();
    return done(c);
  });
}

export const view = (records: Records): Block[] => [
  table(
    "Banners",
    ["Title", "Style", "State"],
    [...bannersOf(records)].map(([id, banner]) =>
      row(id, String(banner.title), String(banner.style), banner["deactivated-at"] ? "deactivated" : ""),
    ),
  ),
];
