import { Hono } from "hono";
import { Clock } from "../../sandbox/clock";
import * as platformDialects from "../../sandbox/platform/dialect";
import { routeFiles as platform } from "../../sandbox/platform/routes";
import { createScheduler } from "../../sandbox/scheduler";
import * as schedulerDialects from "../../sandbox/scheduler/dialect";
import { routeFiles as scheduler } from "../../sandbox/scheduler/routes";
import { createSecrets } from "../../sandbox/secrets";
import * as secretsDialects from "../../sandbox/secrets/dialect";
import { routeFiles as secrets } from "../../sandbox/secrets/routes";
import { createKey } from "../../sandbox/secrets/seal";

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

const { standard, hashicorp, openbao } = secretsDialects;
test.each(Object.entries({ standard, hashicorp, openbao }))(
  "the OpenAPI document lists exactly the registered routes, %s",
  async (_, dialect) => {
    const schedulerPeer = { url: "", ...createScheduler(schedulerDialects.standard, new Clock()).tokens };
    const service = createSecrets(dialect, new Clock(), schedulerPeer, await createKey(1, 1));
    const headers = { [dialect.tokenHeader]: service.records.token };
    const response = await service.fetch(new Request("http://sandbox/v1/sys/internal/specs/openapi", { headers }));
    const document = (await response.json()) as { paths: Record<string, Record<string, { parameters?: object[] }>> };
    const shown = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([key]) => ["get", "post", "put", "delete"].includes(key))
        .map(([method, { parameters }]) => `${parameters ? "LIST" : method.toUpperCase()} ${path}`),
    );
    const served = service.app.routes.filter(({ method }) => method !== "ALL");
    const routes = [...new Set(served.map(({ method, path }) => `${method} ${path.replace(/\{.*\}$/, "")}`))];
    // If both methods write, the document shows POST. Vault's has no rekey of recovery keys.
    const names = routes
      .filter((route) => !route.includes("/sys/rekey-recovery-key/"))
      .filter((route) => !routes.includes(route.replace(/^PUT/, "POST")) || !route.startsWith("PUT"))
      .map((route) =>
        route
          .replace("/engine/", `/${dialect.engine}/`)
          .replace("/token/", "/auth/token/")
          .replace(/:(\w+)$/, "{$1}")
          .replace(/\/$/, dialect.openapi.listEnd),
      );
    expect(shown.sort()).toEqual(names.sort());
  },
);
