import { Hono } from "hono";
import { AppEnv, data, Route, unsupportedOperation } from "../answer";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { token } from "../wire";

const description = "This endpoint will lookup a token and its properties.";

export const below = "auth/token";
export const isServed = ({ leases }: Dialect): boolean => leases;

export const paths = (): Described[] => [
  {
    path: "lookup-self",
    description,
    described: "path",
    operations: { get: { summary: description, id: "look-up-self" }, post: { summary: description, id: "look-up-self2" } },
  },
];

export function routes(app: Hono<AppEnv>): void {
  const path = "/token/lookup-self";
  const respond = (c: Route): Response => data(c, token(c.var.token!, c.var.now.getTime()), "token");
  app.get(path, respond);
  app.on(["POST", "PUT"], path, respond);
  app.all(path, unsupportedOperation);
}
