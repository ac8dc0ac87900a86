import { scheduler } from "../../../../provider";
import { expectRefused, failure, refusal } from "../../../support/refusal";
import { collect, dormantJob, failingJob, groupOf, jobOf, newName, onEachScheduler, slowJob, update } from "../../../support/scheduler";

const { filter, listDeployments, registerJob, waitForDeployment } = scheduler;

onEachScheduler("waiting for a deployment", (current, said) => {
  test("returns the successful deployment, at once for an unchanged job, and waits for a new version", async () => {
    const ID = newName();
    await registerJob({ job: jobOf(ID) });
    const done = await waitForDeployment({ jobId: ID, timeout: "60s" });
    expect(done).toMatchObject({ JobID: ID, Status: "successful", JobVersion: 0, CreateTime: expect.stringMatching(/^\d{19}$/) });
    expect(said().at(-1)).toBe(`info: [runtime] pulumi-steward: deployment of job "${ID}": successful, main 1 of 1 healthy.`);

    await registerJob({ job: jobOf(ID) });
    await current().through(async (gateway) => {
      expect((await waitForDeployment({ jobId: ID, timeout: "60s" }))?.ID).toBe(done?.ID);
      // The job and its deployments only: there is nothing to wait for.
      expect(gateway.requests.map(({ path }) => path.replace(/\?.*/, ""))).toEqual(["/v1/jobs", "/v1/deployments"]);
    });

    await registerJob({ job: jobOf(ID, { Meta: { version: "2" } }) });
    expect(await waitForDeployment({ jobId: ID, timeout: "60s" })).toMatchObject({ JobVersion: 1, Status: "successful" });
  });

  test("fails with the scheduler's reason", async () => {
    const ID = newName();
    await registerJob({ job: failingJob(ID) });
    const reason = new RegExp(`"${ID}": .* [0-9a-f-]{36} .*: Failed due to `);
    await expectRefused(waitForDeployment({ jobId: ID, timeout: "60s" }), refusal("ERR_FAILED", { rule: "failed" }), reason);
    const [deployment] = await collect(listDeployments({ filter: filter("JobID").equals(ID) }));
    expect(deployment).toMatchObject({ Status: "failed", StatusDescription: expect.stringMatching(/^Failed due to /) });
  });

  test("fails if a newer version cancels the deployment", async () => {
    const ID = newName();
    await registerJob({ job: slowJob(ID) });
    await current().through(async (gateway) => {
      gateway.interrupt = () => {
        if (!said().some((line) => line.includes("running, main 0 of 1 healthy"))) return undefined;
        gateway.interrupt = undefined;
        void current().outOfBand("PUT", "jobs", { Job: slowJob(ID, { Meta: { version: "2" } }) });
        return undefined;
      };
      const reason = / [0-9a-f-]{36} .*: Cancelled due to newer version of job\.$/;
      await expectRefused(waitForDeployment({ jobId: ID, timeout: "60s" }), refusal("ERR_FAILED", { rule: "cancelled" }), reason);
    });
    // The newer deployment continues, and the wait ends at its timeout.
    await expectRefused(waitForDeployment({ jobId: ID, timeout: 3 }), refusal("ERR_TIMED_OUT"), " 3 s: running, main 0 of 1 healthy");
  });

  test("ends when the signal aborts during a blocking query", async () => {
    const ID = newName();
    await registerJob({ job: slowJob(ID) });
    await current().through(async (gateway) => {
      const ended = new AbortController();
      gateway.interrupt = ({ path }) => void (path.includes("index=") && ended.abort());
      await expect(waitForDeployment({ jobId: ID, signal: ended.signal })).rejects.toMatchObject({ code: "ERR_ABORTED" });
      gateway.requests.length = 0;
      await expect(waitForDeployment({ jobId: ID, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ERR_ABORTED" });
      expect(gateway.requests).toEqual([]);
    });
  });

  test("resolves at once for a job that is scaled to 0 or begins there, and for one that never had a group to deploy", async () => {
    const [scaled, empty] = [newName(), newName()];
    const none = { TaskGroups: [groupOf({ Count: 0 }), groupOf({ Name: "other", Count: 0, Update: { MaxParallel: 0 } })] };
    await registerJob({ job: jobOf(scaled) });
    await waitForDeployment({ jobId: scaled, timeout: "60s" });
    for (const ID of [scaled, empty]) {
      await registerJob({ job: jobOf(ID, none) });
      expect(await waitForDeployment({ jobId: ID, timeout: "20s" })).toBeUndefined();
      expect(said().at(-1)).toContain(`"${ID}": nothing to deploy, `);
    }
    // One group with an allocation is enough for a deployment.
    await registerJob({ job: jobOf(scaled, { TaskGroups: [...none.TaskGroups, groupOf({ Name: "third" })] }) });
    const done = await waitForDeployment({ jobId: scaled, timeout: "60s" });
    expect(Object.keys(done?.TaskGroups ?? {})).toEqual(["third"]);
  });

  test("ends for canaries at the timeout, and the hint is to promote them", async () => {
    const ID = newName();
    const Update = { ...update, Canary: 1 };
    await registerJob({ job: jobOf(ID, { Update }) });
    const first = await waitForDeployment({ jobId: ID, timeout: "60s" });
    await registerJob({ job: jobOf(ID, { Update, Meta: { version: "2" } }) });
    const error = await failure(waitForDeployment({ jobId: ID, timeout: 3 }));
    expect(error).toEqual(refusal("ERR_TIMED_OUT"));
    const [deployment] = await collect(listDeployments({ filter: filter("JobID").equals(ID).and(filter("JobVersion").equals(1)) }));
    expect(deployment?.ID).not.toBe(first?.ID);
    const command = current().dialect === "hashicorp" ? ` with \`nomad deployment promote ${deployment?.ID}\`` : "";
    expect(error.message).toMatch(/ 3 s: running, main \d of 1 healthy, not promoted\. /);
    expect(error.details.hint).toContain(`promote them${command} when`);
  });

  test("fails for a job that has no deployments, is stopped or does not exist", async () => {
    const [dormant, stopped, sudden] = [newName(), newName(), newName()];
    await registerJob({ job: jobOf(sudden, { Update: { MaxParallel: 0 } }) });
    await expect(waitForDeployment({ jobId: sudden, timeout: "20s" })).rejects.toThrow(refusal("ERR_FAILED", { rule: "no-update" }));
    await registerJob({ job: dormantJob(dormant) });
    await expect(waitForDeployment({ jobId: dormant })).rejects.toThrow(refusal("ERR_FAILED", { rule: "job-type" }));
    await registerJob({ job: jobOf(stopped) });
    await registerJob({ job: jobOf(stopped, { Stop: true }) });
    await expect(waitForDeployment({ jobId: stopped })).rejects.toThrow(refusal("ERR_FAILED", { rule: "job-stopped" }));
    await expect(waitForDeployment({ jobId: newName() })).rejects.toMatchObject({ code: "ERR_NOT_FOUND" });
    const namespace = newName();
    const missing = { code: "ERR_NOT_FOUND", message: expect.stringContaining(`"${namespace}"`) };
    await expect(waitForDeployment({ jobId: dormant, namespace })).rejects.toMatchObject(missing);
  });

  test("works for a service with the default update block", async () => {
    const ID = newName();
    await registerJob({ job: jobOf(ID, { Update: undefined }) });
    await expectRefused(waitForDeployment({ jobId: ID, timeout: 3 }), refusal("ERR_TIMED_OUT"), " 3 s: running, main 0 of 1 healthy");
  });
});
