import { call } from "../../support/call";
import { Engine } from "../../support/engine";
import { engineResources } from "../../support/engine-resources";
import { blocks, pageOf } from "../../support/pages";
import "../../support/printed";
import { atNewMount, onEachTarget, policyFor, targets } from "../../support/target";

const vaults = targets.filter(({ name }) => !name.includes("standard"));

onEachTarget(
  "a token that has only the policy on the page of",
  (current) => {
    const lives = [
      ...engineResources,
      { type: "SchedulerToken", inputs: { role: "deploy" }, changed: undefined },
      { type: "SchedulerEngine", inputs: { destroyOnDelete: true }, changed: { destroyOnDelete: true, description: "other" } },
    ];
    test.each(lives)("$type manages it, and reads no other path", async ({ type, inputs, changed }) => {
      const { address, token, scheduler, config, outOfBand, mount } = await atNewMount(current());
      if (type === "SchedulerToken") {
        await outOfBand("POST", `${mount}/config/access`, scheduler);
        await outOfBand("POST", `${mount}/role/deploy`, { type: "management" });
      }
      const [policy = ""] = blocks(pageOf(`secrets.${type}`), "hcl");
      const name = mount.replaceAll("/", "-");
      if (type === "SchedulerEngine") await outOfBand("DELETE", `sys/mounts/${mount}`);
      const own = policyFor(current(), policy.replaceAll(/("|sys\/mounts\/)nomad(?=["/])/g, `$1${mount}`));
      expect((await outOfBand("PUT", `sys/policies/acl/${name}`, { policy: own })).status).toBe(204);
      const body = { policies: [name], no_default_policy: true, ttl: "1h" };
      const { json } = await call({ url: address, token }, "POST", "/v1/auth/token/create", body);
      const limited = json.auth.client_token;

      const resource = new Engine(`secrets:${type}`, config({ token: limited }));
      expect(await resource.up({ ...inputs, mount })).toBe("create");
      if (changed) expect(await resource.up({ ...changed, mount })).toBe("update");
      expect(await resource.refresh()).toEqual([]);
      await resource.destroy();

      const other = type === "SchedulerLease" ? "access" : "lease";
      expect(await call({ url: address, token: limited }, "GET", `/v1/${mount}/config/${other}`)).toMatchObject({ status: 403 });
      if (type !== "SchedulerToken" || current().sandbox) return;
      const ofOtherRole = { lease_id: `${mount}/creds/other/x`, sync: true };
      expect(await call({ url: address, token: limited }, "PUT", "/v1/sys/leases/revoke", ofOtherRole)).toMatchObject({ status: 403 });
    });
  },
  vaults,
);
