import { call } from "../../support/call";
import { freshSandbox, sandboxOfTest } from "../sandbox";

describe("the lists of organizations and their modules", () => {
  const sandbox = freshSandbox({ dialect: "hashicorp" });
  const get = (path: string, token?: string) => call(sandbox().platform, "GET", `/api/v2/${path}`, undefined, token);
  const ids = async (path: string, token?: string): Promise<string[]> =>
    (await get(path, token)).json.data.map(({ id }: { id: string }) => id);

  test("site administrators list all organizations, and members their own", async () => {
    const { platform } = sandbox();
    expect(await ids("organizations")).toEqual(["acme", "globex"]);
    expect(await ids("organizations", platform.memberToken)).toEqual(["globex"]);
    expect((await get("admin/organizations", platform.memberToken)).status).toBe(404);
  });

  test("site administrators list all organizations with their timeouts, page by page", async () => {
    sandbox().platform.seed({ organizations: [{ name: "globex", owners: ["member"], planTimeout: "4h", applyTimeout: "36h" }] });
    const { data, links, meta } = (await get("admin/organizations?page[size]=1&page[number]=2")).json;
    expect(data).toMatchObject([{ id: "globex", type: "organizations", attributes: { "plan-timeout": "4h", "apply-timeout": "36h" } }]);
    expect([links.next, meta.pagination]).toMatchObject([null, { "total-count": 2, "next-page": null }]);
    expect((await get("admin/organizations")).json.data).toMatchObject([
      { id: "acme", attributes: { "plan-timeout": null, "apply-timeout": null } },
      { id: "globex" },
    ]);
  });

  test("the modules of an organization are listed, page by page, for users who can manage it", async () => {
    const path = "organizations/acme/registry-modules";
    sandbox().platform.seed({ modules: [{ namespace: "acme", name: "vm", provider: "aws", versions: [] }] });
    const { json } = await get(`${path}?page%5Bsize%5D=1`);
    expect(json.data).toMatchObject([
      {
        type: "registry-modules",
        attributes: { name: "network", namespace: "acme", provider: "aws", "registry-name": "private" },
        relationships: { organization: { data: { id: "acme", type: "organizations" } } },
      },
    ]);
    expect(json.data[0].attributes["version-statuses"]).toContainEqual({ version: "1.0.0+build.5", status: "ok" });
    expect(json.meta.pagination).toMatchObject({ "next-page": 2, "total-count": 2 });
    expect((await get(`${path}?page%5Bsize%5D=1&page%5Bnumber%5D=2`)).json.data[0].attributes.name).toBe("vm");
    expect((await get(path, sandbox().platform.memberToken)).status).toBe(404);
    expect((await get("organizations/nobody/registry-modules")).status).toBe(404);
  });
});

const start = sandboxOfTest();
test("the standard dialect has no organizations", async () => {
  const { platform } = await start();
  for (const path of ["organizations", "admin/organizations"]) expect((await call(platform, "GET", `/api/v2/${path}`)).status).toBe(404);
});
