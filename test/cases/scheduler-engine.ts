import * as fc from "fast-check";
import { word } from "../troubles/fuzz/values";
import { Context, ResourceCase, written } from "./case";

const path = ({ mount }: Context): string => `/v1/sys/mounts/${mount}`;
const tune = (context: Context): string => `${path(context)}/tune`;
const time = fc.constantFrom<unknown>("30s", 0, 3600);
const shown = { description: "theirs", default_lease_ttl: "2h", max_lease_ttl: "3h" };

export const cases: readonly ResourceCase[] = [
  {
    token: "secrets:SchedulerEngine",
    dialects: ["hashicorp"],
    inputs: () => ({ description: "ours", defaultLeaseTtl: "1h", destroyOnDelete: true }),
    changed: () => ({ description: "other", defaultLeaseTtl: "2h", maxLeaseTtl: "3h", destroyOnDelete: true }),
    // The sandbox and the real Vaults begin with an engine.
    prepare: (context) => context.outOfBand("secrets", "DELETE", path(context)),
    requests: (context) => ({
      create: [`GET ${path(context)}`, `POST ${path(context)}`],
      update: [`POST ${tune(context)}`],
      refresh: [`GET ${path(context)}`],
      delete: [`GET ${path(context)}`, `DELETE ${path(context)}`],
    }),
    neverCreates: ["/v1/sys/mounts/<mount>", "/v1/sys/mounts/<mount>/tune"],
    drifts: [
      written(tune, { ...shown }, ["description"]),
      written(tune, { ...shown, description: "other", default_lease_ttl: "1m" }, ["defaultLeaseTtl"]),
      written(tune, { ...shown, description: "other", max_lease_ttl: "1d" }, ["maxLeaseTtl"]),
      { change: (context) => context.outOfBand("secrets", "DELETE", path(context)), shows: "gone" },
    ],
    // A read of the mount itself has an accessor, which differs after each creation.
    paths: (context) => [tune(context)],
    troubles: "its removal would remove the objects of the other resources at its mount",
    arbitraries: { description: word, defaultLeaseTtl: time, maxLeaseTtl: time, destroyOnDelete: fc.boolean() },
  },
];
