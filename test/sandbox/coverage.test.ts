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

// The routes that no case of test/cases requests, and the test of each. A new route fails here until a case requests it or it is listed.
const secrets: Record<string, string> = {
  "GET /sys/mounts": "secrets-mounts",
  "GET /sys/mounts/:path": "secrets-mounts",
  "POST /sys/mounts/:path": "secrets-mounts",
  "PUT /sys/mounts/:path": "secrets-mounts",
  "DELETE /sys/mounts/:path": "secrets-mounts",
  "GET /sys/policies/acl/:name": "secrets-permissions: policies",
  "POST /sys/policies/acl/:name": "secrets-permissions: policies",
  "PUT /sys/policies/acl/:name": "secrets-permissions: policies",
  "DELETE /sys/policies/acl/:name": "secrets-permissions: policies",
  "POST /token/create": "secrets-permissions: tokens",
  "PUT /token/create": "secrets-permissions: tokens",
  "LIST /token/accessors/": "secrets-permissions: sudo",
  "GET /sys/rekey/init": "secrets-rekey, secrets-rekey-seal",
  "PUT /sys/rekey/init": "secrets-rekey: starts, secrets-rekey-pgp, secrets-rekey-seal",
  "DELETE /sys/rekey/init": "secrets-rekey: cancels, secrets-rekey-seal",
  "PUT /sys/rekey/update": "secrets-rekey: shares, secrets-rekey-pgp, secrets-rekey-seal",
  "GET /sys/rekey/verify": "secrets-rekey-verify",
  "PUT /sys/rekey/verify": "secrets-rekey-verify, secrets-rekey-pgp",
  "DELETE /sys/rekey/verify": "secrets-rekey-verify: beginning anew",
  "GET /sys/rekey/backup": "secrets-rekey-pgp: the backup",
  "DELETE /sys/rekey/backup": "secrets-rekey-pgp: the backup",
};
const realOnly: Record<string, string> = {
  // The suites of "rekey/init" and so on, for recovery keys.
  "GET /sys/rekey-recovery-key/init": "secrets-rekey",
  "POST /sys/rekey-recovery-key/init": "secrets-rekey: other verbs",
  "PUT /sys/rekey-recovery-key/init": "secrets-rekey: starts, secrets-rekey-pgp",
  "DELETE /sys/rekey-recovery-key/init": "secrets-rekey: cancels",
  "POST /sys/rekey-recovery-key/update": "secrets-rekey: other verbs",
  "PUT /sys/rekey-recovery-key/update": "secrets-rekey: shares, secrets-rekey-pgp",
  "GET /sys/rekey-recovery-key/verify": "secrets-rekey-verify",
  "POST /sys/rekey-recovery-key/verify": "secrets-rekey: other verbs",
  "PUT /sys/rekey-recovery-key/verify": "secrets-rekey-verify, secrets-rekey-pgp",
  "DELETE /sys/rekey-recovery-key/verify": "secrets-rekey-verify: beginning anew",
  "GET /sys/rekey/recovery-key-backup": "secrets-rekey-pgp: the backup",
  "DELETE /sys/rekey/recovery-key-backup": "secrets-rekey-pgp: the backup",
  "GET /sys/internal/specs/openapi": "secrets-permissions: OpenAPI",
  "POST /sys/rekey/init": "secrets-rekey: other verbs",
  "POST /sys/rekey/update": "secrets-rekey: other verbs",
  "POST /sys/rekey/verify": "secrets-rekey: other verbs",
  "GET /sys/health": "secrets-seal: the health",
  "GET /sys/seal-status": "secrets-rekey-seal: the seal's status",
  "POST /sys/leases/renew": "secrets-leases: renewed",
  "PUT /sys/leases/renew": "secrets-leases: renewed",
  "POST /sys/leases/renew/:url_lease_id": "secrets-leases: renewed",
  "PUT /sys/leases/renew/:url_lease_id": "secrets-leases: renewed",
  "POST /sys/leases/revoke/:url_lease_id": "secrets-leases: revoked",
  "PUT /sys/leases/revoke/:url_lease_id": "secrets-leases: revoked",
  "POST /token/revoke-self": "secrets-creds: the token that asked",
  "PUT /token/revoke-self": "secrets-creds: the token that asked",
  "POST /token/revoke": "secrets-leases: revoked by another",
  "PUT /token/revoke": "secrets-leases: revoked by another",
  "POST /sys/unseal": "secrets-rekey-seal: unsealing",
  "PUT /sys/unseal": "secrets-rekey-seal: unsealing",
};
const platform: Record<string, string> = {
  "GET /api/v2/admin/workspaces": "platform-workspaces",
};
const platformRealOnly: Record<string, string> = {
  "GET /api/v2/ping": "platform-clients",
  "GET /.well-known/jwks": "platform-oidc",
  "GET /api/v2/organizations": "platform-clients: organizations",
  "POST /api/v2/organizations": "platform-clients: organizations",
  "GET /api/v2/organizations/:name": "platform-clients: organizations",
  "PATCH /api/v2/organizations/:name": "platform-clients: organizations",
  "DELETE /api/v2/organizations/:name": "platform-clients: organizations",
  "GET /api/v2/organizations/:name/registry-modules": "platform-clients: modules",
  "GET /api/v2/organizations/:name/workspaces": "platform-clients: workspaces",
  "POST /api/v2/organizations/:name/workspaces": "platform-clients: workspaces",
  "GET /api/v2/organizations/:name/workspaces/:workspace": "platform-clients: workspaces",
  "PATCH /api/v2/organizations/:name/workspaces/:workspace": "platform-clients: workspaces",
  "DELETE /api/v2/organizations/:name/workspaces/:workspace": "platform-clients: workspaces",
  "GET /api/v2/workspaces/:id": "platform-clients: workspaces",
  "PATCH /api/v2/workspaces/:id": "platform-clients: workspaces",
  "DELETE /api/v2/workspaces/:id": "platform-clients: workspaces",
  "POST /api/v2/workspaces/:id/actions/lock": "platform-clients: workspaces",
  "POST /api/v2/workspaces/:id/actions/unlock": "platform-clients: workspaces",
};
const scheduler: Record<string, string> = {
  "GET /v1/jobs": "scheduler-lists, scheduler-pages, scheduler-waits, scheduler-filter",
  "PUT /v1/jobs": "scheduler-jobs",
  "GET /v1/job/:id": "scheduler-jobs",
  "GET /v1/deployments": "scheduler-lists, scheduler-pages, scheduler-jobs",
  "GET /v1/deployment/:id": "scheduler-jobs",
  "GET /v1/nodes": "scheduler-lists, scheduler-filter",
  "GET /v1/agent/members": "scheduler-lists",
};

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

test.each([
  ["standard", standard, secrets],
  ["hashicorp", hashicorp, { ...secrets, ...realOnly }],
] as const)("a case or a listed test requests each route of the secrets service, %s", async (name, dialect, listed) => {
  const { app } = await secretsIn(dialect);
  expect(await uncovered(app, "secrets", name)).toEqual(Object.keys(listed).sort());
});

test.each([
  ["standard", platformDialects.standard, platform],
  ["hashicorp", platformDialects.hashicorp, { ...platform, ...platformRealOnly }],
] as const)("a case or a listed test requests each route of the platform, %s", async (name, dialect, listed) => {
  expect(await uncovered(createPlatform(dialect, new Clock()).app, "platform", name)).toEqual(Object.keys(listed).sort());
});

test.each([
  ["standard", schedulerDialects.standard, scheduler],
  ["hashicorp", schedulerDialects.hashicorp, { ...scheduler, "POST /v1/jobs": "scheduler-jobs" }],
] as const)("a listed test requests each route of the scheduler, %s", async (name, dialect, listed) => {
  expect(await uncovered(createScheduler(dialect, new Clock()).app, "scheduler", name)).toEqual(Object.keys(listed).sort());
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
