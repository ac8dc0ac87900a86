import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { AppEnv } from "../response";

export const below = "sys";

export const paths = (): Described[] => [
  {
    path: "internal/specs/openapi",
    description: "Generate an OpenAPI 3 document of all mounted paths.",
    unauthenticated: true,
    operations: { get: { summary: "Generate an OpenAPI 3 document of all mounted paths.", id: "internal-generate-open-api-document" } },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/sys/internal/specs/openapi";

  app.get(path, (c) => {
    const { records, token } = c.var;
    const rules = token ? records.rules(token) : [];
    const everything = token?.policies.includes("root") ?? false;
    const documented: [string, Record<string, unknown>][] = [];
    for (const { mount, tag, prefix, paths } of c.var.groups([...records.mounts.keys()])) {
      for (const described of paths) {
        const [beginning = "", parameter] = described.path.split("{");
        if (!everything && !dialect.openapi.shows(rules, mount, `${mount}${beginning}`, parameter !== undefined)) continue;
        const list = described.operations.get?.list;
        documented.push([`/${mount}${described.path}${list ? dialect.openapi.listEnd : ""}`, item(described, tag, prefix, dialect)]);
      }
    }
    documented.sort(([a], [b]) => (a < b ? -1 : 1));
    const { title, description, license } = dialect.openapi;
    return c.json({
      openapi: "3.0.2",
      info: { title, description, version: dialect.version, license },
      paths: Object.fromEntries(documented),
      components: { schemas: {} },
    });
  });
}

function item(path: Described, tag: string, prefix: string, dialect: Dialect): Record<string, unknown> {
  const names = dialect.openapi;
  const undescribed = names.describesAll ? false : path.undescribed;
  const parameter = /\{(\w+)\}/.exec(path.path)?.[1];
  const operations = Object.entries(path.operations).map(([method, { summary, id, list, status }]) => [
    method,
    {
      summary: undescribed === true ? undefined : summary,
      operationId: `${prefix}${id}`,
      tags: [tag],
      ...(list && {
        parameters: [
          { name: "list", description: "Must be set to `true`", in: "query", schema: { type: "string", enum: ["true"] }, required: true },
        ],
      }),
      responses: method === "delete" && !status ? { "204": { description: "empty body" } } : { [status ?? "200"]: { description: "OK" } },
    },
  ]);
  return {
    description: undescribed ? undefined : path.description,
    ...(parameter && { parameters: [{ name: parameter, in: "path", schema: { type: "string" }, required: true }] }),
    ...(path.create && { [names.create]: true }),
    ...(path.unauthenticated && { [names.unauthenticated]: true }),
    ...(path.sudo && { [names.sudo]: true }),
    ...Object.fromEntries(operations),
  };
}
