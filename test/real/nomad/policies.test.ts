import { scheduler } from "../../../provider";
import { schedulerPolicyOf } from "../../support/pages";
import { collect, jobOf, newName, onEachScheduler, SchedulerTarget } from "../../support/scheduler";

// pages.test.ts uses the policies of that page.

/** Calls the functions of this process with a token that has only this policy. */
async function actAs({ outOfBand, connect }: SchedulerTarget, rules: string): Promise<void> {
  const name = newName();
  expect((await outOfBand("POST", `acl/policy/${name}`, { Name: name, Rules: rules })).status).toBe(200);
  const { json } = await outOfBand("POST", "acl/token", { Name: name, Type: "client", Policies: [name] });
  connect({ token: json.SecretID });
}

onEachScheduler("the policy on the reference page of", (current) => {
  test.each([
    ["listJobs", "lists", () => collect(scheduler.listJobs())],
    ["listDeployments", "lists", () => collect(scheduler.listDeployments())],
    ["listNodes", "lists", () => collect(scheduler.listNodes())],
    ["getAgentMembers", "agent-members", () => scheduler.getAgentMembers()],
    ["registerJob", "job-registration", () => scheduler.registerJob({ job: jobOf(newName()) })],
    ["waitForDeployment", "deployment-wait", (jobId: string) => scheduler.waitForDeployment({ jobId, timeout: "60s" })],
  ])("%s permits it", async (name, page, run) => {
    const jobId = newName();
    await scheduler.registerJob({ job: jobOf(jobId) });
    const policy = schedulerPolicyOf(page, name);
    expect(policy).not.toBe("");
    await actAs(current(), policy);
    await run(jobId);
  });
});
