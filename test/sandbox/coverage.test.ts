import type { Hono } from "hono";
import { start } from "../../sandbox";
import { Clock } from "../../sandbox/clock";
import { createPlatform } from "../../sandbox/platform";
import * as platformDialects from "../../sandbox/platform/dialect";
import { createScheduler } from "../../sandbox/scheduler";
import * as schedulerDialects from "../../sandbox/scheduler/dialect";
import { createSecrets, type Secrets } from "../../sandbox/secrets";
import { hashicorp, openbao, standard } from "../../sandbox/secrets/dialect";
import { createKey } from "../../sandbox/secrets/seal";
import { livingCases } from "../cases";
import { isIn } from "../cases/case";
import { contextOf } from "../support/context";

/** The methods of each path. */
type Methods = Record<string, string>;

/** The routes that no case of test/cases requests, but a suite of this folder. A new route fails here until a case requests it or it is listed. */
const listed = {
  secrets: {
    "/sys/mounts": "GET",
    "/sys/mounts/:path": "GET POST PUT DELETE",
    "/sys/policies/acl/:name": "GET POST PUT DELETE",
    "/token/create": "POST PUT",
    "/token/accessors/": "LIST",
    "/sys/rekey/init": "GET PUT DELETE",
    "/sys/rekey/update": "PUT",
    "/sys/rekey/verify": "GET PUT DELETE",
    "/sys/rekey/backup": "GET DELETE",
  },
  platform: { "/api/v2/admin/workspaces": "GET" },
  scheduler: {
    "/v1/jobs": "GET PUT",
    "/v1/job/:id": "GET",
    "/v1/deployments": "GET",
    "/v1/deployment/:id": "GET",
    "/v1/nodes": "GET",
    "/v1/agent/members": "GET",
  },
} satisfies Record<string, Methods>;

/** Those that only the hashicorp dialect serves, or with these methods. */
const inHashicorp = {
  secrets: {
    "/sys/rekey/init": "GET POST PUT DELETE",
    "/sys/rekey/update": "POST PUT",
    "/sys/rekey/verify": "GET POST PUT DELETE",
    "/sys/rekey-recovery-key/init": "GET POST PUT DELETE",
    "/sys/rekey-recovery-key/update": "POST PUT",
    "/sys/rekey-recovery-key/verify": "GET POST PUT DELETE",
    "/sys/rekey/recovery-key-backup": "GET DELETE",
    "/sys/internal/specs/openapi": "GET",
    "/sys/health": "GET",
    "/sys/seal-status": "GET",
    "/sys/unseal": "POST PUT",
    "/sys/leases/renew": "POST PUT",
    "/sys/leases/renew/:url_lease_id": "POST PUT",
    "/sys/leases/revoke/:url_lease_id": "POST PUT",
    "/token/revoke-self": "POST PUT",
    "/token/revoke": "POST PUT",
  },
  platform: {
    "/api/v2/ping": "GET",
    "/.well-known/jwks": "GET",
    "/api/v2/admin/organizations": "GET",
    "/api/v2/organizations": "GET POST",
    "/api/v2/organizations/:name": "GET PATCH DELETE",
    "/api/v2/organizations/:name/registry-modules": "GET",
    "/api/v2/organizations/:name/workspaces": "GET POST",
    "/api/v2/organizations/:name/workspaces/:workspace": "GET PATCH DELETE",
    "/api/v2/workspaces/:id": "GET PATCH DELETE",
    "/api/v2/workspaces/:id/actions/lock": "POST",
    "/api/v2/workspaces/:id/actions/unlock": "POST",
  },
  scheduler: { "/v1/jobs": "GET POST PUT" },
} satisfies Record<string, Methods>;

const routesOf = (methods: Methods): string[] =>
  Object.entries(methods).flatMap(([path, each]) => each.split(" ").map((method) => `${method} ${path}`));

async function secretsIn(dialect: typeof standard): Promise<Secrets> {
  const schedulerPeer = { url: "", ...createScheduler(schedulerDialects.standard, new Clock()).tokens };
  return createSecrets(dialect, new Clock(), schedulerPeer, await createKey(1, 1));
}

// biome-ignore lint/suspicious/noExplicitAny: an app with any variables
type App = Hono<any>;
type Name = "standard" | "hashicorp";

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path.replace(/\{.*\}$/, "")}`;
const registered = (app: App): string[] => [...new Set(app.routes.filter(({ method }) => method !== "ALL").map(nameOf))].sort();

async function requestsOfCases(system: string, dialect: Name): Promise<Request[]> {
  const sandbox = await start({ dialect });
  await sandbox.close();
  const context = contextOf(sandbox, dialect);
  return livingCases
    .filter(isIn(dialect))
    .filter(({ token }) => token.startsWith(`${system}:`))
    .flatMap(({ requests, paths }) => [
      ...Object.values(requests?.(context) ?? {}).flat(),
      ...(paths?.(context) ?? []).map((path) => `GET ${path}`),
    ])
    .map((request: string) => {
      const [method, path] = request.split(" ");
      return new Request(`http://sandbox${path}`, { method: path?.endsWith("?list=true") ? "LIST" : method });
    });
}

/** The routes that no case requests. For a handler of several methods, one of them is enough. */
async function uncovered(app: App, system: string, dialect: Name): Promise<string[]> {
  const handlers = (await requestsOfCases(system, dialect)).flatMap((request) =>
    app.router.match(request.method, app.getPath(request))[0].map(([[handler, { method }]]) => (method === "ALL" ? undefined : handler)),
  );
  const missing = app.routes.filter(({ method, handler }) => method !== "ALL" && !handlers.includes(handler));
  return [...new Set(missing.map(nameOf))].sort();
}

const dialects = { secrets: { standard, hashicorp }, platform: platformDialects, scheduler: schedulerDialects };
const appOf = {
  secrets: async (name: Name): Promise<App> => (await secretsIn(dialects.secrets[name])).app,
  platform: (name: Name): App => createPlatform(dialects.platform[name], new Clock()).app,
  scheduler: (name: Name): App => createScheduler(dialects.scheduler[name], new Clock()).app,
};

test.each(
  (["secrets", "platform", "scheduler"] as const).flatMap((system) =>
    (["standard", "hashicorp"] as const).map((name) => [system, name] as const),
  ),
)("a case or a suite requests each route of %s, %s", async (system, name) => {
  const routes = routesOf({ ...listed[system], ...(name === "hashicorp" && inHashicorp[system]) });
  expect(await uncovered(await appOf[system](name), system, name)).toEqual(routes.sort());
});

test.each([
  ["standard", standard],
  ["hashicorp", hashicorp],
  ["openbao", openbao],
] as const)("the OpenAPI document lists exactly the registered routes, %s", async (_, dialect) => {
  const service = await secretsIn(dialect);
  const request = new Request("http://sandbox/v1/sys/internal/specs/openapi", {
    headers: { [dialect.tokenHeader]: service.records.token },
  });
  const document = (await (await service.fetch(request)).json()) as { paths: Record<string, Record<string, { parameters?: object[] }>> };
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => ["get", "post", "put", "delete"].includes(key))
      .map(([method, { parameters }]) => `${parameters ? "LIST" : method.toUpperCase()} ${path}`),
  );
  const routes = registered(service.app);
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
});
