import { Hono } from "hono";
import { AppEnv, done, Route, unsupportedOperation } from "../answer";
import { rekeyBody, structure } from "../body";
import { Dialect, Rekey } from "../dialect";
import { Described, rekeyPaths, writing } from "../document";
import { assertCancel, assertShare, assertSupported, restart, start, update, verify } from "../rekey";
import { readShare } from "../seal";

export const below = "sys";

const summaries = {
  readVerification: "Read the configuration and progress of the current rekey verification attempt.",
  verify: "Enter a single new key share to progress the rekey verification operation.",
  restart: "Cancel any in-progress rekey verification operation.",
};

export const paths = (dialect: Dialect): Described[] => [
  ...rekeyPaths(dialect, "init", {
    description: "Start, read and cancel a rekey of the unseal keys.",
    operations: {
      get: { summary: "Reads the configuration and progress of the current rekey attempt.", id: "rekey-attempt-read-progress" },
      [writing(dialect)]: { summary: "Initializes a new rekey attempt.", id: "rekey-attempt-initialize" },
      delete: { summary: "Cancels any in-progress rekey.", id: "rekey-attempt-cancel", status: dialect.openapi.removal },
    },
  }),
  ...rekeyPaths(dialect, "update", {
    description: "Give a current share.",
    operations: {
      [writing(dialect)]: { summary: "Enter a single unseal key share to progress the rekey of the service.", id: "rekey-attempt-update" },
    },
  }),
  ...rekeyPaths(dialect, "verify", {
    description: "Give new shares back, to prove that they arrived.",
    operations: {
      get: { summary: summaries.readVerification, id: "rekey-verification-read-progress" },
      [writing(dialect)]: { summary: summaries.verify, id: "rekey-verification-update" },
      delete: { summary: summaries.restart, id: "rekey-verification-cancel", status: "200" },
    },
  }),
  ...dialect.rekeys.map(({ kind, backupPath, documented }): Described => {
    const key = kind === "recovery" ? "recovery-key" : "key";
    return {
      path: backupPath,
      description: "Allows fetching or deleting the backup of the rotated unseal keys.",
      described: documented || "path",
      operations: {
        get: { summary: "Return the backup copy of PGP-encrypted unseal keys.", id: `rekey-read-backup-${key}` },
        delete: { summary: "Delete the backup copy of PGP-encrypted unseal keys.", id: `rekey-delete-backup-${key}`, status: "204" },
      },
    };
  }),
];

export function routes(app: Hono<AppEnv>, { rekeys }: Dialect): void {
  for (const rekey of rekeys) for (const serve of [serveAttempt, serveUpdate, serveVerification, serveBackup]) serve(app, rekey);
}

function serveAttempt(app: Hono<AppEnv>, rekey: Rekey): void {
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

  rejectOthers(app, rekey, path);
}

function serveUpdate(app: Hono<AppEnv>, rekey: Rekey): void {
  const path = `/sys/${rekey.path}/update`;
  const submit = async (c: Route): Promise<Response> => {
    const { records, now } = c.var;
    const completed = await update(records, await shareIn(c, rekey, "RekeyUpdateRequest"), rekey, now);
    return c.json(completed ? rekey.completed(completed) : rekey.status(records.attempts[rekey.kind], records.key.threshold));
  };
  app.on(rekey.writes, path, submit);
  if (rekey.updatesByAnyVerb) app.all(path, submit);
  rejectOthers(app, rekey, path);
}

function serveVerification(app: Hono<AppEnv>, rekey: Rekey): void {
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
    const committed = await verify(c.var.records, await shareIn(c, rekey, "RekeyVerificationUpdateRequest"), rekey);
    return committed ? c.json(rekey.committed(committed)) : status(c);
  });

  app.delete(path, (c) => {
    const attempt = c.var.records.attempts[rekey.kind];
    if (attempt) restart(attempt);
    return status(c);
  });

  rejectOthers(app, rekey, path);
}

function serveBackup(app: Hono<AppEnv>, { kind, backupPath, backup, noBackup }: Rekey): void {
  const path = `/sys/${backupPath}`;

  app.get(path, (c) => {
    const current = c.var.records.backups[kind];
    if (!current) throw noBackup();
    return c.json(backup(current));
  });

  app.delete(path, (c) => {
    c.var.records.backups[kind] = undefined;
    return done(c);
  });

  app.all(path, unsupportedOperation);
}

/** The share and the nonce in the body. `name` is the name of the body's type in Vault's errors. */
async function shareIn(c: Route, rekey: Rekey, name: string): Promise<{ share: Uint8Array; nonce: string }> {
  const { key, nonce } = await rekeyBody(c, name, { nonce: "string", key: "string" });
  assertShare(rekey, key, nonce);
  return { share: readShare(key, rekey), nonce };
}

function rejectOthers(app: Hono<AppEnv>, { otherVerb }: Rekey, path: string): void {
  app.all(path, () => {
    throw otherVerb();
  });
}
