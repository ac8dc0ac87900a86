import { platform, scheduler, secrets } from "../../../provider";

async function first<T>(source: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of source) if (found.push(item) >= count) break;
  return found;
}

export const functionStories: Record<string, () => Promise<unknown>> = {
  "secrets.listSchedulerRoles": () => secrets.listSchedulerRoles(),
  "secrets.getRekeyStatus": () => secrets.getRekeyStatus(),
  "secrets.getSpecification": () => secrets.getSpecification(),
  "secrets.getRekeyBackup": () => secrets.getRekeyBackup(),
  "platform.getGeneralSettings": () => platform.getGeneralSettings(),
  "platform.getCostEstimationSettings": () => platform.getCostEstimationSettings(),
  "platform.getSamlSettings": () => platform.getSamlSettings(),
  "platform.getSmtpSettings": () => platform.getSmtpSettings(),
  "platform.getSmsSettings": () => platform.getSmsSettings(),
  "platform.getCustomizationSettings": () => platform.getCustomizationSettings(),
  "platform.listWorkspaces": () => first(platform.listWorkspaces({ pageSize: 1 }), 99),
  "platform.getWorkspace": () => platform.getWorkspace({ id: "ws-6jrRyVDv1J8zQMB5" }),
  "platform.listModuleVersions": () =>
    platform.listModuleVersions({ organizationName: "acme", moduleName: "network", moduleProvider: "aws" }),
  "platform.getModuleVersion": () =>
    platform.getModuleVersion({ organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" }),
  "scheduler.listJobs": () => first(scheduler.listJobs({ namespace: "*", pageSize: 2 }), 99),
  "scheduler.listDeployments": () => first(scheduler.listDeployments(), 99),
  "scheduler.listNodes": () => first(scheduler.listNodes({ filter: scheduler.filter("Status").equals("ready") }), 99),
  "scheduler.getAgentMembers": () => scheduler.getAgentMembers(),
  "scheduler.watch": () => first(scheduler.watch({ resource: "nodes", electionTimeout: 1 }), 1).then(([change]) => change?.items),
  "scheduler.registerJob": () =>
    scheduler
      .registerJob({
        job: { ID: "web", Type: "batch", TaskGroups: [{ Name: "a", Tasks: [{ Name: "t", Driver: "exec", Config: { command: "x" } }] }] },
      })
      .then(() => true),
  "scheduler.waitForDeployment": () =>
    scheduler.waitForDeployment({ jobId: "api", electionTimeout: 1 }).then((deployment) => deployment?.Status),
};
