import { Hono } from "hono";
import { Block, row, table } from "../../view";
import { Dialect } from "../dialect";
import { HttpError } from "../http-error";
import { keptFor } from "../lifetime";
import { Records } from "../records";
import { AppEnv, attributesOf, document, done, missing, objectOf } from "../response";
import { wrong } from "../settings";

export const isServed = ({ name }: Dialect): boolean => name === "hashicorp";

const stored = keptFor(() => ({ policy: undefined as { id: string; days: number } | undefined }));
const type = "data-retention-policy-delete-olders";

export function routes(app: Hono<AppEnv>): void {
  const path = "/api/v2/admin/data-retention-policy-settings";

  app.get(path, (c) => {
    const { policy } = stored(c.var.records);
    if (!policy) return missing(c);
    const attributes = { "delete-older-than-n-days": policy.days };
    return document(c, { data: { id: policy.id, type, attributes, relationships: { target: { data: null } } } });
  });

  app.on(["POST", "PATCH"], path, (c) => {
    // The reference shows both names.
    const { deleteOlderThanNDays, "delete-older-than-n-days": days = deleteOlderThanNDays } = attributesOf(c);
    if (objectOf(c.var.body?.data, "data").type !== type) throw new HttpError(422, { detail: `data.type has to be ${type}.` });
    if (!Number.isSafeInteger(days) || Number(days) < 1)
      throw new HttpError(422, wrong("delete-older-than-n-days", "has to be a positive integer"));
    const kept = stored(c.var.records);
    kept.policy = { id: kept.policy?.id ?? c.var.records.numberedId("drp"), days: Number(days) };
    return done(c);
  });

  app.delete(path, (c) => {
    const kept = stored(c.var.records);
    if (!kept.policy) return missing(c);
    kept.policy = undefined;
    return done(c);
  });
}

export function view(records: Records): Block[] {
  const { policy } = stored(records);
  return [
    table("Data retention policy of the site", ["Policy", "Days"], policy ? [row(policy.id, policy.id, String(policy.days))] : [], "None."),
  ];
}
