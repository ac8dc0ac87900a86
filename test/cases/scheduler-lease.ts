import * as fc from "fast-check";
import { marked, number, only } from "../troubles/kind";
import { addTheirRole, Context, ResourceCase, requestsOf, written } from "./case";

const path = ({ mount }: Context): string => `/v1/${mount}/config/lease`;
const time = fc.constantFrom<unknown>("30s", "1h30m", 0, 3600, "1d", "1500ms500ms");

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerLease",
    inputs: () => ({ ttl: "1h" }),
    changed: () => ({ ttl: "2h", maxTtl: "24h" }),
    prepare: addTheirRole,
    requests: requestsOf(path),
    drifts: [
      written(path, { ttl: "60s", max_ttl: "24h" }, ["ttl"]),
      written(path, { ttl: "2h", max_ttl: "3h" }, ["maxTtl"]),
      { change: (context) => context.outOfBand("secrets", "DELETE", path(context)), shows: "gone" },
    ],
    paths: (context) => [path(context)],
    troubles: {
      parts: ["lease"],
      inputs: (parts) => {
        const [, value] = only(parts);
        return { ttl: marked(value, number(value)), maxTtl: 2_000_000_000 };
      },
      held: (part, value) => [part, String(number(value))],
      keys: () => ["lease"],
    },
    arbitraries: { ttl: time, maxTtl: time },
    needed: ["ttl"],
  },
];
