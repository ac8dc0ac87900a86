import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import type { Dialect } from "../dialect";
import type { Settings } from "../settings";
import { merged, show, store } from "../settings";

export function routes(app: Hono<AppEnv>, dialect: Dialect): Settings {
  const settings: Settings = {
    type: "customization-settings",
    id: "customization",
    attributes: {
      "support-email-address": { type: "string", default: dialect.supportAddress },
      "login-help": { type: "string", default: "" },
      footer: { type: "string", default: "" },
      error: { type: "string", default: "" },
      "new-user": { type: "string", default: "" },
    },
  };

  const path = "/api/v2/admin/customization-settings";
  app.get(path, (c) => show(c, settings));
  app.patch(path, (c) => store(c, settings, merged(c, settings)));
  return settings;
}
