import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { Engine } from "../../support/engine";
import { startGateway } from "../../support/gateway";
import "../../support/printed";
import { refusal } from "../../support/refusal";
import { onEachTarget } from "../../support/target";

// The table in test/troubles has the rest. Here are the errors, and one order of requests. `remembers` continues the process of the step before.

const remembers = { remembers: true };

onEachTarget("one owner for each object", (current) => {
  const engine = (type: string, config = current().config()): Engine => new Engine(`secrets:${type}`, config);
  const cases = [
    { type: "SchedulerRole", inputs: { name: "web", policies: ["a"] } },
    { type: "SchedulerRoles", inputs: { roles: { web: { policies: ["a"] }, site: { policies: ["a"] } } } },
    { type: "SchedulerAccess", inputs: { address: "http://127.0.0.1:4646", token: "canary-management" } },
    { type: "SchedulerLease", inputs: { ttl: "1h" } },
  ];
  test.each(cases)("$type: the second creation of the same object in one run fails, also with adopt", async ({ type, inputs }) => {
    for (const more of [{}, { adopt: true }]) {
      const declared = { ...inputs, ...more, mount: await current().newMount() };
      const [one, two] = [engine(type), engine(type)];
      clearCache();
      const outcomes = await Promise.allSettled([one.up(declared, remembers), two.up(declared, remembers)]);
      const failed = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect(failed).toEqual([refusal("ERR_ALREADY_EXISTS", { rule: "declared-twice" })]);
    }
  });

  test("a role is written only after its pending removal from a set has a response", async () => {
    const mount = await current().newMount();
    const rolesOf = (...names: string[]): object => Object.fromEntries(names.map((name) => [name, { policies: ["p"] }]));
    const set = (...names: string[]): Record<string, unknown> => ({ roles: rolesOf(...names), mount, adopt: true });
    const held = async (): Promise<unknown> => (await current().outOfBand("GET", `${mount}/role?list=true`)).data?.keys;
    const gateway = await startGateway(current().address);
    try {
      const config = current().config({ address: gateway.url });
      const [roleSet, single] = [engine("SchedulerRoles", config), engine("SchedulerRole", config)];
      await roleSet.up(set("a", "b", "c"));
      clearCache();
      let created: Promise<unknown> | undefined;
      gateway.interrupt = ({ method }) => {
        if (method !== "DELETE") return undefined;
        gateway.interrupt = undefined;
        // The request is lost and sent again.
        return {
          when: "before",
          act: async () => {
            created = single.up({ name: "a", policies: ["p"], mount, adopt: true }, remembers);
            // This is enough time for a creation that does not wait.
            for (let look = 0; look < 5; look++) await held();
          },
        };
      };
      await roleSet.up(set("b", "c"), remembers);
      await created;
      expect(await held()).toEqual(["a", "b", "c"]);
      const writes = gateway.requests
        .filter(({ method, path }) => method !== "GET" && path.endsWith("/role/a"))
        .map(({ method }) => method);
      expect(writes.slice(-2)).toEqual(["DELETE", "POST"]);
    } finally {
      await gateway.close();
    }
  });
});
