import { StewardError } from "../../../provider/errors";
import { adminWorkspace } from "../../../provider/platform/admin-workspace";
import { connectTo } from "../../support/connection";
import { limits } from "../../support/limits";
import { onEachPlatform } from "../../support/platform";
import { refusal } from "../../support/refusal";
import { until } from "../../support/until";

const id = "ws-acmeNetworkProd";

onEachPlatform("a workspace, destroyed while the platform limits the rate of requests,", (current) => {
  const limit = (retryAfter: string, times = 1): void =>
    current().fault(/./, { method: "DELETE", status: 429, headers: { "retry-after": retryAfter }, times });

  test("waits after a 429, and is read again before it is destroyed", async () => {
    const { engine, requests } = current();
    const workspace = engine("AdminWorkspace");
    await workspace.up({ workspaceId: id, destroyOnDelete: true });
    limit("0");
    const [read, write] = [`GET workspaces/${id}`, `DELETE workspaces/${id}`];
    expect(await requests(() => workspace.destroy())).toEqual([write, write, read, read]);
  });

  test.each([
    ["locked", { name: "network-prod", organization: "acme", locked: true }],
    ["renamed", { name: "database-prod", organization: "acme" }],
  ])("that was %s during the wait is not destroyed", async (rule, changed) => {
    const { engine, requests, sandbox, service } = current();
    const workspace = engine("AdminWorkspace");
    await workspace.up({ workspaceId: id, destroyOnDelete: true });
    limit("0.3");
    const sent = await requests(async () => {
      const destruction = expect(workspace.destroy()).rejects.toThrow(refusal("ERR_REJECTED", { rule }));
      await until("the deletion", () => sandbox.requests().some(({ method }) => method === "DELETE"));
      service.seed({ workspaces: [{ id, ...changed }] });
      await destruction;
    });
    expect(sent).toEqual([`DELETE workspaces/${id}`, `GET workspaces/${id}`, `GET workspaces/${id}`]);
  });

  test("is neither destroyed nor read again if Pulumi has ended during the wait", async () => {
    const { service, dialect, requests, outOfBand } = current();
    let answers = 1;
    const assertAlive = async (): Promise<void> => {
      if (answers-- === 0) throw new StewardError({ code: "ERR_ENGINE_GONE", reason: "gone" });
    };
    const engine = { assertAlive, savesEachStep: true };
    const operation = connectTo("platform", { address: service.url, token: service.token, dialect }, { engine });
    limit("0");
    const state = { workspaceId: id, name: "network-prod", organization: "acme", destroyOnDelete: true };
    const destroy = (): Promise<unknown> => Promise.resolve(adminWorkspace.delete?.({ operation, state: state as never }));
    const sent = await requests(() => expect(destroy()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" }));
    expect(sent).toEqual([`DELETE workspaces/${id}`, `GET workspaces/${id}`]);
    expect((await outOfBand("GET", `/api/v2/admin/workspaces/${id}`)).status).toBe(200);
  });

  test("is not retried beyond one deadline for all attempts", async () => {
    const { engine, requests } = current();
    const workspace = engine("AdminWorkspace");
    await workspace.up({ workspaceId: id, destroyOnDelete: true });
    limit("2", Number.POSITIVE_INFINITY);
    // The deadline allows one wait, but not a second.
    const deadline = jest.replaceProperty(limits, "deadline", 3_900);
    const sent = await requests(() => expect(workspace.destroy()).rejects.toThrow(refusal("ERR_RATE_LIMITED", { status: 429 })));
    deadline.restore();
    expect(sent.filter((each) => each.startsWith("DELETE"))).toHaveLength(2);
    expect(workspace.state).toBeDefined();
  });

  test("is destroyed in parallel with forty others", async () => {
    const { engine, service, sandbox, change, outOfBand } = current();
    const ids = Array.from({ length: 40 }, (_, index) => `ws-many${index}`);
    service.seed({ workspaces: ids.map((each) => ({ id: each, name: each, organization: "many" })) });
    const workspaces = ids.map(() => engine("AdminWorkspace"));
    await Promise.all(workspaces.map((workspace, index) => workspace.up({ workspaceId: ids[index], destroyOnDelete: true })));
    await change("general", { apiRateLimitingEnabled: true });
    const ends = await Promise.allSettled(workspaces.map((workspace) => workspace.destroy()));
    expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
    // Ends the second in which the platform counts requests.
    sandbox.clock.advance(1_000);
    expect((await outOfBand("GET", "/api/v2/admin/workspaces?q=many")).body.data).toEqual([]);
  });
});
