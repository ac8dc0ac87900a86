import { platform } from "../../../provider";
import { readAll } from "../../../provider/platform/pages";
import { connectTo } from "../../support/connection";
import { onEachPlatform } from "../../support/platform";
import { invalidInputs, refusal } from "../../support/refusal";

onEachPlatform("the functions for workspaces", (current) => {
  const names = async (options?: platform.ListWorkspacesOptions, found: string[] = []): Promise<string[]> => {
    for await (const { name } of platform.listWorkspaces(options)) found.push(name);
    return found;
  };
  const many = (count: number): { id: string; name: string; organization: string }[] =>
    Array.from({ length: count }, (_, index) => ({
      id: `ws-${index}`,
      name: `many-${String(index).padStart(3, "0")}`,
      organization: "many",
    }));
  beforeEach(() => current().configureProgram());

  test("list all workspaces, filter, sort and count them", async () => {
    expect(await names()).toEqual(["data-prod", "network-prod", "network-test", "website"]);
    expect(await names({ sort: "-name" })).toEqual(["website", "network-test", "network-prod", "data-prod"]);
    expect(await names({ sort: "current-run.created-at" })).toEqual(["network-prod", "website", "data-prod", "network-test"]);
    if (current().dialect === "hashicorp") expect(await names({ sort: "-latest-change-at" })).toHaveLength(4);
    expect(await names({ q: "GLOBEX" })).toEqual(["website"]);
    expect(await names({ currentRunStatus: ["errored", "planning"] })).toEqual(["data-prod", "website"]);
    const list = platform.listWorkspaces({ q: "acme" });
    expect(
      await current().requests(async () => {
        expect(await list.totalCount()).toBe(3);
        expect(await list.statusCounts()).toMatchObject({ applied: 1, planning: 1, none: 1, total: 3 });
        for await (const { organization } of list) expect(organization).toBe("acme");
      }),
    ).toEqual(["GET workspaces?q=acme"]);
  });

  test("send a run status that only a later release has, which the standard platform rejects", async () => {
    const listed = names({ currentRunStatus: ["applied", "error", "fetching"] });
    if (current().dialect === "standard") await expect(listed).rejects.toThrow(refusal("ERR_REJECTED", { status: 400 }));
    else expect(await listed).toEqual(["network-prod"]);
  });

  test("fail with a platform that is older than the list", async () => {
    current().fault(/workspaces/, { status: 404, body: { errors: [{ status: "404", title: "not found" }] } });
    await expect(platform.listWorkspaces().totalCount()).rejects.toThrow(refusal("ERR_NOT_FOUND", { rule: "endpoint-missing" }));
  });

  test("fetch pages on demand and encode brackets", async () => {
    const { service, requests } = current();
    service.seed({ workspaces: many(45) });
    expect(await requests(async () => expect(await names({ q: "many" })).toHaveLength(45))).toEqual([
      "GET workspaces?q=many",
      "GET workspaces?q=many&page%5Bnumber%5D=2",
      "GET workspaces?q=many&page%5Bnumber%5D=3",
    ]);
    const first = await requests(async () => {
      for await (const _ of platform.listWorkspaces({ q: "many", pageSize: 10, currentRunStatus: [] })) break;
    });
    expect(first).toHaveLength(1);
    expect(first[0]).toContain("page%5Bsize%5D=10");
  });

  test.each([
    ["a number in a string", { meta: { pagination: { "next-page": "2" } } }],
    ["a link only", { links: { next: "/api/v2/admin/workspaces?page%5Bnumber%5D=2" } }],
  ])("follow the next page given as %s", async (_, next) => {
    const { fault } = current();
    const body = (name: string, more: object): object => ({ data: [{ id: name, type: "workspaces", attributes: { name } }], ...more });
    fault(/workspaces$/, { status: 200, body: body("first", next) });
    fault(/page%5Bnumber%5D=2/, { status: 200, body: body("second", { links: { next: null } }) });
    expect(await names()).toEqual(["first", "second"]);
  });

  describe("handle pages that are not consistent", () => {
    type Served = { data: number[]; next?: unknown; total?: number; links?: object };
    /** Responds to each request with the next page, and to further requests with the last one. */
    const serve = (...pages: Served[]): void => {
      for (const [index, { data, next = null, total, links }] of pages.entries()) {
        const body = {
          data: data.map((each) => ({ id: `ws-${each}`, type: "workspaces", attributes: { name: `many-${each}` } })),
          meta: { pagination: { "next-page": next, "total-count": total } },
          links,
        };
        const times = index === pages.length - 1 ? Number.POSITIVE_INFINITY : 1;
        current().fault(/workspaces/, { nth: index + 1, times, status: 200, body });
      }
    };
    afterEach(() => current().sandbox.faults.clear());
    const path = "/api/v2/admin/workspaces";
    const circular = refusal("ERR_UNEXPECTED_RESPONSE", { rule: "circle", method: "GET", path });
    /** The names before the error, and the error. */
    const until = async (): Promise<{ found: string[]; error: unknown }> => {
      const found: string[] = [];
      const error = await names({}, found).then(
        () => undefined,
        (reason) => reason,
      );
      return { found, error };
    };

    const page = (data: number[], next: number, total?: number): Served => ({ data, next, total });
    test.each<[string, Served[], number[]]>([
      ["a number of an earlier page", [page([1, 2], 2), page([2, 3], 1)], [1, 2, 3]],
      ["the number of the same page", [page([1], 2, 3), page([2], 2, 3)], [1, 2]],
      ["no new workspace and a next page", [page([1, 2], 2), page([1, 2], 3), page([1, 2], 4)], [1, 2]],
    ])("return each workspace once and fail after %s", async (_, pages, numbers) => {
      serve(...pages);
      const found = numbers.map((each) => `many-${each}`);
      const sent = await current().requests(async () => {
        const result = await until();
        expect(result).toEqual({ found, error: circular });
        expect(String(result.error)).toMatch(/: Cannot list workspaces: /);
      });
      expect(sent).toHaveLength(2);
    });

    test.each<[string, Omit<Served, "data">]>([
      ["a link without a page number", { links: { next: `${path}?page%5Bafter%5D=x` } }],
      ["an object as the link", { links: { next: { href: `${path}?page%5Bnumber%5D=2` } } }],
      ["a word as the number", { next: "last" }],
      ["a negative number", { next: -1 }],
    ])("fail if the next page is %s", async (_, next) => {
      serve({ data: [1], ...next });
      expect(await until()).toEqual({ found: [], error: refusal("ERR_UNEXPECTED_RESPONSE", { method: "GET", path }) });
    });

    test("read the pages again after a deletion, which moves a workspace to an earlier page", async () => {
      serve({ data: [1, 2], next: 2, total: 4 }, { data: [4], total: 3 }, { data: [2, 3], next: 2, total: 3 }, { data: [4], total: 3 });
      expect(await until()).toEqual({ found: ["many-1", "many-2", "many-4", "many-3"], error: undefined });
    });

    test("end after the second reading if the total count is wrong", async () => {
      serve({ data: [1, 2], total: 9 });
      const sent = await current().requests(async () => expect(await until()).toEqual({ found: ["many-1", "many-2"], error: undefined }));
      expect(sent).toHaveLength(2);
    });

    test("fail likewise in discover, where a part must not pass for the whole", async () => {
      const { url: address, token } = current().service;
      const read = (): Promise<unknown> => readAll(connectTo("platform", { address, token }), path);
      serve({ data: [1], next: 2 }, { data: [2], next: 2 });
      await expect(read()).rejects.toThrow(circular);
      current().sandbox.faults.clear();
      serve({ data: [1, 2], next: 2, total: 4 }, { data: [4], total: 3 }, { data: [2, 3], next: 2, total: 3 }, { data: [4], total: 3 });
      expect(await read()).toHaveLength(4);
    });
  });

  test("return a workspace with its included resources", async () => {
    const workspace = await platform.getWorkspace({ id: "ws-globexWebsite", include: ["organization.owners", "current_run"] });
    expect(workspace).toMatchObject({
      id: "ws-globexWebsite",
      name: "website",
      locked: false,
      vcsRepoIdentifier: "globex/website",
      organization: "globex",
      currentRun: { id: "run-globexWebsite", status: "errored" },
      attributes: { name: "website" },
    });
    expect(workspace.path).toMatch(/globex\/workspaces\/website$/);
    expect(workspace.included.map(({ type }) => type)).toEqual(["organizations", "users", "users", "runs"]);
    const bare = await platform.getWorkspace({ id: "ws-acmeNetworkTest" });
    expect(bare.currentRun).toBeUndefined();
    expect(bare.vcsRepoIdentifier).toBeUndefined();
    expect(bare.included).toEqual([]);
  });

  test("explain a 404 and reject invalid options at once", async () => {
    await expect(platform.getWorkspace({ id: "ws-none" })).rejects.toThrow(
      refusal("ERR_NOT_FOUND", { rule: "workspace-missing", path: "/api/v2/admin/workspaces/ws-none" }),
    );
    const bad = { pageSize: 0, sort: "age", include: ["runs"], currentRunStatus: ["A"] } as unknown as platform.ListWorkspacesOptions;
    const sent = await current().requests(() =>
      expect(names(bad)).rejects.toThrow(
        invalidInputs("currentRunStatus[0]: invalid-format", "sort: invalid-value", "pageSize: too-small", "include[0]: invalid-value"),
      ),
    );
    expect(sent).toEqual([]);
  });
});
