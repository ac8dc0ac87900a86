import { Hono } from "hono";
import { Dialect } from "../dialect";
import { AppEnv } from "../response";
import { Settings, serve } from "../settings";

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
