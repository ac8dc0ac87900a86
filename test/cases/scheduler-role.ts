import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { absence, Context, ResourceCase } from "./case";

const path = ({ mount }: Context, name = "web"): string => `/v1/${mount}/role/${name}`;

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerRole",
    inputs: () => ({ name: "web", policies: ["readonly"] }),
    changed: () => ({ name: "web", policies: ["other"] }),
    replaced: () => ({ name: "site", policies: ["other"] }),
    requests: (context) => ({
      create: [`GET ${path(context)}`, ...absence(context), `POST ${path(context)}`],
      update: [`POST ${path(context)}`],
      refresh: [`GET ${path(context)}`],
      delete: [`DELETE ${path(context)}`],
    }),
    drifts: [
      {
        change: (context) => context.outOfBand("secrets", "POST", path(context), { policies: "theirs", type: "client" }),
        shows: ["policies"],
      },
      {
        change: (context) => context.outOfBand("secrets", "POST", path(context), { policies: "", type: "management" }),
        shows: ["policies", "type"],
      },
      {
        change: (context) => context.outOfBand("secrets", "POST", path(context), { policies: "other", type: "client", global: true }),
        shows: ["global"],
        hiddenIn: "standard",
      },
      { change: (context) => context.outOfBand("secrets", "DELETE", path(context)), shows: "gone" },
    ],
    paths: (context) => [path(context), path(context, "site")],
    arbitraries: {
      name: word,
      policies: fc.array(word, { maxLength: 3 }),
      global: fc.boolean(),
      type: fc.constantFrom("client", "management"),
    },
  },
];
