import type { Hono } from "hono";
import { Clock } from "../../sandbox/clock";
import { createPlatform } from "../../sandbox/platform";
import * as platformDialects from "../../sandbox/platform/dialect";
import { createScheduler } from "../../sandbox/scheduler";
import * as schedulerDialects from "../../sandbox/scheduler/dialect";
import { createSecrets, type Secrets } from "../../sandbox/secrets";
import { hashicorp, standard } from "../../sandbox/secrets/dialect";
import { createKey } from "../../sandbox/secrets/seal";

// Every route, in a snapshot: a new one fails here until it is reviewed, with the suite in this folder that tells its story.
async function secretsIn(dialect: typeof standard): Promise<Secrets> {
  const schedulerPeer = { url: "", ...createScheduler(schedulerDialects.standard, new Clock()).tokens };
  return createSecrets(dialect, new Clock(), schedulerPeer, await createKey(1, 1));
}

// biome-ignore lint/suspicious/noExplicitAny: an app with any variables
function registered(app: Hono<any>): string[] {
  const names = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path.replace(/\{.*\}$/, "")}`);
  return [...new Set(names)].sort();
}

test.each([
  { name: "standard", dialect: standard, platform: platformDialects.standard, scheduler: schedulerDialects.standard },
  { name: "hashicorp", dialect: hashicorp, platform: platformDialects.hashicorp, scheduler: schedulerDialects.hashicorp },
])("the services register exactly the reviewed routes, $name", async ({ dialect, platform, scheduler }) => {
  expect({
    secrets: registered((await secretsIn(dialect)).app),
    platform: registered(createPlatform(platform, new Clock()).app),
    scheduler: registered(createScheduler(scheduler, new Clock()).app),
  }).toMatchSnapshot();
});

test.each([standard, hashicorp])("the OpenAPI document lists exactly the registered routes, $engine", async (dialect) => {
  const service = await secretsIn(dialect);
  const request = new Request("http://sandbox/v1/sys/internal/specs/openapi", {
    headers: { [dialect.tokenHeader]: service.records.token },
  });
  const document = (await (await service.fetch(request)).json()) as { paths: Record<string, object> };
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => ["get", "post", "put", "delete"].includes(key))
      .map((method) => `${/\/(role|accessors)\/?$/.test(path) ? "LIST" : method.toUpperCase()} ${path}`),
  );
  const routes = registered(service.app);
  // Where both write, the document shows POST.
  const names = routes
    .filter((route) => !routes.includes(route.replace(/^PUT/, "POST")) || !route.startsWith("PUT"))
    .map((route) =>
      route
        .replace("/engine/", `/${dialect.engine}/`)
        .replace("/token/", "/auth/token/")
        .replace(/:(\w+)$/, "{$1}")
        .replace(/\/(role|accessors)\/$/, `/$1${dialect.openapi.listEnd}`),
    );
  expect(shown.sort()).toEqual(names.sort());
});
