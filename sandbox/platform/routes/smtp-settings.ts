import { Hono } from "hono";
import { Block, row, table, time } from "../../view";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { Records } from "../records";
import { AppEnv, errors } from "../response";
import { merged, required, Settings, show, store, valuesOf, wrong } from "../settings";

const smtp: Settings = {
  type: "smtp-settings",
  id: "smtp",
  attributes: {
    enabled: { type: "boolean", default: false },
    host: { type: "string", default: null },
    port: { type: "integer", default: null },
    sender: { type: "string", default: null },
    auth: { type: "string", default: "none", oneOf: ["none", "plain", "login"] },
    username: { type: "string", default: null },
    password: { type: "string", default: null, only: "writes" },
    "test-email-address": { type: "string", default: null, only: "writes" },
  },
  problems: (values) =>
    values.enabled ? required(values, "host", "port", "sender", ...(values.auth === "none" ? [] : ["username", "password"])) : [],
};

export const settings = (): Settings => smtp;

const failures = {
  401: "SMTP user credentials are invalid.",
  500: "The SMTP server returned a server error.",
  504: "The SMTP server timed out.",
};

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/api/v2/admin/smtp-settings";
  app.get(path, (c) => show(c, smtp));

  app.patch(path, (c) => {
    const before = valuesOf(c.var.records, smtp);
    const { "test-email-address": to, ...values } = merged(c, smtp);
    if (dialect.needsTestAddress && values.enabled && !before.enabled && !to)
      throw new HttpError(422, wrong("test-email-address", "is required to enable"));
    // The address alone triggers the mail, even if the settings are disabled.
    const failure = to
      ? c.var.records.mail.deliver({ to: String(to), sender: String(values.sender ?? ""), host: String(values.host ?? ""), at: c.var.now })
      : undefined;
    if (!failure) return store(c, smtp, values);
    if (failure.stored) store(c, smtp, values);
    return errors(c, failure.status, { detail: failures[failure.status] });
  });
}

export function view({ mail }: Records): Block[] {
  const rows = mail.sent().map(({ to, sender, host, at }, index) => row(`${index}`, to, sender, host, time(at)));
  return [table("Mails sent", ["To", "From", "Server", "At"], rows.reverse())];
}
