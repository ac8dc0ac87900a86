import { startGateway } from "../../../support/gateway";
import { dormantJob, failingJob, jobOf, newName, onEachScheduler } from "../../../support/scheduler";
import { storyOnScheduler } from "../../../support/story";

onEachScheduler("a program that calls the scheduler's functions", (current) => {
  test("lists jobs in a preview without a write, and in an up registers a job, waits for it and reports its progress", async () => {
    const { address, token, dialect, outOfBand } = current();
    const [good, bad, namespace] = [newName(), newName(), newName()];
    await current().makeNamespace(namespace);
    for (const ID of ["one", "two", "three"])
      expect((await outOfBand("PUT", `jobs?namespace=${namespace}`, { Job: dormantJob(ID) })).status).toBe(200);
    const gateway = await startGateway(address);
    const written = (): string[] => gateway.requests.filter(({ method }) => method !== "GET").map(({ path }) => path);
    const deploy = (job: object, jobId: string): string => `
      await scheduler.registerJob({ job: ${JSON.stringify(job)} });
      const deployment = await scheduler.waitForDeployment({ jobId: "${jobId}", timeout: "60s" });`;
    const project = storyOnScheduler({ address: gateway.url, token, dialect });
    try {
      project.program(`
        const collect = async (list) => {
          const found = [];
          for await (const each of list) found.push(each);
          return found;
        };
        module.exports = async () => {
          ${deploy(jobOf(good), good)}
          const jobs = await collect(scheduler.listJobs({ namespace: "${namespace}", pageSize: 2, filter: scheduler.filter("Type").equals("batch") }));
          const deployments = await collect(scheduler.listDeployments({ filter: scheduler.filter("JobID").equals("${good}") }));
          const nodes = await collect(scheduler.listNodes());
          const { Members } = await scheduler.getAgentMembers();
          return {
            jobs: jobs.map(({ ID }) => ID),
            submitted: jobs.map(({ SubmitTime }) => SubmitTime),
            deployments: deployments.map(({ Status }) => Status),
            ready: nodes.every(({ Status }) => Status === "ready"),
            members: Members.length,
            status: deployment ? deployment.Status : "not yet",
          };
        };`);
      const preview = await project.preview();
      expect(preview.output).toContain(`pulumi-steward: job "${good}" is not registered in a preview.`);
      expect(preview.output).toContain(`pulumi-steward: a preview does not wait for the deployment of job "${good}".`);
      // Lists are read in a preview as well.
      expect(preview.output).toMatch(/jobs +: \[\s+\[0\]: "one"/);
      expect(written()).toEqual([]);
      expect((await outOfBand("GET", `job/${good}`)).status).toBe(404);

      const up = await project.up();
      expect(up.output).toContain(`pulumi-steward: deployment of job "${good}": successful, main 1 of 1 healthy.`);
      expect(written()).toEqual(["/v1/jobs"]);
      expect(await project.outputs()).toEqual({
        jobs: ["one", "three", "two"],
        submitted: Array(3).fill(expect.stringMatching(/^\d{19}$/)),
        deployments: ["successful"],
        ready: true,
        members: 1,
        status: "successful",
      });

      const failed = await project
        .program(`module.exports = async () => {${deploy(failingJob(bad), bad)} };`)
        .pulumi("up", "--yes", "--skip-preview");
      expect(failed.code).not.toBe(0);
      expect(failed.output).toMatch(
        new RegExp(`Cannot wait for the deployment of job "${bad}": deployment \\S+ is failed: Failed due to `),
      );
      // The output contains no stack trace.
      expect(failed.output).not.toContain("    at ");
      expect(failed.output + project.stored()).not.toContain(token);
    } finally {
      project.remove();
      await gateway.close();
    }
  });
});
