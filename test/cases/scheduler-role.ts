import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, ResourceCase } from "./case";

const path = ({ mount }: Context, name = "web"): string => `/v1/${mount}/role/${name}`;
const list = ({ mount }: Context): string => `/v1/${mount}/role?list=true`;

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerRole",
    inputs: () => ({ name: "web", policies: ["readonly"] }),
    changed: () => ({ name: "web", policies: ["other"] }),
    replaced: () => ({ name: "site", policies: ["other"] }),
    // If a 404 is no proof, the list is read instead. The list of an engine without roles is a 404 as well.
    prepare: (context) => context.outOfBand("secrets", "POST", path(context, "theirs"), { policies: "theirs", type: "client" }),
    requests: (context) => ({
      create: [`GET ${context.dialect === "standard" ? list(context) : path(context)}`, `POST ${path(context)}`],
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
