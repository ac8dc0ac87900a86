import { Hono } from "hono";
import { Dialect } from "../dialect";
import { AppEnv, json, Route, secretOf } from "../response";
import { createToken, deleteToken } from "../tokens";

/** Tokens, which a real Vault creates and deletes. The API specification has no such requests. */
export function routes(app: Hono<AppEnv>, { servesTokens, registers }: Dialect): void {
  if (!servesTokens) return;
  for (const verb of registers) app.on(verb, "/v1/acl/token", create);

  app.delete("/v1/acl/token/:accessor", (c) => {
    deleteToken(c.var.records, secretOf(c) ?? "", c.req.param("accessor"));
    return c.body(null, 200);
  });
}

async function create(c: Route): Promise<Response> {
  const { records, dialect } = c.var;
  const { Name = "", Type = "client", Policies, Global = false } = await c.req.json();
  const request = { name: Name, type: Type, policies: Policies ?? [], global: Global };
  const { accessor, secret } = createToken(records, secretOf(c) ?? "", request, dialect);
  return json(c, { AccessorID: accessor, SecretID: secret, Name, Type, Policies, Global });
}
