import type { Hono } from "hono";
import type { AppEnv } from "../answer";
import { done, unsupportedOperation } from "../answer";
import type { Dialect } from "../dialect";
import type { Described } from "../document";

export const below = "sys";

export const paths = ({ rekey }: Dialect): Described[] => [
  {
    path: `${rekey.path}/backup`,
    description: "Allows fetching or deleting the backup of the rotated unseal keys.",
    described: true,
    operations: {
      get: { summary: "Return the backup copy of PGP-encrypted unseal keys.", id: "rekey-read-backup-key" },
      delete: { summary: "Delete the backup copy of PGP-encrypted unseal keys.", id: "rekey-delete-backup-key", status: "204" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = `/sys/${dialect.rekey.path}/backup`;

  app.get(path, (c) => {
    const { backup } = c.var.records;
    if (!backup) throw dialect.rekey.noBackup();
    return c.json(dialect.rekey.backup(backup));
  });

  app.delete(path, (c) => {
    c.var.records.backup = undefined;
    return done(c);
  });

  app.all(path, unsupportedOperation);
}
