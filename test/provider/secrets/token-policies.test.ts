import { sandboxOfTest } from "../../sandbox/sandbox";
import { configOf } from "../../support/context";
import { Engine } from "../../support/engine";
import "../../support/printed";
import { refusal } from "../../support/refusal";

const start = sandboxOfTest();

test.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("a scheduler that creates tokens only for existing policies names missing ones (%s)", async (dialect, mount) => {
  const sandbox = await start({ dialect, tokensNeedKnownPolicies: true });
  const { scheduler } = sandbox;
  const engine = (type: string): Engine => new Engine(`secrets:${type}`, configOf({ sandbox, dialect }));
  await engine("SchedulerAccess").up({ address: scheduler.url, token: scheduler.token });
  await engine("SchedulerRole").up({ name: "web", policies: ["readonly", "deploy", "logs"] });
  const token = engine("SchedulerToken");
  const refused = token.up({ role: "web" });
  await expect(refused).rejects.toThrow(refusal("ERR_SERVER", { method: "GET", path: `/v1/${mount}/creds/web`, status: 500 }));
  // The scheduler's own reason.
  await expect(refused).rejects.toThrow("policies not found: deploy, logs");
  expect(token.state).toBeUndefined();
  scheduler.seed({ policies: [{ name: "deploy" }, { name: "logs" }] });
  expect(await token.up({ role: "web" })).toBe("create");
});
