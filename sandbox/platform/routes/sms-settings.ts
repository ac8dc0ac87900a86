import { Hono } from "hono";
import { Block, row, table, time } from "../../view";
import { Dialect } from "../dialect";
import { Records } from "../records";
import { AppEnv, errors, Route } from "../response";
import { required, Settings, serve, valuesOf } from "../settings";

export function settings(dialect: Dialect): Settings {
  return {
    type: dialect.sms.type,
    id: dialect.sms.id,
    attributes: {
      enabled: { type: "boolean", default: false },
      "account-sid": { type: "string", default: null },
      "auth-token": { type: "string", default: null, only: "writes" },
      "from-number": { type: "string", default: null },
    },
    problems: (values) => (values.enabled ? required(values, "account-sid", "auth-token", "from-number") : []),
  };
}

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const sms = settings(dialect);
  serve(app, sms);

  app.on(dialect.sms.verifies, `/api/v2/admin/${sms.type}/verify`, (c) => {
    const values = valuesOf(c.var.records, sms);
    const to = testNumber(c);
    if (!to) return errors(c, 400, { detail: "The test number is missing." });
    if (!values.enabled) return errors(c, 400, { detail: "The SMS provider is disabled." });
    if (c.var.records.sms.deliver({ to, from: String(values["from-number"]), at: c.var.now }))
      return errors(c, 400, { detail: "The SMS provider refused the message." });
    return c.body(null, 200);
  });
}

/** The test number in the body; undefined if any part of its path is missing. */
function testNumber(c: Route): string | undefined {
  const data = c.var.body?.data as { attributes?: { "test-number"?: unknown } } | null | undefined;
  const number = data?.attributes?.["test-number"];
  return typeof number === "string" ? number : undefined;
}

export function view({ sms }: Records): Block[] {
  const rows = sms.sent().map(({ to, from, at }, index) => row(`${index}`, to, from, time(at)));
  return [table("Text messages sent", ["To", "From", "At"], rows.reverse())];
}
