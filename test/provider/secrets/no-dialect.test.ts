import { setAllConfig } from "@pulumi/pulumi/runtime/config";
import { platform, StewardError, scheduler, secrets } from "../../../provider";
import { sandboxOfTest } from "../../sandbox/sandbox";
import { Engine } from "../../support/engine";
import { collect } from "../../support/scheduler";
import { onEachTarget, targets } from "../../support/target";

// A configuration without `dialect` whose server is not one of the API specification.

afterEach(() => setAllConfig({}));

const failureOf = (operation: () => Promise<unknown>): Promise<StewardError> =>
  operation().then(
    () => Promise.reject(new Error("it succeeded")),
    (error) => error,
  );
/** The beginning of the hint. */
const first = (name: string, system: string, dialects: string): string =>
  `. The server responds like ${name}. If it is ${name}, first set the dialect of ${system} in steward:default to ${dialects}.`;
const mountMissing = "No scheduler secrets engine is mounted";

onEachTarget(
  "a configuration without a dialect",
  (current) => {
    const config = (dialect?: string, token?: string): Record<string, object> => ({
      "steward:default": {
        secrets: { address: current().address, token: token ?? current().token, dialect },
        scheduler: { ...current().scheduler, dialect },
      },
    });
    const vault = first("Vault or OpenBao", "secrets", '"hashicorp" or "openbao"');

    test.each([
      ["SchedulerRole", { name: "web", policies: ["readonly"] }],
      ["SchedulerRoles", { roles: { web: { policies: ["readonly"] } } }],
      ["SchedulerAccess", { address: "http://127.0.0.1:4646", token: "t" }],
      ["SchedulerLease", { ttl: 60 }],
      ["SchedulerToken", { role: "web" }],
    ])("a create of %s on Vault names the dialect first, and no mount or policy", async (type, inputs) => {
      const { code, message } = await failureOf(() => new Engine(`secrets:${type}`, config()).up(inputs));
      expect(code).toBe("ERR_FORBIDDEN");
      expect(message).toContain(`403)${vault} Check the token`);
      expect(message).not.toContain(mountMissing);
    });

    test("functions on Vault and Nomad name the dialect first", async () => {
      setAllConfig({ "steward:default": JSON.stringify(config()["steward:default"]) });
      expect((await failureOf(() => secrets.listSchedulerRoles())).message).toContain(vault);
      const nomad = first("Nomad", "scheduler", '"hashicorp"');
      expect((await failureOf(() => collect(scheduler.listJobs()))).message).toContain(nomad);
      expect((await failureOf(() => scheduler.getAgentMembers())).message).toContain(nomad);
    });

    test.each(["standard", "hashicorp"])("a rejected token with the dialect %s does not", async (dialect) => {
      const { message } = await failureOf(() => new Engine("secrets:SchedulerLease", config(dialect, "s.wrong")).up({ ttl: 60 }));
      expect(message).toContain("403). Check the token");
    });
  },
  targets.filter(({ name }) => !name.includes("standard")),
);

const start = sandboxOfTest();
test("a 403 of a server that has accepted the token names no dialect", async () => {
  const { secrets: service, faults } = await start({ dialect: "standard" });
  const { url: address, token } = service;
  setAllConfig({ "steward:default": JSON.stringify({ secrets: { address, token } }) });
  const denied = { system: "secrets", path: /role/, action: "respond", status: 403, body: '{"errors":["permission denied"]}' } as const;
  const role = new Engine("secrets:SchedulerRole", { "steward:default": { secrets: { address, token } } });
  await role.up({ name: "web", policies: ["a"] });
  faults.add({ ...denied, method: "POST" });
  expect((await failureOf(() => role.up({ name: "web", policies: ["b"] }))).message).toContain("403). The server responds like Vault");
  faults.clear();
  faults.add({ ...denied, method: "POST" });
  expect((await failureOf(() => role.up({ name: "other", policies: ["a"] }))).message).toContain("403). Check the token");
});

test("Terraform Enterprise without a dialect fails at the first read, because it would ignore attributes", async () => {
  const sandbox = await start({ dialect: "hashicorp" });
  const { url: address, token } = sandbox.platform;
  const config = { "steward:default": { platform: { address, token } } };
  const hint = first("Terraform Enterprise", "platform", '"hashicorp"');
  const cost = new Engine("platform:CostEstimationSettings", config);
  const refused = await failureOf(() => cost.up({ cloudAAccessKeyId: "AKIA", cloudASecretKey: "canary" }));
  expect(refused).toMatchObject({ code: "ERR_UNEXPECTED_RESPONSE", details: { rule: "dialect" }, message: expect.stringContaining(hint) });
  setAllConfig({ "steward:default": JSON.stringify(config["steward:default"]) });
  expect((await failureOf(() => collect(platform.listWorkspaces()))).message).toContain(hint);
  expect(sandbox.requests().map(({ method }) => method)).toEqual(["GET", "GET"]);
});
