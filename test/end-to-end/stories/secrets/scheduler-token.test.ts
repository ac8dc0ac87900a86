import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

  const hasLeases = (): boolean => current().dialect === "hashicorp";
  async function status(secretId: unknown, path = "jobs"): Promise<number> {
    const header = hasLeases() ? "X-Nomad-Token" : "X-Scheduler-Token";
    return (await fetch(`${current().scheduler.address}/v1/${path}`, { headers: { [header]: String(secretId) } })).status;
  }

  test("a program lists with the token that it generates, which a preview does not know", async () => {
    const { scheduler, dialect } = current();
    const management = "new secrets.SchedulerAccess('access', { address: process.env.ADDRESS, token: { env: 'STEWARD_SCHEDULER_TOKEN' } })";
    project.with({ ADDRESS: scheduler.address, DIALECT: dialect }).program(`
      const access = ${management};
      const role = new secrets.SchedulerRole("reader", { name: "reader", policies: ["readonly"] }, { dependsOn: access });
      const token = new secrets.SchedulerToken("reader", { role: role.name }, { dependsOn: access });
      const { ADDRESS: address, DIALECT: dialect } = process.env;
      const nodes = scheduler.listNodes({ token: token.secretId, address, dialect });
      exports.nodes = pulumi.unsecret(nodes.output().apply((all) => all.length));
      exports.refused = pulumi.output(scheduler.registerJob({ token: token.secretId, job: { ID: "none", TaskGroups: [] } })
        .catch(({ code, details }) => code + " " + details.hint));
      (async () => { for await (const node of nodes) console.log("node: " + (node.ID.length > 0)); })();`);
    const { output } = await project.preview();
    expect(output).toMatch(/^nodes *: \[unknown\]$/m);
    expect(output.match(/this preview does not (list nodes|register job "none"), since/g)).toHaveLength(2);
    const up = await project.up();
    const { nodes, refused } = await project.outputs();
    expect([nodes, up.output.includes("node: true")]).toEqual([expect.any(Number), true]);
    expect(refused).toMatch(/^ERR_FORBIDDEN .*The token comes from the option token\.$/);
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
