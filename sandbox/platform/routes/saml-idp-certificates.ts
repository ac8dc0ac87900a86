import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { certificatesOf, isSame, parsed } from "../idp-certificates";
import { Records } from "../records";
import { AppEnv, attributesOf, document, done, missing, Route } from "../response";
import { valuesOf, wrong } from "../settings";
import { Resource } from "../wire";
import { settings } from "./saml-settings";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

interface Trusted {
  id: string;
  role: "managed" | "legacy_primary" | "legacy_old";
  displayName: string;
  cert: string;
  createdAt: Date;
}

/** All trusted certificates, those of the SAML settings first. */
function trusted({ records, dialect, now }: Route["var"]): Trusted[] {
  const values = valuesOf(records, settings(dialect));
  const legacy = (["legacy_primary", "legacy_old"] as const).flatMap((role) => {
    const name = role === "legacy_primary" ? "idp-cert" : "old-idp-cert";
    const cert = values[name];
    return cert ? [{ id: `idpc-${role}`, role, displayName: name, cert: String(cert), createdAt: now }] : [];
  });
  return [...legacy, ...[...certificatesOf(records)].map(([id, each]) => ({ id, role: "managed" as const, ...each }))];
}

function resource({ id, role, displayName, cert, createdAt }: Trusted): Resource {
  const x509 = parsed(cert);
  const attributes = {
    "display-name": displayName,
    cert,
    "cert-role": role,
    fingerprint: x509?.fingerprint256 ?? null,
    issuer: x509?.issuer.replaceAll("\n", ", ") ?? null,
    "expires-at": x509 ? new Date(x509.validTo).toISOString() : null,
    "created-at": createdAt.toISOString(),
  };
  return { id, type: "saml-idp-certificates", attributes };
}

/** The fields in the body. Throws unless the certificate is valid and no other one. */
function fields(c: Route, before?: Trusted): { displayName: string; cert: string } {
  const { "display-name": displayName = before?.displayName, cert = before?.cert } = attributesOf(c);
  if (typeof displayName !== "string" || displayName === "") throw new HttpError(422, wrong("display-name", "can't be blank"));
  if (before && before.role !== "managed" && cert !== before.cert)
    throw new HttpError(422, wrong("cert", "of a legacy certificate can't be changed"));
  const x509 = parsed(cert);
  if (!x509) throw new HttpError(422, wrong("cert", "has to be a PEM-encoded X.509 certificate"));
  if (Date.parse(x509.validTo) < c.var.now.getTime()) throw new HttpError(422, wrong("cert", "has expired"));
  if (trusted(c.var).some((each) => each.id !== before?.id && isSame(each.cert, cert)))
    throw new HttpError(422, wrong("cert", "has already been taken"));
  return { displayName, cert: String(cert) };
}

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/api/v2/admin/saml-settings/idp-certificates";
  const found = (c: Route): Trusted | undefined => trusted(c.var).find(({ id }) => id === c.req.param("id"));

  app.get(path, (c) => document(c, { data: trusted(c.var).map(resource) }));

  app.post(path, (c) => {
    const id = c.var.records.numberedId("idpc");
    const created = { ...fields(c), createdAt: c.var.now };
    certificatesOf(c.var.records).set(id, created);
    return document(c, { data: resource({ id, role: "managed", ...created }) }, 201);
  });

  app.get(`${path}/:id`, (c) => {
    const one = found(c);
    return one ? document(c, { data: resource(one) }) : missing(c);
  });

  app.patch(`${path}/:id`, (c) => {
    const one = found(c);
    if (!one) return missing(c);
    const changed = { ...one, ...fields(c, one) };
    const certificates = certificatesOf(c.var.records);
    // The list is ordered by the time of the last update.
    certificates.delete(one.id);
    if (one.role === "managed") certificates.set(one.id, changed);
    return document(c, { data: resource(changed) });
  });

  app.delete(`${path}/:id`, (c) => {
    const one = found(c);
    if (!one) return missing(c);
    const values = valuesOf(c.var.records, settings(dialect));
    if (values.enabled && trusted(c.var).every(({ id, role }) => id === one.id || role === "legacy_old"))
      throw new HttpError(422, { detail: "The last trusted certificate can't be deleted while SAML is enabled." });
    if (one.role === "managed") certificatesOf(c.var.records).delete(one.id);
    else c.var.records.settings.set("saml-settings", { ...values, [one.displayName]: null });
    return done(c);
  });
}

export const view = (records: Records): Block[] => [
  table(
    "SAML IdP certificates",
    ["Name", "Fingerprint"],
    [...certificatesOf(records)].map(([id, { displayName, cert }]) => row(id, displayName, parsed(cert)?.fingerprint256 ?? "")),
  ),
];
