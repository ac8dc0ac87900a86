import { clearCache } from "../../../provider/engine/dynamic-runtime";
import { start } from "../../../sandbox/index";
import { configOf } from "../../support/context";
import { Declaration, Deployment, Secret } from "../../support/deployment";
import { limits, provider } from "../../support/limits";
import "../../support/printed";
import { onEachTarget } from "../../support/target";

limits.maxRetries = 0;

onEachTarget("secrets during two partial updates in a row", (current) => {
  const deployment = (): Deployment =>
    new Deployment(() => {
      clearCache();
      return provider;
    }, current().config());
  const fault = (method: string, path: RegExp, action: "drop-before" | "drop-after", times = 10): void =>
    current().sandbox?.faults.add({ system: "secrets", method, path, action, times });

  const of = (mount: string, policies: unknown): Declaration => ({
    name: "r",
    type: "secrets:SchedulerRoles",
    secretOutputs: ["formerInputs"],
    inputs: { roles: { web: { policies } }, mount },
  });
  test("a set of roles stays encrypted after a lost response, and after a lost request that makes it plain", async () => {
    const mount = await current().newMount();
    const stack = deployment();
    const found: string[] = [];
    const look = (when: string): void => {
      for (const canary of ["canary-one", "canary-two"]) if (stack.stored().includes(canary)) found.push(`${canary} ${when}`);
    };
    await stack.up([of(mount, new Secret(["canary-one"]))]);
    look("created");
    fault("POST", /role\/web/, "drop-after", 5);
    await stack.up([of(mount, new Secret(["canary-two"]))]);
    look("after the first");
    current().sandbox?.faults.clear();
    fault("POST", /role\/web/, "drop-before", 5);
    await stack.up([of(mount, ["plain"])]);
    look("after the second");
    current().sandbox?.faults.clear();
    await stack.refresh();
    look("after the refresh");
    await stack.refresh();
    look("after another refresh");
    await stack.preview([of(mount, ["plain"])]);
    const ending = await stack.up([of(mount, ["plain"])]);
    look("after the last");
    expect([found, ending.succeeded]).toEqual([[], true]);
  });
});

test("the first secret of settings stays encrypted after two partial updates", async () => {
  const sandbox = await start({ dialect: "hashicorp" });
  try {
    const stack = new Deployment(
      () => {
        clearCache();
        return provider;
      },
      configOf({ sandbox, dialect: "hashicorp" }),
    );
    const of = (url: unknown): Declaration[] => [
      {
        name: "saml",
        type: "platform:SamlSettings",
        secretOutputs: ["formerInputs", "originalValues", "serverNormalized", "sent", "privateKey"],
        inputs: { ssoEndpointUrl: url },
      },
    ];
    const found: string[] = [];
    const look = (when: string): void => {
      for (const canary of ["canary-one", "canary-two"]) if (stack.stored().includes(canary)) found.push(`${canary} ${when}`);
    };
    const fault = (method: string, action: "drop-before" | "drop-after", nth = 1): void =>
      sandbox.faults.add({ system: "platform", method, path: /saml-settings/, action, nth, times: 9 });
    const first = await stack.up(of(new Secret("https://canary-one.example/sso")));
    expect(first.errors).toEqual([]);
    fault("PATCH", "drop-after");
    fault("GET", "drop-before");
    await stack.up(of(new Secret("https://canary-two.example/sso")));
    sandbox.faults.clear();
    look("after the first");
    fault("PATCH", "drop-before");
    fault("GET", "drop-before", 2);
    const second = await stack.up(of("https://plain.example/sso"));
    expect(second.succeeded).toBe(false);
    sandbox.faults.clear();
    look("after the second");
    await stack.refresh();
    look("after the refresh");
    expect(found).toEqual([]);
  } finally {
    await sandbox.close();
  }
});
