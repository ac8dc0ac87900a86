import { randomBytes } from "node:crypto";
import { call } from "../../support/call";
import { Engine } from "../../support/engine";
import { InProcessProject } from "../../support/in-process-project";
import { printed } from "../../support/printed";
import { expectRefused, refusal } from "../../support/refusal";
import { atNewMount, onEachTarget, targets } from "../../support/target";

const vaults = targets.filter(({ name }) => !name.includes("standard"));
const newPath = (): string => `test/${randomBytes(6).toString("hex")}`;

onEachTarget(
  "SchedulerEngine",
  (current) => {
    const engine = (more?: object): Engine => new Engine("secrets:SchedulerEngine", current().config(more));
    const held = async (mount: string): Promise<Record<string, unknown> | undefined> =>
      (await current().outOfBand("GET", `sys/mounts/${mount}`)).data;

    /** Generates a token of a management role at a new mount, and returns its secret and its lease. */
    async function tokenAt(mount: string): Promise<{ secret: string; seconds: number }> {
      const { outOfBand, scheduler, address, token } = current();
      await outOfBand("POST", `${mount}/config/access`, scheduler);
      await outOfBand("POST", `${mount}/role/operator`, { type: "management" });
      const { json } = await call({ url: address, token }, "GET", `/v1/${mount}/creds/operator`);
      return { secret: json.data.secret_id, seconds: json.lease_duration };
    }
    const works = async (secret: string): Promise<boolean> =>
      (await call({ url: current().scheduler.address, token: secret }, "GET", "/v1/jobs")).status === 200;

    test("an engine that exists is refused, compared or adopted, and keeps what the program does not declare", async () => {
      const { outOfBand, mount } = await atNewMount(current());
      await outOfBand("POST", `sys/mounts/${mount}/tune`, { description: "theirs", default_lease_ttl: "1h" });
      const ours = { description: "ours", mount };
      const exists = (rule: string): Error => refusal("ERR_ALREADY_EXISTS", { rule });
      await expectRefused(engine().up(ours), exists("exists"), `"${mount}"`, "adopt: true", "deleteBeforeReplace: true");
      await expectRefused(engine().up({ ...ours, adopt: "unchanged" }), exists("differs"), 'description: "theirs" -> "ours"');
      expect([(await held(mount))?.description, printed]).toEqual(["theirs", []]);
      const resource = engine();
      expect(await resource.up({ ...ours, adopt: true })).toBe("create");
      expect(printed).toEqual([expect.stringContaining('adoption changes description: "theirs" -> "ours"')]);
      expect(resource.outputs()).toMatchObject({ description: "ours", defaultLeaseTtl: 3600, maxLeaseTtl: 0 });
      await outOfBand("POST", `sys/mounts/${mount}/tune`, { default_lease_ttl: "2h" });
      expect(await resource.refresh()).toEqual([]);
      expect(await resource.up({ mount, maxLeaseTtl: "3h" })).toBe("update");
      expect(printed.at(-1)).toContain("adoption changes maxLeaseTtl: 0 -> 10800");
      expect(await held(mount)).toMatchObject({ description: "ours", config: { default_lease_ttl: 7200, max_lease_ttl: 10800 } });
    });

    test("another kind of engine is named, and stays", async () => {
      const { outOfBand, sandbox } = current();
      const other = refusal("ERR_REJECTED", { rule: "other-engine" });
      for (const adopt of [false, true])
        await expectRefused(engine().up({ mount: "cubbyhole", adopt }), other, '"cubbyhole"', 'type "cubbyhole"');
      if (sandbox) return;
      const mount = newPath();
      const resource = engine();
      await resource.up({ mount, destroyOnDelete: true });
      await outOfBand("DELETE", `sys/mounts/${mount}`);
      await outOfBand("POST", `sys/mounts/${mount}`, { type: "kv" });
      for (const operation of [() => resource.refresh(), () => resource.destroy()]) await expectRefused(operation(), other, 'type "kv"');
      expect(await held(mount)).toMatchObject({ type: "kv" });
    });

    test("a deletion leaves the engine and says so, and with destroyOnDelete it revokes every token of the mount", async () => {
      const mount = newPath();
      const [first, resource] = [engine(), engine()];
      await first.up({ mount, maxLeaseTtl: "2h" });
      const { secret, seconds } = await tokenAt(mount);
      expect([seconds, await works(secret)]).toEqual([7200, true]);
      await first.destroy();
      expect(printed).toEqual([expect.stringMatching(`"${mount}": not disabled, because destroyOnDelete is not set`)]);
      expect([(await held(mount))?.type, await works(secret)]).toEqual(["nomad", true]);

      await resource.up({ mount, adopt: true });
      expect(await resource.up({ mount, destroyOnDelete: true })).toBe("update");
      expect(printed.at(-1)).toContain("will revoke every token of this mount at once");
      await resource.destroy();
      expect([await held(mount), await works(secret)]).toEqual([undefined, false]);
    });

    test("an engine that cannot revoke its tokens stays in the state, with a remedy", async () => {
      const mount = newPath();
      const resource = engine();
      await resource.up({ mount, destroyOnDelete: true });
      await tokenAt(mount);
      await current().outOfBand("DELETE", `${mount}/config/access`);
      const lost = refusal("ERR_REJECTED", { method: "DELETE", status: 400 });
      await expectRefused(resource.destroy(), lost, "failed to revoke", `vault lease revoke -force -prefix ${mount}/`);
      expect(resource.state).toBeDefined();
    });

    test("a default TTL above the maximum is an invalid input", async () => {
      const problems = (defaultLeaseTtl: string, maxLeaseTtl: number): Promise<string[]> =>
        engine().problems({ defaultLeaseTtl, maxLeaseTtl });
      expect(await problems("2h", 3600)).toEqual(["defaultLeaseTtl: longer-than-max"]);
      expect([await problems("1h", 3600), await problems("1h", 0)]).toEqual([[], []]);
    });

    test("one program creates the engine, its access and a role in this order, also at an unknown mount, and removes them in reverse", async () => {
      const { config, sandbox, scheduler } = current();
      const mount = newPath();
      const project = new InProcessProject({ MANAGEMENT: scheduler.token }).config(config());
      project.program(`
        const path = pulumi.runtime.isDryRun() ? pulumi.output(pulumi.unknown ?? require("@pulumi/pulumi/output").unknown) : "${mount}";
        const engine = new secrets.SchedulerEngine("engine", { mount: path, destroyOnDelete: true });
        const access = new secrets.SchedulerAccess("access", { address: "${scheduler.address}", token: { env: "MANAGEMENT" }, mount: engine.mount });
        new secrets.SchedulerRole("web", { name: "web", policies: ["web"], mount: engine.mount }, { dependsOn: access });
        new secrets.SchedulerLease("lease", { ttl: "1h", mount: engine.mount });
        exports.mount = engine.mount;`);
      const sent = (): string[] | undefined =>
        sandbox?.requests().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path.replace(mount, "*")}`]));
      const preview = await project.preview();
      expect(preview.output).toMatch(/^mount *: \[unknown\]$/m);
      const before = sent()?.length ?? 0;
      await project.up();
      expect(await project.outputs()).toMatchObject({ mount });
      const access = "POST /v1/*/config/access";
      const created = sent()?.slice(before);
      if (created)
        expect(created.filter((request) => !request.endsWith("lease"))).toEqual(["POST /v1/sys/mounts/*", access, "POST /v1/*/role/web"]);
      await project.destroy();
      expect(await held(mount)).toBeUndefined();
      const [role, , last] = ["DELETE /v1/*/role/web", "", "DELETE /v1/sys/mounts/*"];
      const removed = sent()?.slice(before + 4);
      if (removed)
        expect([removed.indexOf(role) < removed.indexOf(access.replace("POST", "DELETE")), removed.at(-1)]).toEqual([true, last]);
    });
  },
  vaults,
);

test("the dialect standard has no engine", async () => {
  const config = { "steward:default": { secrets: { address: "http://127.0.0.1:9", token: "t", dialect: "standard" } } };
  expect(await new Engine("secrets:SchedulerEngine", config).problems({})).toEqual(["dialect"]);
});
