import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { rekeyBody } from "../body";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { writing } from "../document";
import { assertShare, update } from "../rekey";
import { readShare } from "../seal";

const summary = "Enter a single unseal key share to progress the rekey of the service.";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: `${dialect.rekey.path}/update`,
    description: "Give a current share.",
    described: "operations",
    unauthenticated: dialect.raw.includes(`sys/${dialect.rekey.path}/update`),
    operations: { [writing(dialect)]: { summary, id: "rekey-attempt-update" } },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const { rekey } = dialect;
  const path = `/sys/${rekey.path}/update`;

  const submit = async (c: Route): Promise<Response> => {
    const { key, nonce } = await rekeyBody(c, "RekeyUpdateRequest", { nonce: "string", key: "string" });
    assertShare(rekey, key, nonce);
    const completed = await update(c.var.records, { share: readShare(key), nonce }, rekey, c.var.now);
    return c.json(completed ? rekey.completed(completed) : rekey.status(c.var.records));
  };
  app.on(rekey.writes, path, submit);
  app.all(path, (c) => {
    if (rekey.updatesByAnyVerb) return submit(c);
    throw rekey.otherVerb();
  });
}
