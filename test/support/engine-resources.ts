/** The resources of a secrets engine with valid inputs: the first ones and, without a replacement, later ones. */
export const engineResources = [
  {
    type: "SchedulerAccess",
    path: "config/access",
    inputs: { address: "http://127.0.0.1:4646", token: "t" },
    changed: { address: "http://127.0.0.1:2", token: "t" },
  },
  { type: "SchedulerLease", path: "config/lease", inputs: { ttl: "1h" }, changed: { ttl: "2h", maxTtl: "3h" } },
  {
    type: "SchedulerRole",
    path: "role/web",
    inputs: { name: "web", policies: ["ours"] },
    changed: { name: "web", policies: ["other"] },
  },
  {
    type: "SchedulerRoles",
    path: "role/web",
    inputs: { roles: { web: { policies: ["ours"] } } },
    changed: { roles: { web: { policies: ["other"] }, site: { policies: ["ours"] } } },
  },
];
