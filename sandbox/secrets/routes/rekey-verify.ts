import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { rekeyBody } from "../body";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { writing } from "../document";
import { assertShare, restart, verify } from "../rekey";
import { readShare } from "../seal";

const summaries = {
  read: "Read the configuration and progress of the current rekey verification attempt.",
  give: "Enter a single new key share to progress the rekey verification operation.",
  restart: "Cancel any in-progress rekey verification operation.",
};

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: `${dialect.rekey.path}/verify`,
    description: "Give new shares back, to prove that they arrived.",
    described: "operations",
    unauthenticated: dialect.raw.includes(`sys/${dialect.rekey.path}/verify`),
    operations: {
      get: { summary: summaries.read, id: "rekey-verification-read-progress" },
      [writing(dialect)]: { summary: summaries.give, id: "rekey-verification-update" },
      delete: { summary: summaries.restart, id: "rekey-verification-cancel", status: "200" },
    },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const { rekey } = dialect;
  const path = `/sys/${rekey.path}/verify`;

  const status = (c: Route): Response => {
    const { attempt } = c.var.records;
    if (!attempt) throw rekey.errors.noConfiguration();
    return c.json(rekey.verification(attempt));
  };
  app.get(path, status);

  app.on(rekey.writes, path, async (c) => {
    const { key, nonce } = await rekeyBody(c, "RekeyVerificationUpdateRequest", { nonce: "string", key: "string" });
    assertShare(rekey, key, nonce);
    const committed = await verify(c.var.records, { share: readShare(key), nonce }, rekey);
    return committed ? c.json(rekey.committed(committed)) : status(c);
  });

  app.delete(path, (c) => {
    restart(c.var.records);
    return status(c);
  });

  app.all(path, () => {
    throw rekey.otherVerb();
  });
}
