import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import type { Dialect } from "../dialect";
import type { Settings } from "../settings";
import { serve } from "../settings";

export function settings(dialect: Dialect): Settings {
  return {
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
}

export const routes = (app: Hono<AppEnv>, dialect: Dialect): void => serve(app, settings(dialect));
