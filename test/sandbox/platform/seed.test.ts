import { type Seed } from "../../../sandbox/index";
import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

const sandbox = freshSandbox({});
const show = async (id: string) =>
  (await call(sandbox().platform, "GET", `/api/v2/admin/workspaces/${id}?include=organization.owners,current_run`)).json;

test("a seeded workspace has all given properties, and its organization is created", async () => {
  const run = { id: "run-1", status: "applying", createdAt: new Date("2026-01-02T03:04:05Z") } as const;
  const one = { id: "ws-1", name: "one", organization: "initech", locked: true, vcsRepoIdentifier: "initech/one", run };
  sandbox().platform.seed({ workspaces: [one, { name: "second", organization: "initech", run: { status: "pending" } }] });
  expect(await show("ws-1")).toMatchObject({
    data: { attributes: { name: "one", locked: true, "vcs-repo": { identifier: "initech/one" } } },
    included: [
      { id: "initech", type: "organizations", attributes: { name: "initech" }, relationships: { owners: { data: [{ id: "admin" }] } } },
      { id: "admin", type: "users", attributes: { username: "admin" } },
      { id: "run-1", attributes: { status: "applying", "created-at": "2026-01-02T03:04:05.000Z" } },
    ],
  });
  const { data } = (await call(sandbox().platform, "GET", "/api/v2/admin/workspaces?q=second")).json;
  expect(data).toMatchObject([
    { id: expect.stringMatching(/^ws-\w{16}$/), relationships: { "current-run": { data: { id: expect.stringMatching(/^run-/) } } } },
  ]);
});

test("a seeded workspace replaces one with its ID or name, and an organization one with its name", async () => {
  const { platform } = sandbox();
  platform.seed({ workspaces: [{ id: "ws-acmeDataProd", name: "renamed", organization: "globex" }] });
  expect(await show("ws-acmeDataProd")).toMatchObject({
    data: { attributes: { name: "renamed", locked: false }, relationships: { "current-run": { data: null } } },
    included: [{ id: "globex" }, { id: "admin" }, { id: "member" }],
  });
  platform.seed({ workspaces: [{ name: "network-prod", organization: "acme", locked: true }] });
  expect(await show("ws-acmeNetworkProd")).toMatchObject({ data: { attributes: { locked: true, "vcs-repo": null } } });
  platform.seed({ organizations: [{ name: "globex", owners: ["ann", "bob"] }] });
  const { included } = await show("ws-globexWebsite");
  expect(included.map(({ id }: { id: string }) => id)).toEqual(["globex", "ann", "bob", "run-globexWebsite"]);
});

test("a seed is copied", async () => {
  const owners = ["ann"];
  const workspace = { id: "ws-1", name: "one", organization: "initech", run: { id: "run-1", status: "pending", createdAt: new Date(0) } };
  sandbox().platform.seed({ organizations: [{ name: "initech", owners }], workspaces: [workspace] });
  owners.push("bob");
  workspace.run.status = "applied";
  workspace.run.createdAt.setFullYear(2000);
  const { included } = await show("ws-1");
  expect(included.map(({ id }: { id: string }) => id)).toEqual(["initech", "ann", "run-1"]);
  expect(included[2].attributes).toEqual({ status: "pending", "created-at": "1970-01-01T00:00:00.000Z" });
});

test.each([
  [{ workspace: [] }, /Unknown member "workspace" of a seed/],
  [{ organizations: [{ title: "a" }] }, /Unknown member "title"/],
  [{ organizations: [{ name: "" }] }, /requires "name"/],
  [{ workspaces: [{ name: "a", organization: "b", vcsRepo: "c" }] }, /Unknown member "vcsRepo" of a workspace/],
  [{ workspaces: [{ name: "a" }] }, /requires "organization"/],
  [{ workspaces: [{ name: "a", organization: "b", run: { status: "plan-queued" } }] }, /Unknown run status "plan-queued"/],
  [{ workspaces: [{ name: "a", organization: "b", run: { status: "planned", at: 1 } }] }, /Unknown member "at" of a run/],
  [{ workspaces: [{ id: "ws-other", name: "network-prod", organization: "acme" }] }, /acme has a workspace "network-prod" with another id/],
  [{ workspaces: ["ws-1", "ws-2"].map((id) => ({ id, name: "a", organization: "b" })) }, /b has a workspace "a" with another id/],
  [{ modules: [{ namespace: "a", name: "b", versions: [] }] }, /requires "provider"/],
  [{ modules: [{ namespace: "a", name: "b", provider: "c" }] }, /requires "versions"/],
])("rejects the whole seed %j", async (seed, message) => {
  expect(() => sandbox().platform.seed({ organizations: [{ name: "first" }], ...seed } as Seed)).toThrow(message);
  expect(() => sandbox().platform.seed(seed as Seed)).toThrow(TypeError);
  const { json } = await call(sandbox().platform, "GET", "/api/v2/admin/workspaces");
  expect(json.data).toHaveLength(4);
});
