import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { errors } from "../answer";
import type { Dialect } from "../dialect";
import type { Settings } from "../settings";
import { merged, required, show, store, valuesOf } from "../settings";

export function routes(app: Hono<AppEnv>, dialect: Dialect): Settings {
  const { type, id, verifies } = dialect.sms;
  const settings: Settings = {
    type,
    id,
    attributes: {
      enabled: { type: "boolean", default: false },
      "account-sid": { type: "string", default: null },
      "auth-token": { type: "string", default: null, only: "writes" },
      "from-number": { type: "string", default: null },
    },
    problems: (values) => (values.enabled ? required(values, "account-sid", "auth-token", "from-number") : []),
  };

  const path = `/api/v2/admin/${type}`;
  app.get(path, (c) => show(c, settings));
  app.patch(path, (c) => store(c, settings, merged(c, settings)));

  app.on(verifies, `${path}/verify`, (c) => {
    const values = valuesOf(c.var.records, settings);
    const to = testNumber(c);
    if (!to) return errors(c, 400, { detail: "The test number is missing." });
    if (!values.enabled) return errors(c, 400, { detail: "The SMS provider is disabled." });
    if (!c.var.records.sms.deliver({ to, from: String(values["from-number"]), at: c.var.now }))
      return errors(c, 400, { detail: "The SMS provider refused the message." });
    return c.body(null, 200);
  });
  return settings;
}

/** However the body lacks its number, that is one mistake and one answer. */
function testNumber(c: Route): string | undefined {
  const data = c.var.body?.data as { attributes?: { "test-number"?: unknown } } | null | undefined;
  const number = data?.attributes?.["test-number"];
  return typeof number === "string" ? number : undefined;
}
