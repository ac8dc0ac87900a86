import { scheduler } from "../../provider";
import { blocks, schedulerPolicyOf } from "../support/pages";
import { collect, jobOf, newName, onEachScheduler, SchedulerTarget } from "../support/scheduler";

const [report = "", deploy = ""] = blocks("docs/getting-started/nomad.md", "hcl");

/** Calls the functions of this process with a token that has only this policy. */
async function actAs({ outOfBand, connect }: SchedulerTarget, rules: string): Promise<void> {
  const name = newName();
  expect((await outOfBand("POST", `acl/policy/${name}`, { Name: name, Rules: rules })).status).toBe(200);
  const { json } = await outOfBand("POST", "acl/token", { Name: name, Type: "client", Policies: [name] });
  connect({ token: json.SecretID });
}

onEachScheduler("the policies in docs/getting-started/nomad.md", (current) => {
  test("the policy of the report grants every read and nothing else", async () => {
    await actAs(current(), report);
    await collect(scheduler.listJobs({ namespace: "*", filter: scheduler.filter("Type").equals("service") }));
    await collect(scheduler.listDeployments({ namespace: "*" }));
    expect(await collect(scheduler.listNodes())).toHaveLength(1);
    expect(await scheduler.getAgentMembers()).toMatchObject({ Members: [{ Status: "alive" }] });
    await expect(scheduler.registerJob({ job: jobOf(newName()) })).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
  });

  test("the policy of the deployment only allows registering a job in its namespace and waiting for it", async () => {
    await current().makeNamespace("apps");
    await actAs(current(), deploy);
    const jobId = newName();
    await scheduler.registerJob({ job: jobOf(jobId, { Namespace: "apps" }), namespace: "apps" });
    expect(await scheduler.waitForDeployment({ jobId, namespace: "apps", timeout: "60s" })).toMatchObject({ Status: "successful" });
    await expect(scheduler.registerJob({ job: jobOf(newName()) })).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
    await expect(collect(scheduler.listNodes())).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
  });
});

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
