import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { errors } from "../answer";
import { structure } from "../body";
import type { Dialect } from "../dialect";
import type { Described } from "../document";
import { writing } from "../document";
import { update } from "../rekey";
import { readShare } from "../seal";

const summary = "Enter a single unseal key share to progress the rekey of the service.";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] => [
  {
    path: "rekey/update",
    description: "Give a current share.",
    described: "operations",
    unauthenticated: dialect.raw.includes("sys/rekey/update"),
    operations: { [writing(dialect)]: { summary, id: "rekey-attempt-update" } },
  },
];

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  const path = "/sys/rekey/update";
  const { rekey } = dialect;

  const give = async (c: Route): Promise<Response> => {
    const { key, nonce } = await structure(c, "RekeyUpdateRequest", { nonce: "string", key: "string" });
    if (key === "") return errors(c, 400, "'key' must be specified in request body as JSON");
    const completed = await update(c.var.records, readShare(key), nonce, c.var.now);
    return c.json(completed ? rekey.completed(completed) : rekey.status(c.var.records));
  };
  app.on(rekey.writes, path, give);
  app.all(path, (c) => {
    if (rekey.updatesByAnyVerb) return give(c);
    throw rekey.otherVerb();
  });
}
