import * as fc from "fast-check";
import { Context, ResourceCase } from "./case";

const path = "/api/v2/admin/data-retention-policy-settings";
/** A 404 may also mean a token without administrator rights. */
const administrator = "GET /api/v2/admin/general-settings";
const set =
  (days: number) =>
  (context: Context): Promise<unknown> =>
    context.outOfBand("platform", "POST", path, {
      data: { type: "data-retention-policy-delete-olders", attributes: { deleteOlderThanNDays: days } },
    });

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:DataRetentionPolicy",
    dialects: ["hashicorp"],
    inputs: () => ({ deleteOlderThanDays: 365 }),
    changed: () => ({ deleteOlderThanDays: 180 }),
    requests: () => ({
      create: [`GET ${path}`, administrator, `POST ${path}`],
      update: [`POST ${path}`],
      refresh: [`GET ${path}`],
      delete: [`DELETE ${path}`],
    }),
    drifts: [
      { change: set(30), shows: ["deleteOlderThanDays"] },
      { change: ({ outOfBand }) => outOfBand("platform", "DELETE", path), shows: "gone" },
    ],
    paths: () => [path],
    arbitraries: { deleteOlderThanDays: fc.integer({ min: 1, max: 9999 }) },
  },
];
