import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { done } from "../answer";
import { rekeyBody, structure } from "../body";
import type { Dialect, Rekey } from "../dialect";
import type { Described } from "../document";
import { rekeyPaths, writing } from "../document";
import { assertCancel, assertSupported, start } from "../rekey";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] =>
  rekeyPaths(dialect, "init", {
    description: "Start, read and cancel a rekey of the unseal keys.",
    operations: {
      get: { summary: "Reads the configuration and progress of the current rekey attempt.", id: "rekey-attempt-read-progress" },
      [writing(dialect)]: { summary: "Initializes a new rekey attempt.", id: "rekey-attempt-initialize" },
      delete: { summary: "Cancels any in-progress rekey.", id: "rekey-attempt-cancel", status: dialect.openapi.removal },
    },
  });

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  for (const rekey of dialect.rekeys) serve(app, rekey);
}

function serve(app: Hono<AppEnv>, rekey: Rekey): void {
  const path = `/sys/${rekey.path}/init`;

  app.use(path, async (c, next) => {
    assertSupported(c.var.records, rekey, "init", c.req.method);
    await next();
  });

  app.get(path, (c) => {
    const { attempts, key } = c.var.records;
    return c.json(rekey.status(attempts[rekey.kind], key.threshold));
  });

  app.on(rekey.writes, path, async (c) => {
    const body = await rekeyBody(c, "RekeyRequest", {
      secret_shares: "int",
      secret_threshold: "int",
      stored_shares: "int",
      pgp_keys: "[]string",
      backup: "bool",
      require_verification: "bool",
    });
    const { records, now } = c.var;
    const { secret_shares: shares, secret_threshold: threshold, stored_shares: stored, pgp_keys: pgpKeys, backup } = body;
    const parameters = { shares, threshold, stored, pgpKeys, backup, verification: body.require_verification };
    const completed = await start(records, parameters, rekey, now);
    return c.json(completed ? rekey.created(completed) : rekey.started(records.attempts[rekey.kind], records.key.threshold));
  });

  app.delete(path, async (c) => {
    const { attempts } = c.var.records;
    if (rekey.guardsCancel) {
      const { nonce } = await structure(c, "RekeyDeleteRequest", { nonce: "string", key: "string" });
      assertCancel(attempts[rekey.kind], nonce, c.var.now);
    }
    attempts[rekey.kind] = undefined;
    return done(c);
  });

  app.all(path, () => {
    throw rekey.otherVerb();
  });
}
