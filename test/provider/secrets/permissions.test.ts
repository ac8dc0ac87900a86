import { call } from "../../support/call";
import { Engine } from "../../support/engine";
import { blocks, pageOf } from "../../support/pages";
import "../../support/printed";
import { atNewMount, onEachTarget, policyFor, targets } from "../../support/target";

type Inputs = Record<string, unknown>;

/** The first and the later inputs of each resource. Without the second, each change replaces it. */
const lives: Record<string, [first: Inputs, second?: Inputs]> = {
  SchedulerAccess: [
    { address: "http://127.0.0.1:1", token: "one" },
    { address: "http://127.0.0.1:2", token: "one" },
  ],
  SchedulerLease: [{ ttl: "1h" }, { ttl: "2h", maxTtl: "3h" }],
  SchedulerRole: [
    { name: "web", policies: ["readonly"] },
    { name: "web", policies: ["other"] },
  ],
  SchedulerRoles: [
    { roles: { one: { policies: ["a"] }, two: { policies: ["a"] } } },
    { roles: { one: { policies: ["b"] }, three: { policies: ["a"] } } },
  ],
  SchedulerToken: [{ role: "deploy" }],
};

const vaults = targets.filter(({ name }) => !name.includes("standard"));

onEachTarget(
  "a token that has only the policy on the page of",
  (current) => {
    test.each(Object.entries(lives))("%s manages it, and reads no other path", async (type, [first, second]) => {
      const { address, token, scheduler, config, outOfBand, mount } = await atNewMount(current());
      if (type === "SchedulerToken") {
        await outOfBand("POST", `${mount}/config/access`, scheduler);
        await outOfBand("POST", `${mount}/role/deploy`, { type: "management" });
      }
      const [policy = ""] = blocks(pageOf(`secrets.${type}`), "hcl");
      const name = mount.replaceAll("/", "-");
      const own = policyFor(current(), policy.replaceAll('"nomad/', `"${mount}/`));
      expect((await outOfBand("PUT", `sys/policies/acl/${name}`, { policy: own })).status).toBe(204);
      const body = { policies: [name], no_default_policy: true, ttl: "1h" };
      const { json } = await call({ url: address, token }, "POST", "/v1/auth/token/create", body);
      const limited = json.auth.client_token;

      const resource = new Engine(`secrets:${type}`, config({ token: limited }));
      expect(await resource.up({ ...first, mount })).toBe("create");
      if (second) expect(await resource.up({ ...second, mount })).toBe("update");
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
