import type { Hono } from "hono";
import { Clock } from "../../sandbox/clock";
import { createPlatform } from "../../sandbox/platform";
import * as platformDialects from "../../sandbox/platform/dialect";
import { createScheduler } from "../../sandbox/scheduler";
import * as schedulerDialects from "../../sandbox/scheduler/dialect";
import { createSecrets, type Secrets } from "../../sandbox/secrets";
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
  "GET /engine/creds/:name": "secrets-creds",
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
  "GET /sys/internal/specs/openapi": "secrets-permissions: OpenAPI",
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
  "DELETE /engine/config/access": "secrets-engine: access",
  "PUT /engine/config/access": "secrets-engine: access",
  "PUT /engine/config/lease": "secrets-engine: access",
  "PUT /engine/role/:name": "secrets-engine: access",
  "POST /sys/rekey/init": "secrets-rekey: other verbs",
  "POST /sys/rekey/update": "secrets-rekey: other verbs",
  "POST /sys/rekey/verify": "secrets-rekey: other verbs",
  "GET /sys/seal-status": "secrets-rekey-seal: the seal's status",
  "POST /sys/leases/lookup": "secrets-leases: looked up",
  "PUT /sys/leases/lookup": "secrets-leases: looked up",
  "POST /sys/leases/renew": "secrets-leases: renewed",
  "PUT /sys/leases/renew": "secrets-leases: renewed",
  "POST /sys/leases/renew/:url_lease_id": "secrets-leases: renewed",
  "PUT /sys/leases/renew/:url_lease_id": "secrets-leases: renewed",
  "POST /sys/leases/revoke": "secrets-leases: revoked",
  "PUT /sys/leases/revoke": "secrets-leases: revoked",
  "POST /sys/leases/revoke/:url_lease_id": "secrets-leases: revoked",
  "PUT /sys/leases/revoke/:url_lease_id": "secrets-leases: revoked",
  "GET /token/lookup-self": "secrets-leases: a token about itself",
  "POST /token/lookup-self": "secrets-leases: a token about itself",
  "PUT /token/lookup-self": "secrets-leases: a token about itself",
  "POST /token/revoke-self": "secrets-creds: the token that asked",
  "PUT /token/revoke-self": "secrets-creds: the token that asked",
  "POST /token/revoke": "secrets-leases: revoked by another",
  "PUT /token/revoke": "secrets-leases: revoked by another",
  "POST /sys/unseal": "secrets-rekey-seal: unsealing",
  "PUT /sys/unseal": "secrets-rekey-seal: unsealing",
};
const platform = (sms: string): Record<string, string> => ({
  "GET /api/v2/admin/general-settings": "platform-settings",
  "PATCH /api/v2/admin/general-settings": "platform-settings",
  "GET /api/v2/admin/cost-estimation-settings": "platform-settings",
  "PATCH /api/v2/admin/cost-estimation-settings": "platform-settings",
  "GET /api/v2/admin/customization-settings": "platform-settings",
  "PATCH /api/v2/admin/customization-settings": "platform-settings",
  "GET /api/v2/admin/saml-settings": "platform-saml",
  "PATCH /api/v2/admin/saml-settings": "platform-saml",
  "GET /api/v2/admin/smtp-settings": "platform-delivery: SMTP",
  "PATCH /api/v2/admin/smtp-settings": "platform-delivery: SMTP",
  [`GET /api/v2/admin/${sms}-settings`]: "platform-delivery: SMS",
  [`PATCH /api/v2/admin/${sms}-settings`]: "platform-delivery: SMS",
  "POST /api/v2/admin/saml-settings/actions/revoke-old-certificate": "platform-saml",
  [`POST /api/v2/admin/${sms}-settings/verify`]: "platform-delivery: messages",
  "POST /api/v2/admin/oidc-settings/actions/rotate-key": "platform-oidc",
  "POST /api/v2/admin/oidc-settings/actions/trim-key": "platform-oidc",
  "GET /api/v2/admin/workspaces": "platform-workspaces",
  "GET /api/v2/admin/workspaces/:id": "platform-workspaces",
  "DELETE /api/v2/admin/workspaces/:id": "platform-workspaces",
  "PATCH /api/v2/organizations/:organization/registry-modules/private/:namespace/:name/:provider/:version": "platform-modules",
  "GET /api/registry/v1/modules/:namespace/:name/:provider/versions": "platform-modules",
  "GET /api/registry/v1/modules/:namespace/:name/:provider/:version": "platform-modules",
});
const platformRealOnly: Record<string, string> = {
  "PATCH /api/v2/admin/twilio-settings/verify": "platform-delivery: messages",
  "GET /api/v2/ping": "platform-clients",
  "GET /.well-known/jwks": "platform-oidc",
  "GET /api/v2/organizations": "platform-clients: organizations",
  "POST /api/v2/organizations": "platform-clients: organizations",
  "GET /api/v2/organizations/:name": "platform-clients: organizations",
  "PATCH /api/v2/organizations/:name": "platform-clients: organizations",
  "DELETE /api/v2/organizations/:name": "platform-clients: organizations",
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
function registered(app: Hono<any>): string[] {
  const names = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path.replace(/\{.*\}$/, "")}`);
  return [...new Set(names)].sort();
}

test.each([
  ["standard", standard, secrets],
  ["hashicorp", hashicorp, { ...secrets, ...realOnly }],
] as const)("the secrets service registers exactly the listed routes, %s", async (_, dialect, listed) => {
  const service = await secretsIn(dialect);
  expect(registered(service.app)).toEqual(Object.keys(listed).sort());
});

test.each([
  ["standard", platformDialects.standard, platform("sms")],
  ["hashicorp", platformDialects.hashicorp, { ...platform("twilio"), ...platformRealOnly }],
] as const)("the platform registers exactly the listed routes, %s", (_, dialect, listed) => {
  expect(registered(createPlatform(dialect, new Clock()).app)).toEqual(Object.keys(listed).sort());
});

test.each([
  ["standard", schedulerDialects.standard, scheduler],
  ["hashicorp", schedulerDialects.hashicorp, { ...scheduler, "POST /v1/jobs": "scheduler-jobs" }],
] as const)("the scheduler registers exactly the listed routes, %s", (_, dialect, listed) => {
  expect(registered(createScheduler(dialect, new Clock()).app)).toEqual(Object.keys(listed).sort());
});

test.each([
  ["standard", standard],
  ["hashicorp", hashicorp],
] as const)("the OpenAPI document lists exactly the registered routes, %s", async (_, dialect) => {
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
