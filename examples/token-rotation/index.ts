// Generates a Nomad token for a job, and replaces it each month. The old token is revoked only after the job is successfully deployed with the new
// one, so the job always has a valid token.
//
// In Vault the token has a lease, which also expires with the token of this program (VAULT_TOKEN). Both must last longer than a month. Otherwise
// `pulumi refresh` finds that the token has expired, and the next `pulumi up` generates a new one.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { scheduler, secrets } from "pulumi-steward";

const config = new pulumi.Config();

const access = new secrets.SchedulerAccess("access", {
  address: config.require("schedulerAddress"),
  token: { env: "NOMAD_MANAGEMENT_TOKEN" },
});
const lease = new secrets.SchedulerLease("lease", { ttl: "32d", maxTtl: "32d" }, { dependsOn: access });
const role = new secrets.SchedulerRole("watcher", { name: "watcher", policies: ["readonly"] }, { dependsOn: access });

const token = new secrets.SchedulerToken(
  "watcher",
  { role: role.name, keepers: { month: config.get("month") || new Date().toISOString().slice(0, 7) } },
  // To revoke the token, the secrets engine needs its access to the scheduler.
  { dependsOn: [access, lease] },
);

// In a preview, these two functions only print a line.
const deployment = token.secretId.apply(async (secretId) => {
  const job = JSON.parse(readFileSync(join(__dirname, "job.json"), "utf8"));
  for (const group of job.TaskGroups) for (const task of group.Tasks) task.Env.NOMAD_TOKEN = secretId;
  await scheduler.registerJob({ job });
  return scheduler.waitForDeployment({ jobId: job.ID });
});

export const accessor = token.accessorId;
export const expiresAt = token.expiresAt;
export const deployed = pulumi.unsecret(deployment.apply((done) => done?.Status));
