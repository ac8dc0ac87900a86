import type { Hono } from "hono";
import { Clock } from "../../sandbox/clock";
import { createPlatform } from "../../sandbox/platform";
import { createScheduler } from "../../sandbox/scheduler";
import { createSecrets } from "../../sandbox/secrets";
import { hashicorp, standard } from "../../sandbox/secrets/dialect";
import { createKey } from "../../sandbox/secrets/seal";

// Every route, and the test that tells its story. A new route fails here until it is listed.
const secrets: Record<string, string> = {
  "GET /engine/config/access": "secrets-engine: access",
  "POST /engine/config/access": "secrets-engine: access",
  "GET /engine/config/lease": "secrets-engine: lease",
  "POST /engine/config/lease": "secrets-engine: lease",
  "DELETE /engine/config/lease": "secrets-engine: lease",
  "LIST /engine/role/": "secrets-engine: the list, the verb LIST",
  "GET /engine/role/:name": "secrets-engine: role",
  "POST /engine/role/:name": "secrets-engine: role",
  "DELETE /engine/role/:name": "secrets-engine: role",
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
  "GET /sys/internal/specs/openapi": "secrets-permissions: OpenAPI",
};
const realOnly: Record<string, string> = {
  "DELETE /engine/config/access": "secrets-engine: access",
  "PUT /engine/config/access": "secrets-engine: access",
  "PUT /engine/config/lease": "secrets-engine: access",
  "PUT /engine/role/:name": "secrets-engine: access",
};
// Not there yet, of what the specifications show: GET <mount>/creds/:name, /sys/rekey/*, every route of the platform and of the scheduler.

// biome-ignore lint/suspicious/noExplicitAny: an app with any variables
function registered(app: Hono<any>): string[] {
  const names = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path.replace(/\{.*\}$/, "")}`);
  return [...new Set(names)].sort();
}

test.each([
  ["standard", standard, secrets],
  ["hashicorp", hashicorp, { ...secrets, ...realOnly }],
] as const)("the secrets service registers the listed routes, %s", async (_, dialect, listed) => {
  const service = createSecrets(dialect, new Clock(), await createKey(1, 1));
  expect(registered(service.app)).toEqual(Object.keys(listed).sort());
});

test("the platform and the scheduler register nothing yet", () => {
  expect(registered(createPlatform().app)).toEqual([]);
  expect(registered(createScheduler("x-scheduler-token").app)).toEqual([]);
});

test.each([
  ["standard", standard],
  ["hashicorp", hashicorp],
] as const)("the OpenAPI document lists the registered routes and no others, %s", async (_, dialect) => {
  const service = createSecrets(dialect, new Clock(), await createKey(1, 1));
  const request = new Request("http://sandbox/v1/sys/internal/specs/openapi", { headers: { [dialect.tokenHeader]: service.token } });
  const document = (await (await service.fetch(request)).json()) as { paths: Record<string, object> };
  const shown = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => ["get", "post", "delete"].includes(key))
      .map((method) => `${/\/role\/?$/.test(path) ? "LIST" : method.toUpperCase()} ${path}`),
  );
  const names = registered(service.app)
    .filter((route) => !route.startsWith("PUT"))
    .map((route) =>
      route
        .replace("/engine/", `/${dialect.engine}/`)
        .replace("/token/", "/auth/token/")
        .replace(/:(\w+)$/, "{$1}")
        .replace(/\/role\/$/, `/role${dialect.openapi.listEnd}`),
    );
  expect(shown.sort()).toEqual(names.sort());
});
