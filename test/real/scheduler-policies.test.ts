import { scheduler } from "../../provider";
import { blocks } from "../support/pages";
import { collect, jobOf, newName, onEachScheduler } from "../support/scheduler";

const [report = "", deploy = ""] = blocks("docs/getting-started/nomad.md", "hcl");

onEachScheduler("the policies in docs/getting-started/nomad.md", (current) => {
  /** Calls the functions of this process with a token that has only a policy of the page. */
  async function actAs(rules: string): Promise<void> {
    const { outOfBand, connect } = current();
    const name = newName();
    expect((await outOfBand("POST", `acl/policy/${name}`, { Name: name, Rules: rules })).status).toBe(200);
    const { json } = await outOfBand("POST", "acl/token", { Name: name, Type: "client", Policies: [name] });
    connect({ token: json.SecretID });
  }

  test("the policy of the report grants every read and nothing else", async () => {
    await actAs(report);
    await collect(scheduler.listJobs({ namespace: "*", filter: scheduler.filter("Type").equals("service") }));
    await collect(scheduler.listDeployments({ namespace: "*" }));
    expect(await collect(scheduler.listNodes())).toHaveLength(1);
    expect(await scheduler.getAgentMembers()).toMatchObject({ Members: [{ Status: "alive" }] });
    await expect(scheduler.registerJob({ job: jobOf(newName()) })).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
  });

  test("the policy of the deployment only allows registering a job in its namespace and waiting for it", async () => {
    await current().makeNamespace("apps");
    await actAs(deploy);
    const jobId = newName();
    await scheduler.registerJob({ job: jobOf(jobId, { Namespace: "apps" }), namespace: "apps" });
    expect(await scheduler.waitForDeployment({ jobId, namespace: "apps", timeout: "60s" })).toMatchObject({ Status: "successful" });
    await expect(scheduler.registerJob({ job: jobOf(newName()) })).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
    await expect(collect(scheduler.listNodes())).rejects.toMatchObject({ code: "ERR_FORBIDDEN" });
  });
});
