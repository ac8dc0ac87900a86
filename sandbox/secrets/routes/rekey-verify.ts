import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { errors } from "../answer";
import { structure } from "../body";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { writing } from "../document";
import { restart, verify } from "../rekey";
import { readShare } from "../seal";

const summaries = {
  read: "Read the configuration and progress of the current rekey verification attempt.",
  give: "Enter a single new key share to progress the rekey verification operation.",
  restart: "Cancel any in-progress rekey verification operation.",
};

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: "rekey/verify",
    description: "Give new shares back, to prove that they arrived.",
    described: "operations",
    unauthenticated: dialect.raw.includes("sys/rekey/verify"),
    operations: {
      get: { summary: summaries.read, id: "rekey-verification-read-progress" },
      [writing(dialect)]: { summary: summaries.give, id: "rekey-verification-update" },
      delete: { summary: summaries.restart, id: "rekey-verification-cancel", status: "200" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/sys/rekey/verify";
  const { rekey } = dialect;

  const status = (c: Route): Response => {
    const { attempt } = c.var.records;
    return attempt ? c.json(rekey.verification(attempt)) : errors(c, 400, "no rekey configuration found");
  };
  app.get(path, status);

  app.on(rekey.writes, path, async (c) => {
    const { key, nonce } = await structure(c, "RekeyVerificationUpdateRequest", { nonce: "string", key: "string" });
    if (key === "") return errors(c, 400, "'key' must be specified in request body as JSON");
    const committed = await verify(c.var.records, readShare(key), nonce);
    return committed ? c.json({ nonce: committed, complete: true }) : status(c);
  });

  app.delete(path, (c) => {
    restart(c.var.records);
    return status(c);
  });

  app.all(path, () => {
    throw rekey.otherVerb();
  });
}
