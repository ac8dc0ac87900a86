import { Hono } from "hono";
import { AppEnv, done, errors, unsupportedOperation } from "../answer";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { text } from "../fields";
import { revokeToken } from "../leases";

const self = "This endpoint will delete the token used to call it and all of its child tokens.";
const any = "This endpoint will delete the given token and all of its child tokens.";

export const below = "auth/token";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  { path: "revoke-self", description: self, described: true, operations: { post: { summary: self, id: "revoke-self" } } },
  { path: "revoke", description: any, described: true, operations: { post: { summary: any, id: "revoke" } } },
];

export function routes(app: Hono<AppEnv>): void {
  app.on(["POST", "PUT"], "/token/revoke-self", (c) => {
    revokeToken(c.var.records, c.var.token!);
    return done(c);
  });
  app.all("/token/revoke-self", unsupportedOperation);

  app.on(["POST", "PUT"], "/token/revoke", (c) => {
    const id = text(c.var.fields, "token");
    if (!id) return errors(c, 400, "missing token ID");
    const token = c.var.records.tokens.get(id);
    if (token) revokeToken(c.var.records, token);
    return done(c);
  });
  app.all("/token/revoke", unsupportedOperation);
}
