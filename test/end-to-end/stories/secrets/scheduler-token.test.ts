import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway } from "../../../support/gateway";
import { newStory, Story } from "../../../support/story";
import { ensureReadonlyPolicy, onEachTarget } from "../../../support/target";

onEachTarget("a generated token", (current) => {
  let project: Story;
  beforeAll(() => ensureReadonlyPolicy(current()));
  beforeEach(() => {
    const { scheduler, dialect, config, token } = current();
    project = newStory({ STEWARD_TOKEN: token, STEWARD_SCHEDULER_TOKEN: scheduler.token });
    const connection = { address: scheduler.address, tokenEnv: "STEWARD_SCHEDULER_TOKEN", dialect };
    const { secrets } = config({ token: undefined, tokenEnv: "STEWARD_TOKEN" })["steward:default"] as { secrets: object };
    project.config({ "steward:default": { secrets, scheduler: connection } });
  });
  afterEach(() => project.remove());

  const hasLeases = (): boolean => current().dialect === "hashicorp";
  async function status(secretId: unknown, path = "jobs"): Promise<number> {
    const header = hasLeases() ? "X-Nomad-Token" : "X-Scheduler-Token";
    return (await fetch(`${current().scheduler.address}/v1/${path}`, { headers: { [header]: String(secretId) } })).status;
  }

  test("up generates a token, a changed keeper replaces it before it is revoked, and destroy revokes it", async () => {
    const { address, dialect, newMount, scheduler, outOfBand } = current();
    const mount = await newMount();
    const gateway = await startGateway(address);
    const generated = (): number => gateway.requests.filter(({ path }) => path.includes("/creds/")).length;
    const revoked = (): number => gateway.requests.filter(({ path }) => path.endsWith("/sys/leases/revoke")).length;
    try {
      project.config({ "steward:default": { secrets: { address: gateway.url, tokenEnv: "STEWARD_TOKEN", dialect } } });
      const source = (month: string): Story =>
        project.program(`
          const mount = ${JSON.stringify(mount)};
          const access = new secrets.SchedulerAccess("access", { address: ${JSON.stringify(scheduler.address)}, token: process.env.STEWARD_SCHEDULER_TOKEN, mount });
          const role = new secrets.SchedulerRole("readers", { name: "readers", policies: ["readonly"], mount }, { dependsOn: access });
          const token = new secrets.SchedulerToken("token", { role: role.name, keepers: { month: "${month}" }, mount }, { dependsOn: access });
          exports.secretId = token.secretId; exports.leaseId = token.leaseId; exports.accessorId = token.accessorId;`);
      await source("2026-01").preview();
      expect(generated()).toBe(0);
      await project.up();
      expect(generated()).toBe(1);
      const first = await project.outputs();
      expect(await status(first.secretId)).toBe(200);
      expect(project.stored()).not.toContain(String(first.secretId));
      await project.expectConverged();
      expect(generated()).toBe(1);

      const preview = await source("2026-02").preview();
      expect(preview.changes.join("\n")).toMatch(/~ month\s*: "2026-01" => "2026-02"/);
      expect(generated()).toBe(1);
      await project.up();
      const second = await project.outputs();
      expect(second.secretId).not.toBe(first.secretId);
      expect(await status(second.secretId)).toBe(200);
      expect([generated(), revoked()]).toEqual([2, hasLeases() ? 1 : 0]);
      // A token without a lease cannot be revoked.
      expect(await status(first.secretId)).toBe(hasLeases() ? 403 : 200);

      if (hasLeases()) {
        await outOfBand("PUT", "sys/leases/revoke", { lease_id: second.leaseId, sync: true });
        expect((await project.refresh()).output).toMatch(/- 1 deleted/);
        expect((await project.up()).output).toMatch(/\+ 1 created/);
      }
      const last = await project.outputs();
      expect(await status(last.secretId)).toBe(200);
      const destroyed = await project.destroy();
      expect(await status(last.secretId)).toBe(hasLeases() ? 403 : 200);
      expect(destroyed.output.includes(` token ${last.accessorId}: `)).toBe(!hasLeases());
      expect(project.stored() + destroyed.output).not.toContain(String(last.secretId));
    } finally {
      await gateway.close();
    }
  });

  test("a token that moves to another mount is revoked at the old mount", async () => {
    const { newMount, scheduler } = current();
    const at = (mount: string): Story =>
      project.program(`
        const mount = ${JSON.stringify(mount)};
        const access = new secrets.SchedulerAccess("access", { address: ${JSON.stringify(scheduler.address)}, token: process.env.STEWARD_SCHEDULER_TOKEN, mount });
        const role = new secrets.SchedulerRole("readers", { name: "readers", policies: ["readonly"], mount }, { dependsOn: access });
        const token = new secrets.SchedulerToken("token", { role: role.name, mount }, { dependsOn: access });
        exports.secretId = token.secretId;`);
    await at(await newMount()).up();
    const first = await project.outputs();
    await at(await newMount()).up();
    const second = await project.outputs();
    expect([await status(first.secretId), await status(second.secretId)]).toEqual([hasLeases() ? 403 : 200, 200]);
    await project.destroy();
  });

  test("the example token-rotation gives a job a new token each month and revokes the old one after the deployment", async () => {
    const { scheduler } = current();
    project.example("token-rotation");
    const file = join(project.folder, "program/job.json");
    const job = JSON.parse(readFileSync(file, "utf8"));
    job.ID = job.Name = `watcher-${process.pid}-${hasLeases()}`;
    // Nomad's mock driver needs no program, and the task is healthy at once.
    Object.assign(job.TaskGroups[0].Tasks[0], { Driver: "mock_driver", Config: { run_for: "1h" } });
    Object.assign(job.Update, { MinHealthyTime: 1e8 });
    writeFileSync(file, JSON.stringify(job));
    await project.set("schedulerAddress", scheduler.address);
    project.with({ NOMAD_MANAGEMENT_TOKEN: scheduler.token });
    const deployed = async (month: string): Promise<{ accessor: string; token: string }> => {
      await project.set("month", month);
      const { output } = await project.up();
      expect(output).toMatch(new RegExp(`"${job.ID}": successful\\b.* watcher 1 of 1 `));
      const { accessor, deployed } = await project.outputs();
      expect(deployed).toBe("successful");
      const header = hasLeases() ? "X-Nomad-Token" : "X-Scheduler-Token";
      const held = await fetch(`${scheduler.address}/v1/job/${job.ID}`, { headers: { [header]: scheduler.token } });
      const token = (await held.json()).TaskGroups[0].Tasks[0].Env.NOMAD_TOKEN;
      return { accessor: String(accessor), token };
    };
    const first = await deployed("2026-01");
    expect(await status(first.token)).toBe(200);
    await project.expectConverged();
    const second = await deployed("2026-02");
    expect(second.accessor).not.toBe(first.accessor);
    expect(await status(second.token)).toBe(200);
    expect(await status(first.token)).toBe(hasLeases() ? 403 : 200);
    await project.destroy();
    expect(await status(second.token)).toBe(hasLeases() ? 403 : 200);
  });
});
