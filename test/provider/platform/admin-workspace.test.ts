import { StewardError } from "../../../provider/contract/errors";
import { claimsOf } from "../../../provider/lifecycle/ownership";
import { adminWorkspace } from "../../../provider/platform/admin-workspace";
import { connectTo } from "../../support/connection";
import { Engine } from "../../support/engine";
import { limits } from "../../support/limits";
import { onEachPlatform, Platform } from "../../support/platform";
import { printed } from "../../support/printed";
import { refusal } from "../../support/refusal";
import { until } from "../../support/until";

const id = "ws-acmeNetworkProd";

async function destroyable({ engine }: Platform): Promise<Engine> {
  const workspace = engine("AdminWorkspace");
  await workspace.up({ workspaceId: id, destroyOnDelete: true });
  return workspace;
}

onEachPlatform("a workspace", (current) => {
  test("is adopted, followed by refresh, and left alone on delete without destroyOnDelete", async () => {
    const { engine, requests, service, outOfBand } = current();
    const workspace = engine("AdminWorkspace");
    await workspace.up({ workspaceId: id });
    expect(workspace.outputs()).toMatchObject({
      workspaceId: id,
      name: "network-prod",
      organization: "acme",
      locked: false,
      vcsRepoIdentifier: "acme/network",
      currentRunId: "run-acmeNetworkProd",
    });
    service.seed({ workspaces: [{ id, name: "renamed", organization: "acme", locked: true }] });
    expect(await workspace.refresh()).toEqual([]);
    expect(workspace.outputs()).toMatchObject({ name: "renamed", locked: true });
    expect(workspace.outputs().vcsRepoIdentifier).toBeUndefined();
    for (const destroyOnDelete of [true, false])
      expect(await requests(async () => expect(await workspace.up({ workspaceId: id, destroyOnDelete })).toBe("update"))).toEqual([]);
    expect(await requests(() => workspace.destroy())).toEqual([]);
    expect((await outOfBand("GET", `/api/v2/admin/workspaces/${id}`)).status).toBe(200);
  });

  test("warns in the preview and in the up that set destroyOnDelete to true, and never again", async () => {
    const { engine } = current();
    const warning = expect.stringMatching(/^warning: workspace "ws-acmeNetworkProd": destroyOnDelete: /);
    const inputs = { workspaceId: id, destroyOnDelete: true };
    for (const before of [undefined, { workspaceId: id }]) {
      const workspace = engine("AdminWorkspace");
      if (before) await workspace.up(before);
      expect(printed.splice(0)).toEqual([]);
      await workspace.preview(inputs);
      expect(printed.splice(0)).toEqual([warning]);
      await workspace.up(inputs);
      expect(printed.splice(0)).toEqual([warning]);
      await workspace.up(inputs);
      await workspace.refresh();
      await workspace.up({ ...inputs, destroyOnDelete: false });
      expect(printed.splice(0)).toEqual([]);
    }
  });

  test.each([
    ["locked", "locked", { name: "network-prod", organization: "acme", locked: true }, ""],
    ["renamed", "renamed", { name: "database-prod", organization: "acme" }, "acme/database-prod"],
    ["moved", "renamed", { name: "network-prod", organization: "globex" }, "globex/network-prod"],
  ])("is not destroyed after it was %s", async (_, rule, changed, name) => {
    const { requests, service } = current();
    const workspace = await destroyable(current());
    service.seed({ workspaces: [{ id, ...changed }] });
    const failure = { code: "ERR_REJECTED", details: { rule }, message: expect.stringContaining(name) };
    expect(await requests(() => expect(workspace.destroy()).rejects.toMatchObject(failure))).toEqual([`GET workspaces/${id}`]);
    expect(workspace.state).toBeDefined();
  });

  test("that no longer exists is destroyed", async () => {
    const { outOfBand, requests } = current();
    const workspace = await destroyable(current());
    await outOfBand("DELETE", `/api/v2/admin/workspaces/${id}`);
    // A 404 alone could also be the response to a token without administrator rights.
    const proof = ["GET general-settings", `GET workspaces/${id}`];
    if (current().dialect === "standard") proof.push("GET workspaces?page%5Bnumber%5D=1&page%5Bsize%5D=100");
    expect(await requests(() => workspace.destroy())).toEqual(proof);
  });

  test("does not count as deleted if the token has no administrator rights", async () => {
    const { engine, service, config } = current();
    const workspace = await destroyable(current());
    workspace.configure(config({ token: service.memberToken }));
    await expect(workspace.refresh()).rejects.toThrow(refusal("ERR_FORBIDDEN", { rule: "not-administrator", status: 404 }));
    await expect(workspace.destroy()).rejects.toThrow(refusal("ERR_FORBIDDEN", { rule: "not-administrator", status: 404 }));
    expect(workspace.state).toBeDefined();
    await expect(engine("AdminWorkspace").up({ workspaceId: "ws-none" })).rejects.toThrow(
      refusal("ERR_NOT_FOUND", { rule: "workspace-missing" }),
    );
  });

  test.each([500, 503])("is destroyed with a single request, also if it fails: %i", async (status) => {
    const { requests, fault } = current();
    const workspace = await destroyable(current());
    fault(/./, { method: "DELETE", status });
    const sent = await requests(() => expect(workspace.destroy()).rejects.toMatchObject({ method: "DELETE", status }));
    expect(sent).toEqual([`DELETE workspaces/${id}`, `GET workspaces/${id}`]);
  });

  test("is identified only by its ID", async () => {
    const { engine, requests } = current();
    const workspace = engine("AdminWorkspace");
    expect(await requests(() => expect(workspace.get("..")).rejects.toThrow(refusal("ERR_INVALID_INPUT")))).toEqual([]);
    await expect(workspace.get("ws-none")).rejects.toThrow(refusal("ERR_NOT_FOUND"));
  });
});

onEachPlatform("a workspace, destroyed while the platform limits the rate of requests,", (current) => {
  const limit = (retryAfter: string, times = 1): void =>
    current().fault(/./, { method: "DELETE", status: 429, headers: { "retry-after": retryAfter }, times });

  test("waits after a 429, and is read again before it is destroyed", async () => {
    const { requests } = current();
    const workspace = await destroyable(current());
    limit("0");
    const [read, write] = [`GET workspaces/${id}`, `DELETE workspaces/${id}`];
    expect(await requests(() => workspace.destroy())).toEqual([write, write, read, read]);
  });

  test.each([
    ["locked", { name: "network-prod", organization: "acme", locked: true }],
    ["renamed", { name: "database-prod", organization: "acme" }],
  ])("that was %s during the wait is not destroyed", async (rule, changed) => {
    const { requests, sandbox, service } = current();
    const workspace = await destroyable(current());
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
    const destroy = (): Promise<unknown> =>
      Promise.resolve(adminWorkspace.objects?.remove({ operation, state: state as never }, claimsOf(operation, adminWorkspace)));
    const sent = await requests(() => expect(destroy()).rejects.toMatchObject({ code: "ERR_ENGINE_GONE" }));
    expect(sent).toEqual([`DELETE workspaces/${id}`, `GET workspaces/${id}`]);
    expect((await outOfBand("GET", `/api/v2/admin/workspaces/${id}`)).status).toBe(200);
  });

  test("is not retried beyond one deadline for all attempts", async () => {
    const { requests } = current();
    const workspace = await destroyable(current());
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
