import { Hono } from "hono";
import { rekeyBody, structure } from "../body";
import { Dialect, Rekey } from "../dialect";
import { Described, Operation } from "../document";
import { assertCancel, assertShare, assertSupported, restart, Submission, start, update, verify } from "../rekey";
import { AppEnv, done, errors, Route } from "../response";
import { readShare } from "../seal";

export const below = "sys";

export const paths = ({ rekeys, raw, openapi }: Dialect): Described[] =>
  rekeys.flatMap(({ kind, path, backupPath, documented, writes }) => {
    const [suffix, key] = kind === "recovery" ? ["-recovery", "recovery-key"] : ["", "key"];
    const write = writes.includes("POST") ? "post" : "put";
    const at = (end: string, description: string) => ({
      path: `${path}/${end}`,
      description,
      undescribed: "path" as const,
      unauthenticated: raw.includes(`sys/${path}/${end}`),
    });
    const operation = (id: string, summary: string, status?: Operation["status"]) => ({ id: `rekey-${id}${suffix}`, summary, status });
    const attempt: Described[] = [
      {
        ...at("init", "Start, read and cancel a rekey of the unseal keys."),
        operations: {
          get: operation("attempt-read-progress", "Reads the configuration and progress of the current rekey attempt."),
          [write]: operation("attempt-initialize", "Initializes a new rekey attempt."),
          delete: operation("attempt-cancel", "Cancels any in-progress rekey.", openapi.removal),
        },
      },
      {
        ...at("update", "Give a current share."),
        operations: {
          [write]: operation("attempt-update", "Enter a single unseal key share to progress the rekey of the service."),
        },
      },
      {
        ...at("verify", "Give new shares back, to prove that they arrived."),
        operations: {
          get: operation("verification-read-progress", "Read the configuration and progress of the current rekey verification attempt."),
          [write]: operation("verification-update", "Enter a single new key share to progress the rekey verification operation."),
          delete: operation("verification-cancel", "Cancel any in-progress rekey verification operation.", "200"),
        },
      },
    ];
    const ofBackup = (action: "Return" | "Delete") => (documented ? `${action} the backup copy of PGP-encrypted unseal keys.` : undefined);
    const backup: Described = {
      path: backupPath,
      description: "Allows fetching or deleting the backup of the rotated unseal keys.",
      operations: {
        get: { id: `rekey-read-backup-${key}`, summary: ofBackup("Return") },
        delete: { id: `rekey-delete-backup-${key}`, summary: ofBackup("Delete"), status: "204" },
      },
    };
    return documented ? [...attempt, backup] : [backup];
  });

export function routes(app: Hono<AppEnv>, { rekeys, disablesVaultsRekey }: Dialect): void {
  for (const rekey of rekeys) for (const serve of [serveAttempt, serveUpdate, serveVerification, serveBackup]) serve(app, rekey);
  // The responses of an OpenBao listener that disables Vault's rekey. They need no token.
  for (const end of disablesVaultsRekey ? ["init", "update", "verify"] : []) {
    app.all(`/sys/rekey/${end}`, (c) => errors(c, 405, "unsupported operation"));
    app.all(`/sys/rekey-recovery-key/${end}`, (c) => errors(c, 404, "unsupported path"));
  }
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
}

/** The share and the nonce in the body. `name` is the name of the body's type in Vault's errors. */
async function shareIn(c: Route, rekey: Rekey, name: string): Promise<Submission> {
  const { key, nonce } = await rekeyBody(c, name, { nonce: "string", key: "string" });
  assertShare(rekey, key, nonce);
  return { share: readShare(key, rekey), nonce };
}
