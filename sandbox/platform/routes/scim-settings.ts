import { Hono } from "hono";
import { Values } from "../attributes";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { AppEnv, attributesOf } from "../response";
import { scimTokensOf } from "../scim";
import { merged, Settings, show, store, valuesOf, wrong } from "../settings";
import { settings as samlSettings } from "./saml-settings";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

const groups = ["site-admin-group", "site-auditor-group"];
const scim: Settings = {
  type: "scim-settings",
  id: "scim",
  attributes: {
    enabled: { type: "boolean", default: false },
    paused: { type: "boolean", default: false },
    ...Object.fromEntries(groups.map((group) => [`${group}-scim-id`, { type: "string", default: null }])),
  },
  // The sandbox provisions no groups, so any id stands for one.
  derived: (values): Values =>
    Object.fromEntries(groups.map((group) => [`${group}-display-name`, values[`${group}-scim-id`] ? `Members of ${group}` : null])),
};

export const settings = (): Settings => scim;

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/api/v2/admin/scim-settings";
  app.get(path, (c) => show(c, scim));

  app.patch(path, (c) => {
    const values = merged(c, scim);
    if (attributesOf(c).enabled === false) throw new HttpError(422, wrong("enabled", "cannot be set to false"));
    const saml = valuesOf(c.var.records, samlSettings(dialect));
    // The reference names no providers: these are the ones that it describes.
    if (values.enabled && !(saml.enabled && ["okta", "entra"].includes(String(saml["provider-type"]))))
      throw new HttpError(422, wrong("enabled", "requires SAML with a supported identity provider"));
    return store(c, scim, values);
  });

  app.delete(path, (c) => {
    scimTokensOf(c.var.records).clear();
    c.var.records.settings.delete(scim.type);
    return show(c, scim);
  });
}
