import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { listedAt, ResourceCase } from "./case";

const path = "/api/v2/admin/banners";
const inputs = { title: "News", body: "<b>Upgrade</b> on Saturday.", style: "info", audience: "all_users" };

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
    ...listedAt(path, { body: "Theirs.", style: "warning" }, ["body", "style"]),
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
