import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { flag, secondsOf, text, words } from "../fields";
import { HttpError } from "../http-error";
import { AppEnv, errors, keys } from "../response";
import { issue } from "../tokens";
import { timeToLive } from "../ttl";

export const below = "auth/token";

const creates = "The token create path is used to create new tokens.";
const lists =
  "List token accessors, which can then be used to iterate and discover their properties or revoke them. Because this can be used to cause a denial of service, this endpoint requires 'sudo' capability in addition to 'list'.";

export const paths = (): Described[] => [
  { path: "create", description: creates, operations: { post: { summary: creates, id: "create" } } },
  { path: "accessors", description: lists, sudo: true, operations: { get: { summary: lists, id: "list-accessors", list: true } } },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.on("LIST", "/token/accessors/", (c) => {
    const accessors = [...c.var.records.tokens.values()].map(({ accessor }) => accessor);
    return keys(c, accessors, "token");
  });

  app.on(["POST", "PUT"], "/token/create", (c) => {
    const { fields, now } = c.var;
    const parent = c.var.token!.policies;
    const requested =
      fields.policies === undefined
        ? parent
        : (words(Array.isArray(fields.policies) ? fields : { policies: [fields.policies] }, "policies") ?? []);
    const policies = [...new Set((requested.length > 0 ? requested : parent).map((name) => name.toLowerCase()))];
    const root = policies.includes("root");
    if (!root && !flag(fields, "no_default_policy") && !policies.includes("default")) policies.push("default");
    if (!parent.includes("root") && policies.some((name) => !parent.includes(name)))
      return errors(c, 400, "child policies must be subset of parent");
    const seconds = (field: string): number => {
      const value = text(fields, field) ?? "";
      const duration = value === "" ? 0 : secondsOf(value);
      if (duration === undefined) throw new HttpError(400, `time: invalid duration "${value}"`);
      if (duration < 0) throw new HttpError(400, `${field} must be positive`);
      return duration;
    };
    const explicitMaxTtl = seconds("explicit_max_ttl");
    const asked = seconds("ttl");
    const created = now.getTime();
    const free = root && asked === 0;
    const life = free ? { seconds: explicitMaxTtl, warnings: [] } : timeToLive({ ttl: asked, maxTtl: explicitMaxTtl }, created, created)!;
    const ttl = life.seconds;
    if (ttl === 0 && c.var.token!.ttl !== 0) return errors(c, 400, "expiring root tokens cannot create non-expiring root tokens");
    const orphan = flag(fields, "no_parent") ?? false;
    if (orphan && !parent.includes("root")) return errors(c, 400, "root or sudo privileges required to create orphan token");
    const display = `token-${text(fields, "display_name") ?? ""}`.replace(/[^a-zA-Z0-9-]/g, "-").replace(/-$/, "");

    const given = { displayName: display, policies: policies.sort(), ttl, explicitMaxTtl, renewable: flag(fields, "renewable") ?? true };
    return issue(c, dialect, { ...given, ...(!orphan && { parent: c.var.token!.id }) }, life.warnings);
  });
}
