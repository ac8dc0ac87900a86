import { onEachDialect } from "../sandbox";

interface Named {
  id: string;
  type: string;
  attributes: { name: string };
}

onEachDialect("the administrator's workspaces", ({ real, sandbox, to: { platform } }) => {
  const path = "/api/v2/admin/workspaces";
  const list = (query = "") => platform("GET", `${path}${query}`);
  const ids = async (query = ""): Promise<string[]> => (await list(query)).json.data.map(({ id }: Named) => id);
  const names = async (query = ""): Promise<string[]> => (await list(query)).json.data.map(({ attributes }: Named) => attributes.name);

  const [data, prod, test1, website] = ["ws-acmeDataProd", "ws-acmeNetworkProd", "ws-acmeNetworkTest", "ws-globexWebsite"];
  const networkProd = {
    id: prod,
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
    expect(json.data[1]).toEqual(networkProd);
    expect(json.data[2]).toMatchObject({ attributes: { "vcs-repo": null }, relationships: { "current-run": { data: null } } });
    expect(json.data[0].attributes.locked).toBe(true);
    expect(json).not.toHaveProperty("included");
    const pages = { "current-page": 1, "prev-page": null, "next-page": null, "total-pages": 1, "total-count": 4 };
    expect(json.meta.pagination).toEqual({ ...pages, ...(real && { "page-size": 20 }) });
    const unused = ["pending", "planned", "confirmed", "applying", "discarded", "canceled"];
    unused.push("policy-checking", "policy-override", "policy-checked");
    const further = ["plan-queued", "apply-queued", "cost-estimating", "cost-estimated", "policy-soft-failed", "planned-and-finished"];
    const zero = Object.fromEntries([...unused, ...(real ? further : [])].map((status) => [status, 0]));
    expect(json.meta["status-counts"]).toEqual({ ...zero, planning: 1, applied: 1, errored: 1, none: 1, total: 4 });
  });

  test.each([
    ["?q=", [data, prod, test1, website]],
    ["?q=acme/network", []],
    ["?q=upper", ["ws-upper"]],
    ["?filter[current_run][status]=planning", [data]],
    ["?filter[current_run][status]=", [data, prod, test1, website]],
    ["?sort=name", [data, prod, test1, website]],
    // A workspace without a run is last.
    ["?sort=-current-run.created-at", [data, website, prod, test1]],
  ])("the list %s", async (query, expected) => {
    if (query === "?q=upper") sandbox().platform.seed({ workspaces: [{ id: "ws-upper", name: "UPPER", organization: "acme" }] });
    expect(await ids(query)).toEqual(expected);
  });

  test.each(["sort=id", "sort=--name", "sort=-", "sort=name,id", "include=organization,owners"])("%s is rejected", async (query) => {
    const title = `Invalid ${query.split("=")[0]} parameter`;
    for (const at of query.startsWith("sort") ? [""] : ["", `/${website}`])
      expect(await list(`${at}?${query}`)).toMatchObject({ status: 400, json: { errors: [{ title }] } });
  });

  test("the list is in the order of the latest changes in the hashicorp dialect only", async () => {
    sandbox().clock.advance(1000);
    sandbox().platform.seed({ workspaces: [{ id: "ws-late", name: "late", organization: "acme" }] });
    if (!real) return expect(await list("?sort=latest-change-at")).toMatchObject({ status: 400 });
    expect(await ids("?sort=latest-change-at")).toEqual([data, prod, test1, website, "ws-late"]);
    expect((await ids("?sort=-latest-change-at"))[0]).toBe("ws-late");
  });

  test("counts depend on q but not on the filter", async () => {
    const { meta } = (await list("?filter[current_run][status]=applied,errored&q=acme")).json;
    expect(meta.pagination["total-count"]).toBe(1);
    expect(meta["status-counts"]).toMatchObject({ applied: 1, planning: 1, errored: 0, none: 1, total: 3 });
    const empty = (await list("?q=nothing")).json.meta;
    expect(empty).toMatchObject({ pagination: { "total-count": 0, "total-pages": 1 }, "status-counts": { total: 0 } });
  });

  test("a status without its own counter counts only in the total", async () => {
    const run = (status: string) => ({ name: status, organization: "initech", run: { status } });
    sandbox().platform.seed({ workspaces: [run("policy_soft_failed"), run("policy_checking"), run("planned_and_finished")] });
    const counts = (await list("?q=initech")).json.meta["status-counts"];
    expect(counts).toMatchObject({ "policy-checking": 1, planned: 0, none: 0, total: 3 });
    expect([counts["policy-soft-failed"], counts["planned-and-finished"]]).toEqual(real ? [1, 1] : [undefined, undefined]);
    expect(await names("?filter[current_run][status]=policy_soft_failed")).toEqual(["policy_soft_failed"]);
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
    const base = `${real ? sandbox().platform.url : ""}${path}`;
    const link = (page: number): string => `${base}?q=initech&page%5Bnumber%5D=${page}&page%5Bsize%5D=100`;
    expect(json.links).toEqual({ self: link(2), first: link(1), prev: link(1), next: link(3), last: link(3) });
    const next = (await list(json.links.next.slice(json.links.next.indexOf("?")))).json;
    expect([next.data.length, next.links.next]).toEqual([5, null]);
    const behind = (await list("?page[number]=999&page[size]=100")).json;
    expect([behind.data, behind.meta.pagination["current-page"], behind.links.next]).toEqual([[], 999, null]);
    for (const nonsense of ["page[number]=0", "page[number]=-1", "page[number]=x", "page[size]=0", "page[size]=x"])
      expect((await list(`?q=initech&${nonsense}`)).json).toMatchObject({ meta: { pagination: { "current-page": 1, "total-pages": 11 } } });
  });

  test.each([
    ["?include=organization", ["organizations/acme", "organizations/globex"]],
    ["?q=acme&include=organization.owners", ["organizations/acme", "users/admin"]],
    ["?include=current_run,organization&q=prod", ["organizations/acme", "runs/run-acmeDataProd", "runs/run-acmeNetworkProd"]],
    [`/${test1}?include=current_run`, []],
  ])("%s returns each related resource once", async (query, expected) => {
    expect((await list(query)).json.included.map(({ type, id }: Named) => `${type}/${id}`)).toEqual(expected);
  });

  test("a workspace is read and deleted only by its ID", async () => {
    expect((await list(`/${prod}`)).json).toEqual({ data: networkProd });
    const remove = (id: string) => platform("DELETE", `${path}/${id}`);
    expect((await remove("network-prod")).status).toBe(404);
    // The document has no condition, so a locked or busy workspace is deleted, too.
    for (const status of [204, 404]) expect((await remove(data)).status).toBe(status);
    expect(await ids()).toEqual([prod, test1, website]);
  });
});
