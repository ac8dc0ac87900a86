import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { done } from "../answer";
import { rekeyBody, structure } from "../body";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { writing } from "../document";
import { cancel, start } from "../rekey";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: `${dialect.rekey.path}/init`,
    description: "Start, read and cancel a rekey of the unseal keys.",
    described: "operations",
    unauthenticated: dialect.raw.includes(`sys/${dialect.rekey.path}/init`),
    operations: {
      get: { summary: "Reads the configuration and progress of the current rekey attempt.", id: "rekey-attempt-read-progress" },
      [writing(dialect)]: { summary: "Initializes a new rekey attempt.", id: "rekey-attempt-initialize" },
      delete: { summary: "Cancels any in-progress rekey.", id: "rekey-attempt-cancel", status: dialect.openapi.removal },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const { rekey } = dialect;
  const path = `/sys/${rekey.path}/init`;

  app.get(path, (c) => c.json(rekey.status(c.var.records)));

  app.on(rekey.writes, path, async (c) => {
    const body = await rekeyBody(c, "RekeyRequest", {
      secret_shares: "int",
      secret_threshold: "int",
      stored_shares: "int",
      pgp_keys: "[]string",
      backup: "bool",
      require_verification: "bool",
    });
    const { secret_shares: shares, secret_threshold: threshold, pgp_keys: pgpKeys, backup, require_verification: verification } = body;
    await start(c.var.records, { shares, threshold, pgpKeys, backup, verification }, rekey, c.var.now);
    return c.json(rekey.started(c.var.records));
  });

  app.delete(path, async (c) => {
    const { records, now } = c.var;
    if (rekey.guardsCancel) cancel(records, (await structure(c, "RekeyDeleteRequest", { nonce: "string", key: "string" })).nonce, now);
    else records.attempt = undefined;
    return done(c);
  });

  app.all(path, () => {
    throw rekey.otherVerb();
  });
}
