import { startVaultCluster } from "../support/nodes";
import { randomly } from "../troubles/rekey/random";
import "../support/printed";
import { startProxy } from "../support/proxy";
import { inputsFrom, RekeyStack } from "../support/rekey";
import { until } from "../support/until";

// A rekey of a cluster of three nodes, through a load balancer that picks any of them.

let cluster: Awaited<ReturnType<typeof startVaultCluster>>;
beforeAll(async () => {
  cluster = await startVaultCluster();
});
const random = randomly(1);
let balancer: Awaited<ReturnType<typeof startProxy>>;
afterEach(() => balancer.close());

/** Starts the balancer, which passes each request with these headers to any node, and returns a rekey. */
async function balanced(headers: Record<string, string>): Promise<RekeyStack> {
  const { addresses, token } = cluster;
  balancer = await startProxy(async () => ({ address: addresses[Math.floor(random() * addresses.length)] as string, headers }));
  return new RekeyStack({ "steward:default": { secrets: { address: balancer.url, token, dialect: "hashicorp" } } });
}

/** Makes the active node a standby, which loses the attempt. */
const failOver = (): Promise<void> =>
  until("the active node steps down", async () => {
    const headers = { "x-vault-token": cluster.token, "x-vault-no-request-forwarding": "true" };
    const stepDown = (address: string): Promise<Response> =>
      fetch(`${address}/v1/sys/step-down`, { method: "PUT", headers, redirect: "manual" });
    const responses = await Promise.all(cluster.addresses.map(stepDown));
    return responses.some(({ status }) => status === 204);
  });

test("a rekey completes in one run while standbys redirect", async () => {
  const stack = await balanced({ "x-vault-no-request-forwarding": "true" });
  await stack.up(inputsFrom(cluster.keys));
  expect([stack.outputs.complete, [...balancer.statuses].sort()]).toEqual([true, [200, 307]]);
  cluster.keys = stack.outputs.shares;
});

test("after each failover, a run continues from the cluster's status, and the rekey completes", async () => {
  const stack = await balanced({});
  const inputs = inputsFrom(cluster.keys, { secretShares: 5, secretThreshold: 3 });
  await stack.up(inputs, "attempt");
  await failOver();
  expect(await stack.stops(inputs)).toBe("rekey/attempt-restarted");
  await stack.up(inputs, "shares");
  await failOver();
  expect(await stack.stops(inputs)).toBe("rekey/outcome-unknown");
  expect(await stack.stops(inputs)).toBe("rekey/not-committed");
  await stack.up({ ...inputs, triggers: ["2"] });
  expect(stack.outputs).toMatchObject({ complete: true, shares: { length: 5 } });
});
