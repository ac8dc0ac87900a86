import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { HttpError } from "../http-error";
import { mayManage, Records, Version } from "../records";
import { AppEnv, attributesOf, document, missing, objectOf, Route } from "../response";
import { wrong } from "../settings";
import { deprecation, moduleVersion, versionDetails } from "../wire";

export function routes(app: Hono<AppEnv>): void {
  app.patch("/api/v2/organizations/:organization/registry-modules/private/:namespace/:name/:provider/:version", (c) => {
    const { organization, namespace, name, provider, version: requested } = c.req.param();
    const module = organization === namespace ? c.var.records.module(namespace, name, provider) : undefined;
    const version = module?.versions.get(requested);
    if (!module || !version || !mayManage(c.var.user, module.organization)) return missing(c);

    if (c.var.dialect.clientRoutes && "revocation" in attributesOf(c)) {
      version.revocation = revocationIn(c, version.deprecation !== undefined);
      return document(c, { data: versionDetails(requested, version) });
    }
    const asked = request(c);
    // The reference does not say what the real platform does.
    if (!asked && version.revocation) throw new HttpError(422, { detail: "The version is revoked." });
    const id = version.deprecation?.id ?? c.var.records.number();
    version.deprecation = asked && { id, ...asked };
    const data = moduleVersion(version);
    return document(c, version.deprecation ? { data, included: [deprecation(version.deprecation)] } : { data });
  });
}

/** The deprecation in the body, as it will be published; undefined to undo a deprecation. */
function request(c: Route): { reason: string; link: string | null } | undefined {
  const fields = objectOf(attributesOf(c).deprecation, "deprecation");
  const { "deprecated-status": status, reason, link } = fields;
  if (status === "Undeprecated") return undefined;
  if (status !== "Deprecated") throw new HttpError(422, wrong("deprecation/deprecated-status", "has to be Deprecated or Undeprecated"));
  if (typeof reason !== "string" || reason === "") throw new HttpError(422, wrong("deprecation/reason", "has to be a non-empty string"));
  if (link !== undefined && link !== null && typeof link !== "string")
    throw new HttpError(422, wrong("deprecation/link", "has to be a string"));
  return { reason: reason + c.var.records.suffix, link: link || null };
}

/** The revocation in the body; undefined to undo a revocation. */
function revocationIn(c: Route, isDeprecated: boolean): Version["revocation"] {
  const { status, message, link } = objectOf(attributesOf(c).revocation, "revocation");
  if (status === "Unrevoked") return undefined;
  if (status !== "Revoked") throw new HttpError(422, wrong("revocation/status", "has to be Revoked or Unrevoked"));
  if (typeof message !== "string" || message === "") throw new HttpError(422, wrong("revocation/message", "has to be a non-empty string"));
  if (!isDeprecated) throw new HttpError(422, { detail: "The version has to be deprecated first." });
  return { message, link: typeof link === "string" && link ? link : null };
}

export function view({ modules }: Records): Block[] {
  const rows = modules.flatMap(({ organization, name, provider, versions }) =>
    [...versions].flatMap(([version, { deprecation, revocation }]) => {
      const id = `${organization.name}/${name}/${provider} ${version}`;
      return deprecation ? [row(id, id, deprecation.reason, deprecation.link ?? "", revocation?.message ?? "")] : [];
    }),
  );
  const count = modules.reduce((sum, { versions }) => sum + versions.size, 0);
  return [table("Deprecated module versions", ["Version", "Reason", "Link", "Revoked"], rows, `None of ${count}.`)];
}
