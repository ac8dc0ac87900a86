import { Hono } from "hono";
import { listed } from "../listing";
import { byBytes } from "../paging";
import { AppEnv } from "../response";
import { nodeStub } from "../wire";

export function routes(app: Hono<AppEnv>): void {
  app.get("/v1/nodes", (c) =>
    listed(c, "nodes", nodeStub, { token: ({ ID }) => String(ID), compare: ({ ID }, token) => byBytes(String(ID), token) }),
  );
}
