import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

interface Named {
  id: string;
  type: string;
  attributes: { name: string };
}

describe.each(["standard", "hashicorp"] as const)("the administrator's workspaces, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const real = dialect === "hashicorp";
  const path = "/api/v2/admin/workspaces";
  const list = (query = "") => call(sandbox().platform, "GET", `${path}${query}`);
  const ids = async (query = ""): Promise<string[]> => (await list(query)).json.data.map(({ id }: Named) => id);
  const names = async (query = ""): Promise<string[]> => (await list(query)).json.data.map(({ attributes }: Named) => attributes.name);

  const byName = ["ws-acmeDataProd", "ws-acmeNetworkProd", "ws-acmeNetworkTest", "ws-globexWebsite"];
  const networkProd = {
    id: "ws-acmeNetworkProd",
    type: "workspaces",
    attributes: { name: "network-prod", locked: false, "vcs-repo": { identifier: "acme/network" }, "created-at": expect.any(String) },
    relationships: {
      organization: { data: { id: "acme", type: "organizations" } },
      "current-run": { data: { id: "run-acmeNetworkProd", type: "runs" } },
    },
    links: { self: "/api/v2/organizations/acme/workspaces/network-prod" },
  };

  test("all workspaces are listed by name, with counts, on one page", async () => {
    const { status, json } = await list();
    expect(status).toBe(200);
    expect(json.data.map(({ id }: Named) => id)).toEqual(byName);
    expect(json.data[1]).toEqual(networkProd);
    expect(json.data[2]).toMatchObject({ attributes: { "vcs-repo": null }, relationships: { "current-run": { data: null } } });
    expect(json.data[0].attributes.locked).toBe(true);
    expect(json).not.toHaveProperty("included");
    expect(json.meta.pagination).toEqual({
      "current-page": 1,
      ...(real && { "page-size": 20 }),
      "prev-page": null,
      "next-page": null,
      "total-pages": 1,
      "total-count": 4,
    });
    const none = ["pending", "planned", "confirmed", "applying", "discarded", "canceled"];
    const policy = ["policy-checking", "policy-override", "policy-checked"];
    const further = ["plan-queued", "apply-queued", "cost-estimating", "cost-estimated", "policy-soft-failed", "planned-and-finished"];
    const unused = [...none, ...policy, ...(real ? further : [])].map((status) => [status, 0]);
    const used = { planning: 1, applied: 1, errored: 1, none: 1, total: 4 };
    expect(json.meta["status-counts"]).toEqual({ ...Object.fromEntries(unused), ...used });
  });

  test("q matches part of the workspace's or the organization's name, ignoring case", async () => {
    expect(await ids("?q=NETWORK")).toEqual(["ws-acmeNetworkProd", "ws-acmeNetworkTest"]);
    expect(await ids("?q=globe")).toEqual(["ws-globexWebsite"]);
    expect(await ids("?q=acme/network")).toEqual([]);
    expect(await ids("?q=")).toHaveLength(4);
    sandbox().platform.seed({ workspaces: [{ id: "ws-upper", name: "UPPER", organization: "acme" }] });
    expect(await ids("?q=upper")).toEqual(["ws-upper"]);
    const empty = await list("?q=nothing");
    expect(empty.json).toMatchObject({
      data: [],
      meta: { pagination: { "total-count": 0, "total-pages": 1 }, "status-counts": { total: 0 } },
    });
  });

  test("the status filter accepts several values, and counts depend on q but not on the filter", async () => {
    const filter = "filter%5Bcurrent_run%5D%5Bstatus%5D=applied,errored";
    expect(await ids(`?${filter}`)).toEqual(["ws-acmeNetworkProd", "ws-globexWebsite"]);
    expect(await ids("?filter[current_run][status]=planning")).toEqual(["ws-acmeDataProd"]);
    expect(await ids("?filter[current_run][status]=")).toHaveLength(4);
    const { meta } = (await list(`?${filter}&q=acme`)).json;
    expect(meta).toMatchObject({
      pagination: { "total-count": 1 },
      "status-counts": { applied: 1, planning: 1, errored: 0, none: 1, total: 3 },
    });
  });

  test("an unknown run status is rejected in the standard dialect, and matches nothing in the other", async () => {
    const misspelt = await list("?filter[current_run][status]=applied,error");
    if (real) return expect(misspelt.json.data.map(({ id }: { id: string }) => id)).toEqual(["ws-acmeNetworkProd"]);
    expect(misspelt).toMatchObject({ status: 400, json: { errors: [{ title: "Invalid filter parameter" }] } });
  });

  test("a status without its own counter counts only in the total", async () => {
    const run = (status: string) => ({ name: status, organization: "initech", run: { status } });
    sandbox().platform.seed({ workspaces: [run("policy_soft_failed"), run("policy_checking"), run("planned_and_finished")] });
    const counts = (await list("?q=initech")).json.meta["status-counts"];
    expect(counts).toMatchObject({ "policy-checking": 1, planned: 0, none: 0, total: 3 });
    expect([counts["policy-soft-failed"], counts["planned-and-finished"]]).toEqual(real ? [1, 1] : [undefined, undefined]);
    expect(await names("?filter[current_run][status]=policy_soft_failed")).toEqual(["policy_soft_failed"]);
  });

  test("sorting is by name or current run, in either order, with workspaces without a run last", async () => {
    expect(await ids("?sort=name")).toEqual(byName);
    expect(await ids("?sort=-name")).toEqual([...byName].reverse());
    const oldest = ["ws-acmeNetworkProd", "ws-globexWebsite", "ws-acmeDataProd"];
    expect(await ids("?sort=current-run.created-at")).toEqual([...oldest, "ws-acmeNetworkTest"]);
    expect(await ids("?sort=-current-run.created-at")).toEqual([...[...oldest].reverse(), "ws-acmeNetworkTest"]);
    for (const sort of ["id", "--name", "-", "name,id"])
      expect(await list(`?sort=${sort}`)).toMatchObject({ status: 400, json: { errors: [{ title: "Invalid sort parameter" }] } });
  });

  test("pages hold 20 workspaces by default and 100 at most, and link to each other with their query", async () => {
    sandbox().platform.seed({
      workspaces: Array.from({ length: 205 }, (_, at) => ({ name: `w${String(at).padStart(3, "0")}`, organization: "initech" })),
    });
    expect(await names("?q=initech")).toHaveLength(20);
    expect(await names("?q=initech&page[size]=500")).toHaveLength(100);
    const { json } = await list("?q=initech&page[number]=2&page%5Bsize%5D=100");
    expect([json.data.length, json.data[0].attributes.name]).toEqual([100, "w100"]);
    expect(json.meta.pagination).toMatchObject({ "current-page": 2, "prev-page": 1, "next-page": 3, "total-pages": 3, "total-count": 205 });
    const link = (page: number): string =>
      `${real ? sandbox().platform.url : ""}${path}?q=initech&page%5Bnumber%5D=${page}&page%5Bsize%5D=100`;
    expect(json.links).toEqual({ self: link(2), first: link(1), prev: link(1), next: link(3), last: link(3) });
    const next = (await list(json.links.next.slice(json.links.next.indexOf("?")))).json;
    expect([next.data.length, next.links.next]).toEqual([5, null]);
    const behind = (await list("?page[number]=999&page[size]=100")).json;
    expect([behind.data, behind.meta.pagination["current-page"], behind.links.next]).toEqual([[], 999, null]);
    for (const nonsense of ["page[number]=0", "page[number]=-1", "page[number]=x", "page[size]=0", "page[size]=x"])
      expect((await list(`?q=initech&${nonsense}`)).json).toMatchObject({ meta: { pagination: { "current-page": 1, "total-pages": 11 } } });
  });

  test("include returns each related resource once", async () => {
    const included = async (query: string): Promise<string[]> =>
      (await call(sandbox().platform, "GET", `${path}${query}`)).json.included.map(({ type, id }: Named) => `${type}/${id}`);
    expect(await included("?include=organization")).toEqual(["organizations/acme", "organizations/globex"]);
    expect(await included("?q=acme&include=organization.owners")).toEqual(["organizations/acme", "users/admin"]);
    expect(await included("?include=current_run,organization&q=prod")).toEqual([
      "organizations/acme",
      "runs/run-acmeDataProd",
      "runs/run-acmeNetworkProd",
    ]);
    expect(await included("/ws-acmeNetworkTest?include=current_run")).toEqual([]);
    const { json } = await list("/ws-globexWebsite?include=organization.owners,current_run");
    expect(json.included).toMatchObject([
      { id: "globex", attributes: { name: "globex" }, relationships: { owners: { data: [{ id: "member", type: "users" }] } } },
      { id: "member", type: "users", attributes: { username: "member" } },
      { id: "run-globexWebsite", type: "runs", attributes: { status: "errored", "created-at": expect.stringMatching(/Z$/) } },
    ]);
    for (const at of ["", "/ws-globexWebsite"])
      expect(await list(`${at}?include=organization,owners`)).toMatchObject({
        status: 400,
        json: { errors: [{ title: "Invalid include parameter" }] },
      });
  });

  test("a workspace is read and deleted only by its ID", async () => {
    expect((await list("/ws-acmeNetworkProd")).json).toEqual({ data: networkProd });
    const remove = (id: string) => call(sandbox().platform, "DELETE", `${path}/${id}`);
    expect((await remove("network-prod")).status).toBe(404);
    expect(await remove("ws-acmeNetworkProd")).toMatchObject({ status: 204, text: "" });
    for (const answer of [await remove("ws-acmeNetworkProd"), await list("/ws-acmeNetworkProd")])
      expect(answer).toMatchObject({ status: 404, json: { errors: [{ title: "not found" }] } });
    expect(await ids()).not.toContain("ws-acmeNetworkProd");
    // The document has no condition, so a locked or busy workspace is deleted, too.
    expect((await remove("ws-acmeDataProd")).status).toBe(204);
  });
});
