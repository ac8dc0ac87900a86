import { Hono } from "hono";
import { Dialect } from "../dialect";
import { AppEnv } from "../response";
import { Settings, serve, wrong } from "../settings";

const leastRate = 30;

export function settings(dialect: Dialect): Settings {
  return {
    type: "general-settings",
    id: "general",
    attributes: {
      "limit-user-organization-creation": { type: "boolean", default: true },
      "api-rate-limiting-enabled": { type: "boolean", default: true },
      "api-rate-limit": { type: "integer", default: 30 },
      "send-passing-statuses-for-untriggered-speculative-plans": { type: "boolean", default: false },
      "allow-speculative-plans-on-pull-requests-from-forks": { type: "boolean", default: false },
      "default-remote-state-access": { type: "boolean", default: true },
      ...dialect.general,
    },
    derived: dialect.generalDerived,
    problems: (values) =>
      Number(values["api-rate-limit"]) < leastRate ? [wrong("api-rate-limit", `cannot be less than ${leastRate}`)] : [],
  };
}

export const routes = (app: Hono<AppEnv>, dialect: Dialect): void => serve(app, settings(dialect));
