import { Hono } from "hono";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { text } from "../fields";
import { revokeToken } from "../leases";
import { AppEnv, data, done, errors } from "../response";
import { token } from "../wire";

const looksUp = "This endpoint will lookup a token and its properties.";
const revokesSelf = "This endpoint will delete the token used to call it and all of its child tokens.";
const revokes = "This endpoint will delete the given token and all of its child tokens.";

export const below = "auth/token";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  { path: "lookup-self", description: looksUp, operations: { get: { id: "look-up-self" }, post: { id: "look-up-self2" } } },
  { path: "revoke-self", description: revokesSelf, operations: { post: { summary: revokesSelf, id: "revoke-self" } } },
  { path: "revoke", description: revokes, operations: { post: { summary: revokes, id: "revoke" } } },
];

export function routes(app: Hono<AppEnv>): void {
  app.on(["GET", "POST", "PUT"], "/token/lookup-self", (c) => data(c, token(c.var.token!, c.var.now.getTime()), "token"));

  app.on(["POST", "PUT"], "/token/revoke-self", (c) => {
    revokeToken(c.var.records, c.var.token!);
    return done(c);
  });

  app.on(["POST", "PUT"], "/token/revoke", (c) => {
    const id = text(c.var.fields, "token");
    if (!id) return errors(c, 400, "missing token ID");
    const token = c.var.records.tokens.get(id);
    if (token) revokeToken(c.var.records, token);
    return done(c);
  });
}
