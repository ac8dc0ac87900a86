import { call } from "../../support/call";
import { freshSandbox, sandboxOfTest } from "../sandbox";

interface Named {
  id: string;
}

describe("further routes for clients of Terraform Enterprise", () => {
  const sandbox = freshSandbox({ dialect: "hashicorp" });
  const to = (method: string, path: string, attributes?: object, token?: string) =>
    call(sandbox().platform, method, `/api/v2/${path}`, attributes && { data: { type: "", attributes } }, token);
  const ids = async (path: string, token?: string): Promise<string[]> =>
    (await to("GET", path, undefined, token)).json.data.map(({ id }: Named) => id);
  const statusOf = async (...request: Parameters<typeof to>): Promise<number> => (await to(...request)).status;

  test("ping identifies the server without a token", async () => {
    const { status, headers, text } = await to("GET", "ping", undefined, "");
    expect([status, text]).toEqual([204, ""]);
    const names = ["tfp-api-version", "tfp-appname", "x-tfe-version", "x-tfe-current-version", "x-ratelimit-limit"];
    expect(names.map((name) => headers.get(name))).toEqual(["2.6", "Terraform Enterprise", "1.0.0", "1.0.0", "30"]);
  });

  test("organizations are created, listed, shown, renamed and deleted with their contents", async () => {
    const attributes = { name: "initech", email: "us@example.com" };
    const created = await to("POST", "organizations", attributes);
    expect(created).toMatchObject({ status: 201, json: { data: { id: "initech", type: "organizations", attributes } } });
    expect(await ids("organizations")).toEqual(["acme", "globex", "initech"]);
    await to("POST", "organizations/initech/workspaces", { name: "web" });
    sandbox().platform.seed({ modules: [{ namespace: "initech", name: "m", provider: "p", versions: ["1.0.0"] }] });
    const renamed = (await to("PATCH", "organizations/initech", { name: "initrode" })).json.data;
    expect(renamed).toMatchObject({ id: "initrode", attributes: { email: "us@example.com" } });
    expect(await statusOf("GET", "organizations/initech")).toBe(404);
    expect(await statusOf("GET", "organizations/initrode/workspaces/web")).toBe(200);
    expect(await statusOf("PATCH", "organizations/initrode", { email: "new@example.com" })).toBe(200);
    expect((await to("GET", "organizations/initrode")).json.data.attributes.email).toBe("new@example.com");
    expect(await to("DELETE", "organizations/initrode")).toMatchObject({ status: 204, text: "" });
    for (const method of ["GET", "DELETE"]) expect(await statusOf(method, "organizations/initrode")).toBe(404);
    expect(await statusOf("PATCH", "organizations/initrode", {})).toBe(404);
    expect(await ids("admin/workspaces?q=web")).toEqual(["ws-globexWebsite"]);
    expect((await call(sandbox().platform, "GET", "/api/registry/v1/modules/initrode/m/p/versions")).status).toBe(404);
  });

  test("the modules of an organization are listed, page by page, for users who can manage it", async () => {
    const path = "organizations/acme/registry-modules";
    sandbox().platform.seed({ modules: [{ namespace: "acme", name: "vm", provider: "aws", versions: [] }] });
    const { data, meta } = (await to("GET", `${path}?page[size]=1`)).json;
    expect([data.length, meta.pagination]).toMatchObject([1, { "next-page": 2, "total-count": 2 }]);
    const [module] = data;
    const attributes = { name: "network", namespace: "acme", provider: "aws", "registry-name": "private" };
    const relationships = { organization: { data: { id: "acme", type: "organizations" } } };
    expect(module).toMatchObject({ type: "registry-modules", attributes, relationships });
    expect(module.attributes["version-statuses"]).toContainEqual({ version: "1.0.0+build.5", status: "ok" });
    expect(await statusOf("GET", path, undefined, sandbox().platform.memberToken)).toBe(404);
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
    const changed = (await to("PATCH", "organizations/acme/workspaces/web", { name: "site" })).json.data.attributes;
    expect(changed).toMatchObject({ name: "site", "vcs-repo": { identifier: "acme/web" } });
    const cleared = (await to("PATCH", `workspaces/${id}`, { "vcs-repo": null })).json.data.attributes;
    expect(cleared).toMatchObject({ name: "site", "vcs-repo": null });
    for (const path of [`workspaces/${id}`, "organizations/acme/workspaces/network-test"]) {
      expect(await statusOf("DELETE", path)).toBe(204);
      for (const method of ["GET", "DELETE"]) expect(await statusOf(method, path)).toBe(404);
      expect(await statusOf("PATCH", path, {})).toBe(404);
    }
    expect(await statusOf("POST", `workspaces/${id}/actions/lock`)).toBe(404);
    expect(await ids("admin/workspaces")).toHaveLength(3);
  });

  const initech = { name: "initech", email: "a@example.com" };
  test.each<[string, string, object | undefined, number]>([
    ["POST", "organizations", { email: "a@example.com" }, 422],
    ["POST", "organizations", { name: "initech" }, 422],
    ["POST", "organizations", { ...initech, name: "acme" }, 422],
    ["POST", "organizations", { ...initech, name: "not a name" }, 422],
    ["POST", "organizations", { ...initech, email: 5 }, 422],
    ["PATCH", "organizations/acme", { name: "globex" }, 422],
    ["POST", "organizations/acme/workspaces", {}, 422],
    ["POST", "organizations/acme/workspaces", { name: "network-prod" }, 422],
    ["POST", "organizations/acme/workspaces", { name: "not a name" }, 422],
    ["POST", "organizations/acme/workspaces", { name: "web", "vcs-repo": {} }, 422],
    ["POST", "organizations/acme/workspaces", { name: "web", "vcs-repo": 5 }, 422],
    ["PATCH", "workspaces/ws-acmeDataProd", { name: "network-prod" }, 422],
    ["GET", "organizations/nobody/workspaces", undefined, 404],
    ["POST", "organizations/nobody/workspaces", { name: "web" }, 404],
    ["GET", "organizations/nobody/registry-modules", undefined, 404],
  ])("%s %s with %j is rejected with %d", async (method, path, attributes, status) => {
    expect(await statusOf(method, path, attributes)).toBe(status);
    expect([await ids("organizations"), (await ids("admin/workspaces")).length]).toEqual([["acme", "globex"], 4]);
  });

  test("a member sees and manages what belongs to their own organizations, and can create some unless that is restricted", async () => {
    const { memberToken } = sandbox().platform;
    const asMember = (method: string, path: string, attributes?: object) => statusOf(method, path, attributes, memberToken);
    expect(await ids("organizations", memberToken)).toEqual(["globex"]);
    expect(await asMember("GET", "organizations/acme")).toBe(404);
    expect(await asMember("GET", "workspaces/ws-globexWebsite")).toBe(200);
    for (const path of ["workspaces/ws-acmeDataProd", "organizations/acme/workspaces/data-prod"])
      expect(await asMember("DELETE", path)).toBe(404);
    expect(await asMember("POST", "organizations", initech)).toBe(404);
    await to("PATCH", "admin/general-settings", { "limit-user-organization-creation": false });
    expect(await asMember("POST", "organizations", initech)).toBe(201);
    expect(await ids("organizations", memberToken)).toEqual(["globex", "initech"]);
  });

  test("workspaces can be locked once and unlocked once", async () => {
    for (const [action, status, json] of [
      ["unlock", 409, {}],
      ["lock", 200, { data: { attributes: { locked: true } } }],
      ["lock", 409, { errors: [{ status: "409", title: "conflict" }] }],
      ["unlock", 200, { data: { attributes: { locked: false } } }],
    ] as const)
      expect(await to("POST", `workspaces/ws-acmeNetworkTest/actions/${action}`)).toMatchObject({ status, json });
  });
});

const start = sandboxOfTest();
test("the standard dialect has none of these routes", async () => {
  const { platform } = await start();
  for (const path of ["ping", "organizations", "workspaces/ws-acmeDataProd"])
    expect((await call(platform, "GET", `/api/v2/${path}`)).status).toBe(404);
});
