import type { Hono } from "hono";
import type { AppEnv, Route } from "../answer";
import { rekeyBody } from "../body";
import type { Dialect, Rekey } from "../dialect";
import type { Described } from "../document";
import { rekeyPaths, writing } from "../document";
import { assertShare, update } from "../rekey";
import { readShare } from "../seal";

const summary = "Enter a single unseal key share to progress the rekey of the service.";

export const below = "sys";

export const paths = (dialect: Dialect): Described[] =>
  rekeyPaths(dialect, "update", {
    description: "Give a current share.",
    operations: { [writing(dialect)]: { summary, id: "rekey-attempt-update" } },
  });

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  for (const rekey of dialect.rekeys) serve(app, rekey);
}

function serve(app: Hono<AppEnv>, rekey: Rekey): void {
  const path = `/sys/${rekey.path}/update`;

  const submit = async (c: Route): Promise<Response> => {
    const { key, nonce } = await rekeyBody(c, "RekeyUpdateRequest", { nonce: "string", key: "string" });
    assertShare(rekey, key, nonce);
    const { records, now } = c.var;
    const completed = await update(records, { share: readShare(key, rekey), nonce }, rekey, now);
    return c.json(completed ? rekey.completed(completed) : rekey.status(records.attempts[rekey.kind], records.key.threshold));
  };
  app.on(rekey.writes, path, submit);
  app.all(path, (c) => {
    if (rekey.updatesByAnyVerb) return submit(c);
    throw rekey.otherVerb();
  });
}
