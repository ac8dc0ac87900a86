import { Hono } from "hono";
import { Values } from "../attributes";
import { Dialect } from "../dialect";
import { HttpError, Problem } from "../http-error";
import { certificatesOf, isSame, parsed } from "../idp-certificates";
import { AppEnv } from "../response";
import { merged, required, Settings, show, store, valuesOf, wrong } from "../settings";

const endpoints = ["slo-endpoint-url", "sso-endpoint-url"];
const timeout = "sso-api-token-session-timeout";

/** `isListed`: the list has a certificate, so SAML needs no other one. */
export function settings(dialect: Dialect, isListed = false): Settings {
  return {
    type: "saml-settings",
    id: "saml",
    attributes: {
      enabled: { type: "boolean", default: false },
      debug: { type: "boolean", default: false },
      "old-idp-cert": { type: "string", default: null, only: "reads" },
      "idp-cert": { type: "string", default: null },
      "slo-endpoint-url": { type: "string", default: null },
      "sso-endpoint-url": { type: "string", default: null },
      "attr-username": { type: "string", default: "Username" },
      "attr-groups": { type: "string", default: "MemberOf" },
      "attr-site-admin": { type: "string", default: "SiteAdmin" },
      "site-admin-role": { type: "string", default: "site-admins" },
      [timeout]: { type: "integer", default: 1_209_600 },
      ...dialect.saml,
    },
    derived: (_, origin) => ({ "acs-consumer-url": `${origin}/users/saml/auth`, "metadata-url": `${origin}/users/saml/metadata` }),
    problems: (values) => [
      ...endpoints.filter((name) => values[name] && !isHttps(values[name])).map((name) => wrong(name, "has to be an HTTPS URL")),
      ...certificate(values, dialect),
      ...(Number(values[timeout]) < dialect.leastSessionTimeout
        ? [wrong(timeout, `cannot be less than ${dialect.leastSessionTimeout}`)]
        : []),
      ...(values.enabled ? required(values, ...(isListed ? [] : ["idp-cert"]), ...endpoints, ...dialect.samlNames) : []),
    ],
  };
}

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const saml = settings(dialect);
  const path = "/api/v2/admin/saml-settings";
  app.get(path, (c) => show(c, saml));

  app.patch(path, (c) => {
    const before = valuesOf(c.var.records, saml);
    const listed = [...certificatesOf(c.var.records).values()];
    const values = merged(c, settings(dialect, listed.length > 0));
    if (listed.some(({ cert }) => isSame(cert, values["idp-cert"]))) throw new HttpError(422, wrong("idp-cert", "has already been taken"));
    // The previous certificate stays valid during a rotation. If an older one was not revoked, that one stays instead.
    if (values["idp-cert"] !== before["idp-cert"]) values["old-idp-cert"] ??= before["idp-cert"] ?? null;
    return store(c, saml, values);
  });

  app.post(`${path}/actions/revoke-old-certificate`, (c) => store(c, saml, { ...valuesOf(c.var.records, saml), "old-idp-cert": null }));
}

function isHttps(value: unknown): boolean {
  return URL.canParse(String(value)) && new URL(String(value)).protocol === "https:";
}

function certificate(values: Values, dialect: Dialect): Problem[] {
  const pem = values["idp-cert"];
  const isValid = !pem || !dialect.checksCertificate || parsed(pem);
  return isValid ? [] : [wrong("idp-cert", "has to be a PEM-encoded X.509 certificate")];
}
