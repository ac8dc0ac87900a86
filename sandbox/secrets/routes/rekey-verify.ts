import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { rekeyBody } from "../body";
import type { Dialect, Rekey } from "../dialect";
import type { Described } from "../document";
import { rekeyPaths, writing } from "../document";
import { assertShare, assertSupported, restart, verify } from "../rekey";
import { readShare } from "../seal";

const summaries = {
  read: "Read the configuration and progress of the current rekey verification attempt.",
  give: "Enter a single new key share to progress the rekey verification operation.",
  restart: "Cancel any in-progress rekey verification operation.",
};

export const below = "sys";

export const paths = (dialect: Dialect): Described[] =>
  rekeyPaths(dialect, "verify", {
    description: "Give new shares back, to prove that they arrived.",
    operations: {
      get: { summary: summaries.read, id: "rekey-verification-read-progress" },
      [writing(dialect)]: { summary: summaries.give, id: "rekey-verification-update" },
      delete: { summary: summaries.restart, id: "rekey-verification-cancel", status: "200" },
    },
  });

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  for (const rekey of dialect.rekeys) serve(app, rekey);
}

function serve(app: Hono<AppEnv>, rekey: Rekey): void {
  const path = `/sys/${rekey.path}/verify`;

  app.use(path, async (c, next) => {
    assertSupported(c.var.records, rekey, "verify");
    await next();
  });

  const status = (c: Route): Response => {
    const attempt = c.var.records.attempts[rekey.kind];
    if (!attempt) throw rekey.errors.noConfiguration();
    return c.json(rekey.verification(attempt));
  };
  app.get(path, status);

  app.on(rekey.writes, path, async (c) => {
    const { key, nonce } = await rekeyBody(c, "RekeyVerificationUpdateRequest", { nonce: "string", key: "string" });
    assertShare(rekey, key, nonce);
    const committed = await verify(c.var.records, { share: readShare(key, rekey), nonce }, rekey);
    return committed ? c.json(rekey.committed(committed)) : status(c);
  });

  app.delete(path, (c) => {
    const attempt = c.var.records.attempts[rekey.kind];
    if (attempt) restart(attempt);
    return status(c);
  });

  app.all(path, () => {
    throw rekey.otherVerb();
  });
}
