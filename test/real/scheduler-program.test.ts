import { scheduler } from "../../provider";
import { Project } from "../project";
import { collect, connect, jobOf, newId, nomad, removeJobs } from "./nomad";

beforeAll(connect);
afterAll(removeJobs);

test("a program registers a job and waits for it: nothing in a preview, and in pulumi up each step is seen", async () => {
  const [good, bad] = [newId(), newId()];
  const program = (job: object, jobId: string): string => `
    module.exports = async () => {
      await scheduler.registerJob({ job: ${JSON.stringify(job)} });
      const deployment = await scheduler.waitForDeployment({ jobId: "${jobId}", timeout: "60s" });
      return { status: deployment && deployment.Status };
    };
  `;
  const project = new Project({ NOMAD_ADDR: nomad.address, NOMAD_TOKEN: nomad.token }).program(program(jobOf(good), good));
  const exists = async (ID: string): Promise<boolean> =>
    (await collect(scheduler.listJobs({ filter: scheduler.filter("ID").equals(ID) }))).length > 0;
  try {
    const preview = await project.pulumi("preview");
    expect(preview.output).toContain(`pulumi-steward: job "${good}" is not registered in a preview.`);
    expect(preview.output).toContain(`pulumi-steward: the deployment of job "${good}" is not waited for in a preview.`);
    expect(await exists(good)).toBe(false);

    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.output).toContain(`pulumi-steward: deployment of job "${good}": successful, main 1 of 1 healthy.`);
    expect(await project.outputs()).toEqual({ status: "successful" });

    const failing = jobOf(bad, {}, { run_for: "10ms", exit_code: 1 });
    const failed = await project.program(program(failing, bad)).pulumi("up", "--yes", "--skip-preview");
    expect(failed.code).not.toBe(0);
    expect(failed.output).toMatch(new RegExp(`Cannot wait for the deployment of job "${bad}": deployment \\S+ is failed: Failed due to `));
    // One sentence, no stack.
    expect(failed.output).not.toContain("    at ");
    expect(failed.output + project.stored()).not.toContain(nomad.token);
  } finally {
    project.remove();
  }
});
