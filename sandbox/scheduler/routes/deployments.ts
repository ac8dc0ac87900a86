import { Hono } from "hono";
import { HttpError } from "../http-error";
import { listed, oneRecord } from "../listing";
import { byBytes } from "../paging";
import { Row } from "../records";
import { AppEnv } from "../response";

export function routes(app: Hono<AppEnv>): void {
  app.get("/v1/deployments", (c) => {
    // Deployments are sorted by ID with a prefix, and by creation otherwise.
    const byId = (c.req.query("prefix") ?? "") !== "";
    return listed(c, "deployments", (deployment) => deployment, {
      token: (row) => (byId ? String(row.ID) : `${row.CreateIndex}.${row.ID}`),
      compare: (row, token) => (byId ? byBytes(String(row.ID), token) : compare(row, token)),
    });
  });

  app.get("/v1/deployment/:id", (c) => {
    if (c.req.param("id").length !== 36) throw new HttpError(500, "deployment lookup failed: index error: UUID must be 36 characters");
    return oneRecord(c, "deployments", "deployment not found");
  });
}

/** Compares the index as a number, then the ID. A token in another format is compared as a string. */
function compare(row: Row, token: string): number {
  const [, index, id = ""] = /^(\d+)\.(.*)$/s.exec(token) ?? [];
  if (index === undefined) return byBytes(`${row.CreateIndex}.${row.ID}`, token);
  return Number(row.CreateIndex) - Number(index) || byBytes(String(row.ID), id);
}
