import { start } from "../../../sandbox/index";
import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

interface Named {
  id: string;
}

describe("further routes for clients of Terraform Enterprise", () => {
  const sandbox = freshSandbox({ dialect: "hashicorp" });
  const to = (method: string, path: string, attributes?: object, token?: string) =>
    call(sandbox().platform, method, `/api/v2/${path}`, attributes && { data: { type: "", attributes } }, token);
  const ids = async (path: string, token?: string): Promise<string[]> =>
    (await to("GET", path, undefined, token)).json.data.map(({ id }: Named) => id);

  test("ping identifies the server without a token", async () => {
    const { status, headers, text } = await to("GET", "ping", undefined, "");
    expect([status, text]).toEqual([204, ""]);
    const names = ["tfp-api-version", "tfp-appname", "x-tfe-version", "x-tfe-current-version", "x-ratelimit-limit"];
    expect(names.map((name) => headers.get(name))).toEqual(["2.6", "Terraform Enterprise", "1.0.0", "1.0.0", "30"]);
  });

  test("organizations are created, listed, shown, renamed and deleted with their contents", async () => {
    const created = await to("POST", "organizations", { name: "initech", email: "us@example.com" });
    expect(created).toMatchObject({
      status: 201,
      json: { data: { id: "initech", type: "organizations", attributes: { name: "initech", email: "us@example.com" } } },
    });
    expect(await ids("organizations")).toEqual(["acme", "globex", "initech"]);
    await to("POST", "organizations/initech/workspaces", { name: "web" });
    sandbox().platform.seed({ modules: [{ namespace: "initech", name: "m", provider: "p", versions: ["1.0.0"] }] });
    expect((await to("PATCH", "organizations/initech", { name: "initrode" })).json.data).toMatchObject({
      id: "initrode",
      attributes: { email: "us@example.com" },
    });
    expect((await to("GET", "organizations/initech")).status).toBe(404);
    expect((await to("GET", "organizations/initrode/workspaces/web")).status).toBe(200);
    expect((await to("PATCH", "organizations/initrode", { email: "new@example.com" })).status).toBe(200);
    expect((await to("GET", "organizations/initrode")).json.data.attributes.email).toBe("new@example.com");
    expect(await to("DELETE", "organizations/initrode")).toMatchObject({ status: 204, text: "" });
    for (const method of ["GET", "DELETE"]) expect((await to(method, "organizations/initrode")).status).toBe(404);
    expect((await to("PATCH", "organizations/initrode", {})).status).toBe(404);
    expect(await ids("admin/workspaces?q=web")).toEqual(["ws-globexWebsite"]);
    const module = await call(sandbox().platform, "GET", "/api/registry/v1/modules/initrode/m/p/versions");
    expect(module.status).toBe(404);
  });

  test("the modules of an organization are listed, page by page, for users who can manage it", async () => {
    const path = "organizations/acme/registry-modules";
    sandbox().platform.seed({ modules: [{ namespace: "acme", name: "vm", provider: "aws", versions: [] }] });
    const { json } = await to("GET", `${path}?page%5Bsize%5D=1`);
    expect(json.data).toMatchObject([
      {
        type: "registry-modules",
        attributes: { name: "network", namespace: "acme", provider: "aws", "registry-name": "private" },
        relationships: { organization: { data: { id: "acme", type: "organizations" } } },
      },
    ]);
    expect(json.data[0].attributes["version-statuses"]).toContainEqual({ version: "1.0.0+build.5", status: "ok" });
    expect(json.meta.pagination).toMatchObject({ "next-page": 2, "total-count": 2 });
    expect((await to("GET", `${path}?page%5Bsize%5D=1&page%5Bnumber%5D=2`)).json.data[0].attributes.name).toBe("vm");
    expect((await to("GET", path, undefined, sandbox().platform.memberToken)).status).toBe(404);
    expect((await to("GET", "organizations/none/registry-modules")).status).toBe(404);
  });

  test("organizations require a valid, unused name and an email address", async () => {
    for (const attributes of [
      { email: "a@example.com" },
      { name: "initech" },
      { name: "acme", email: "a@example.com" },
      { name: "not a name", email: "a@example.com" },
      { name: "initech", email: 5 },
    ])
      expect((await to("POST", "organizations", attributes)).status).toBe(422);
    expect((await to("PATCH", "organizations/acme", { name: "globex" })).status).toBe(422);
    expect(await ids("organizations")).toEqual(["acme", "globex"]);
  });

  test("a member sees their own organizations, and can create some unless that is restricted", async () => {
    const { memberToken } = sandbox().platform;
    const create = () => to("POST", "organizations", { name: "initech", email: "m@example.com" }, memberToken);
    expect(await ids("organizations", memberToken)).toEqual(["globex"]);
    expect((await to("GET", "organizations/acme", undefined, memberToken)).status).toBe(404);
    expect((await create()).status).toBe(404);
    await to("PATCH", "admin/general-settings", { "limit-user-organization-creation": false });
    expect((await create()).status).toBe(201);
    expect(await ids("organizations", memberToken)).toEqual(["globex", "initech"]);
  });

  test("workspaces are created, listed, shown by name and by ID, changed and deleted", async () => {
    const created = await to("POST", "organizations/acme/workspaces", { name: "web", "vcs-repo": { identifier: "acme/web" } });
    expect(created.status).toBe(201);
    const { id } = created.json.data;
    expect(id).toMatch(/^ws-\w{16}$/);
    expect(await ids("organizations/acme/workspaces")).toEqual(["ws-acmeNetworkProd", "ws-acmeNetworkTest", "ws-acmeDataProd", id]);
    expect(await ids("organizations/acme/workspaces?search[name]=network&page[size]=1")).toEqual(["ws-acmeNetworkProd"]);
    for (const path of ["organizations/acme/workspaces/web", `workspaces/${id}`, `admin/workspaces/${id}`])
      expect((await to("GET", path)).json.data).toEqual(created.json.data);
    const changed = await to("PATCH", "organizations/acme/workspaces/web", { name: "site" });
    expect(changed.json.data.attributes).toMatchObject({ name: "site", "vcs-repo": { identifier: "acme/web" } });
    expect((await to("PATCH", `workspaces/${id}`, { "vcs-repo": null })).json.data.attributes).toMatchObject({
      name: "site",
      "vcs-repo": null,
    });
    expect((await to("DELETE", `workspaces/${id}`)).status).toBe(204);
    expect((await to("DELETE", "organizations/acme/workspaces/network-test")).status).toBe(204);
    for (const [method, path, attributes] of [
      ["GET", `workspaces/${id}`, undefined],
      ["DELETE", "organizations/acme/workspaces/network-test", undefined],
      ["PATCH", `workspaces/${id}`, {}],
      ["GET", "organizations/nobody/workspaces", undefined],
      ["POST", "organizations/nobody/workspaces", { name: "web" }],
      ["POST", `workspaces/${id}/actions/lock`, undefined],
    ] as const)
      expect((await to(method, path, attributes)).status).toBe(404);
    expect(await ids("admin/workspaces")).toHaveLength(3);
  });

  test("workspaces require a valid, unused name, and a VCS repository requires an identifier", async () => {
    for (const attributes of [
      {},
      { name: "network-prod" },
      { name: "not a name" },
      { name: "web", "vcs-repo": {} },
      { name: "web", "vcs-repo": 5 },
    ])
      expect((await to("POST", "organizations/acme/workspaces", attributes)).status).toBe(422);
    expect((await to("PATCH", "workspaces/ws-acmeDataProd", { name: "network-prod" })).status).toBe(422);
  });

  test("workspaces can be locked once and unlocked once", async () => {
    const act = (action: string) => to("POST", `workspaces/ws-acmeNetworkTest/actions/${action}`);
    expect(await act("unlock")).toMatchObject({ status: 409 });
    expect(await act("lock")).toMatchObject({ status: 200, json: { data: { attributes: { locked: true } } } });
    expect(await act("lock")).toMatchObject({ status: 409, json: { errors: [{ status: "409", title: "conflict" }] } });
    expect(await act("unlock")).toMatchObject({ status: 200, json: { data: { attributes: { locked: false } } } });
  });

  test("a member manages the workspaces of their own organizations only", async () => {
    const { memberToken } = sandbox().platform;
    expect((await to("GET", "workspaces/ws-globexWebsite", undefined, memberToken)).status).toBe(200);
    for (const path of ["workspaces/ws-acmeDataProd", "organizations/acme/workspaces/data-prod"])
      expect((await to("DELETE", path, undefined, memberToken)).status).toBe(404);
  });

  test("none of these routes exist in the standard dialect", async () => {
    const other = await start();
    for (const path of ["ping", "organizations", "workspaces/ws-acmeDataProd"])
      expect((await call(other.platform, "GET", `/api/v2/${path}`)).status).toBe(404);
    await other.close();
  });
});
