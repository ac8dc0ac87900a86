import { Project } from "../../project";
import { failingJob, jobOf, newName, onEachScheduler } from "../../scheduler";

onEachScheduler("the example scheduler-report, by the real pulumi", (current) => {
  test("says what is there, changes nothing, and shows in a preview what has changed since", async () => {
    const { outside, makeNamespace } = current();
    const namespace = newName();
    await makeNamespace(namespace);
    const register = async (job: object): Promise<void> =>
      expect((await outside("PUT", `jobs?namespace=${namespace}`, { Job: job })).status).toBe(200);
    await register(jobOf("good"));
    const project = Project.onScheduler(current()).example("scheduler-report");
    try {
      await project.up();
      const report = (await project.outputs()) as { jobs: Record<string, number>; failed: string[]; outOfWork: string[] };
      expect(report.jobs[namespace]).toBe(1);
      expect(report.failed.filter((line) => line.startsWith(namespace))).toEqual([]);
      expect(report.outOfWork).toEqual([]);

      await register(failingJob("bad"));
      let failed = 0;
      for (let index = "1"; failed === 0; ) {
        const { json, headers } = await outside("GET", `deployments?namespace=${namespace}&index=${index}`);
        failed = json.filter(({ Status }: { Status: string }) => Status === "failed").length;
        index = headers.get(current().dialect === "standard" ? "x-scheduler-index" : "x-nomad-index") ?? "1";
      }
      const { output } = await project.preview();
      expect(output).toMatch(new RegExp(`\\+ \\[\\d+\\]: "${namespace}/bad: `));
      expect(output).toMatch(new RegExp(`~ ${namespace}: 1 => 2`));
    } finally {
      project.remove();
    }
  });
});
