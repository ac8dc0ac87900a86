import { Hono } from "hono";
import { AppEnv, keys, unsupportedOperation } from "../answer";
import { Described } from "../document";

const description =
  "List token accessors, which can then be used to iterate and discover their properties or revoke them. Because this can be used to cause a denial of service, this endpoint requires 'sudo' capability in addition to 'list'.";

export const below = "auth/token";

export const paths = (): Described[] => [
  {
    path: "accessors",
    description,
    described: true,
    sudo: true,
    operations: { get: { summary: description, id: "list-accessors", list: true } },
  },
];

export function routes(app: Hono<AppEnv>): void {
  app.on("LIST", "/token/accessors/", (c) =>
    keys(
      c,
      [...c.var.records.tokens.values()].map(({ accessor }) => accessor),
      "token",
    ),
  );
  app.all("/token/accessors", unsupportedOperation);
  app.all("/token/accessors/", unsupportedOperation);
}
