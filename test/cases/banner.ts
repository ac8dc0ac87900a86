import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, Properties, ResourceCase } from "./case";

const path = "/api/v2/admin/banners";
const inputs = { title: "News", body: "<b>Upgrade</b> on Saturday.", style: "info", audience: "all_users" };

/** The id of the banner that users see. */
async function idOf({ outOfBand }: Context): Promise<string> {
  const { data } = (await outOfBand("platform", "GET", path)) as { data: Properties[] };
  return String(data[0]?.id);
}

export const cases: readonly ResourceCase[] = [
  {
    token: "platform:Banner",
    dialects: ["hashicorp"],
    inputs: () => inputs,
    changed: () => ({
      ...inputs,
      style: "critical",
      scheduledPublishAt: "2126-01-01T09:00:00+01:00",
      scheduledExpireAt: "2126-01-02T08:00:00Z",
      timezone: "UTC",
    }),
    requests: () => ({
      create: [`GET ${path}`, `POST ${path}`],
      update: [`PATCH ${path}/<id>`],
      refresh: [`GET ${path}`],
      delete: [`DELETE ${path}/<id>`],
    }),
    drifts: [
      {
        change: async (context) =>
          context.outOfBand("platform", "PATCH", `${path}/${await idOf(context)}`, {
            data: { attributes: { body: "Theirs.", style: "warning" } },
          }),
        shows: ["body", "style"],
      },
      { change: async (context) => context.outOfBand("platform", "DELETE", `${path}/${await idOf(context)}`), shows: "gone" },
    ],
    paths: () => [path],
    arbitraries: {
      title: word,
      body: word,
      style: fc.constantFrom("info", "warning", "critical"),
      audience: fc.constantFrom("all_users", "authenticated_only"),
      scheduledPublishAt: fc.constant("2126-01-01T08:00:00Z"),
      scheduledExpireAt: fc.constant("2126-01-02T08:00:00Z"),
      timezone: fc.constantFrom("UTC", "Europe/Berlin"),
    },
  },
];
