import { type Sandbox, start } from "../../../sandbox/index";
import { Engine } from "../../support/engine";
import "../../support/printed";
import { refusal } from "../../support/refusal";

describe.each([
  ["standard", "scheduler"],
  ["hashicorp", "nomad"],
] as const)("a scheduler that makes tokens only for policies that exist (%s)", (dialect, mount) => {
  let sandbox: Sandbox;
  const engine = (token: string): Engine => {
    const { url: address, token: own } = sandbox.secrets;
    return new Engine(token, { "steward:default": { secrets: { address, token: own, dialect } } });
  };
  async function begin(tokensNeedKnownPolicies: boolean): Promise<void> {
    sandbox = await start({ dialect, tokensNeedKnownPolicies });
    const { url: address, token } = sandbox.scheduler;
    await engine("secrets:SchedulerAccess").up({ address, token });
    await engine("secrets:SchedulerRole").up({ name: "web", policies: ["readonly", "deploy", "logs"] });
  }
  afterEach(() => sandbox.close());

  test("refuses the token of a role with unknown policies, says which, and takes it when they exist", async () => {
    await begin(true);
    const token = engine("secrets:SchedulerToken");
    const refused = token.up({ role: "web" });
    await expect(refused).rejects.toThrow(refusal("ERR_SERVER", { method: "GET", path: `/v1/${mount}/creds/web`, status: 500 }));
    // The scheduler's own reason.
    await expect(refused).rejects.toThrow("policies not found: deploy, logs");
    expect(token.state).toBeUndefined();
    sandbox.scheduler.seed({ policies: [{ name: "deploy" }, { name: "logs" }] });
    expect(await token.up({ role: "web" })).toBe("create");
  });

  test("makes it without the option, as Nomad does", async () => {
    await begin(false);
    expect(await engine("secrets:SchedulerToken").up({ role: "web" })).toBe("create");
  });
});
