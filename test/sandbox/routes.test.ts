import { Hono } from "hono";
import * as platformDialects from "../../sandbox/platform/dialect";
import { routeFiles as platform } from "../../sandbox/platform/routes";
import * as schedulerDialects from "../../sandbox/scheduler/dialect";
import { routeFiles as scheduler } from "../../sandbox/scheduler/routes";
import * as secretsDialects from "../../sandbox/secrets/dialect";
import { routeFiles as secrets } from "../../sandbox/secrets/routes";

interface File {
  isServed?(dialect: never): boolean;
  routes(app: Hono<never>, dialect: never): void;
}
interface Dialects {
  standard: unknown;
  hashicorp: unknown;
}

/** A path that a route serves: `/engine/role/:name{[^/]+}` as `/engine/role/one`. */
const example = (path: string): string => path.replace(/:\w+(\{.*?\}(?=\/|$))?/g, "one");

describe.each<[string, readonly unknown[], Dialects]>([
  ["secrets", secrets, secretsDialects],
  ["platform", platform, platformDialects],
  ["scheduler", scheduler, schedulerDialects],
])("%s", (_, files, dialects) => {
  test.each(["standard", "hashicorp"] as const)("no two files serve the same path, so their order does not matter, %s", (name) => {
    const dialect = dialects[name] as never;
    const apps = (files as readonly File[])
      .filter(({ isServed }) => isServed?.(dialect) ?? true)
      .map(({ routes }) => {
        const app = new Hono<never>();
        routes(app, dialect);
        return app;
      });
    const served = apps.map((app) => [...new Set(app.routes.map(({ path }) => example(path)))]);
    expect(served.flat().length).toBeGreaterThan(5);
    for (const [index, app] of apps.entries())
      for (const path of served.flatMap((paths, other) => (other === index ? [] : paths)))
        for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "LIST"])
          expect({ path, matches: app.router.match(method, path)[0].length }).toEqual({ path, matches: 0 });
  });
});
