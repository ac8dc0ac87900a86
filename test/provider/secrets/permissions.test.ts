import { call } from "../../support/call";
import { Engine } from "../../support/engine";
import { blocks, pageOf } from "../../support/pages";
import "../../support/printed";
import { onEachTarget, targets } from "../../support/target";

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
  SchedulerToken: [{ role: "minting" }],
};

const vaults = targets.filter(({ name }) => !name.includes("standard"));

onEachTarget(
  "a token that has only the policy on the page of",
  (current) => {
    test.each(Object.entries(lives))("%s manages it, and reads no other path", async (type, [first, second]) => {
      const { address, token, scheduler, config, outOfBand, newMount } = current();
      const mount = await newMount();
      if (type === "SchedulerToken") {
        await outOfBand("POST", `${mount}/config/access`, scheduler);
        await outOfBand("POST", `${mount}/role/minting`, { type: "management" });
      }
      const [policy = ""] = blocks(pageOf(`secrets.${type}`), "hcl");
      const name = mount.replaceAll("/", "-");
      expect((await outOfBand("PUT", `sys/policies/acl/${name}`, { policy: policy.replaceAll('"nomad/', `"${mount}/`) })).status).toBe(204);
      const body = { policies: [name], no_default_policy: true, ttl: "1h" };
      const { json } = await call({ url: address, token }, "POST", "/v1/auth/token/create", body);
      const own = json.auth.client_token;

      const resource = new Engine(`secrets:${type}`, config({ token: own }));
      expect(await resource.up({ ...first, mount })).toBe("create");
      if (second) expect(await resource.up({ ...second, mount })).toBe("update");
      expect(await resource.refresh()).toEqual([]);
      await resource.destroy();

      const other = type === "SchedulerLease" ? "access" : "lease";
      expect(await call({ url: address, token: own }, "GET", `/v1/${mount}/config/${other}`)).toMatchObject({ status: 403 });
    });
  },
  vaults,
);
