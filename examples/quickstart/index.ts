// Configures the Nomad secrets engine: the address of the scheduler, the lifetime of its tokens, and the roles.
import * as pulumi from "@pulumi/pulumi";
import { secrets } from "pulumi-steward";

const config = new pulumi.Config();

const access = new secrets.SchedulerAccess("access", {
  address: config.require("schedulerAddress"),
  token: config.requireSecret("schedulerToken"),
});

new secrets.SchedulerLease("lease", { ttl: "30m", maxTtl: "8h" }, { dependsOn: access });

const web = new secrets.SchedulerRole("web", { name: "web", policies: ["readonly"] }, { dependsOn: access });
const operator = new secrets.SchedulerRole("operator", { name: "operator", type: "management", global: true }, { dependsOn: access });

new secrets.SchedulerRoles(
  "teams",
  {
    roles: {
      payments: { policies: ["payments-deploy", "payments-read"] },
      search: { policies: ["search-deploy", "search-read"] },
    },
  },
  { dependsOn: access },
);

export const roles = pulumi.all([web.name, operator.name]);
export const scheduler = access.address;
