import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { done, unsupportedOperation } from "../answer";
import type { Dialect, Rekey } from "../dialect";
import type { Described } from "../document";

export const below = "sys";

export const paths = ({ rekeys }: Dialect): Described[] =>
  rekeys.map(({ kind, backupPath, documented }) => {
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
  });

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  for (const rekey of dialect.rekeys) serve(app, rekey);
}

function serve(app: Hono<AppEnv>, { kind, backupPath, backup, noBackup }: Rekey): void {
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
