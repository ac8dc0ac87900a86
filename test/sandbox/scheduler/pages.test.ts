import { call } from "../../support/call";
import { freshSandbox } from "../sandbox";

describe.each(["standard", "hashicorp"] as const)("the scheduler's pages, %s", (dialect) => {
  const sandbox = freshSandbox({ dialect });
  const family = dialect === "standard" ? "x-scheduler-" : "x-nomad-";

  async function page(path: string): Promise<{ names: string[]; next: string | null }> {
    const { json, headers } = await call(sandbox().scheduler, "GET", `/v1/${path}`);
    return { names: json.map(({ ID }: { ID: string }) => ID), next: headers.get(`${family}nexttoken`) };
  }

  /** Every page, until the last one or a circle. */
  async function pages(path: string): Promise<string[][]> {
    const found: string[][] = [];
    const seen = new Set<string>();
    for (let token = ""; !seen.has(token); ) {
      seen.add(token);
      const { names, next } = await page(`${path}&next_token=${encodeURIComponent(token)}`);
      found.push(names);
      if (next === null) return found;
      token = next;
    }
    return [...found, ["again"]];
  }

  test("the token names the first row of the next page, and the last page has no token", async () => {
    expect(await page("jobs?per_page=2")).toEqual({ names: ["api", "backup"], next: "default.web" });
    expect(await page("jobs?per_page=2&next_token=default.web")).toEqual({ names: ["web"], next: null });
    expect(await page("jobs?per_page=3")).toEqual({ names: ["api", "backup", "web"], next: null });
    // A token may name a row that was removed in the meantime.
    expect(await page("jobs?next_token=default.b")).toEqual({ names: ["backup", "web"], next: null });
  });

  test("a page size of zero returns everything, and a negative one returns nothing", async () => {
    if (dialect === "standard") {
      for (const size of [0, -1]) expect((await call(sandbox().scheduler, "GET", `/v1/jobs?per_page=${size}`)).status).toBe(400);
      return;
    }
    expect(await page("jobs?per_page=0")).toEqual({ names: ["api", "backup", "web"], next: null });
    expect(await page("jobs?per_page=-1")).toEqual({ names: [], next: "default.api" });
  });

  test('only the exact value "true" reverses the order', async () => {
    expect(await pages("jobs?per_page=2&reverse=true")).toEqual([["web", "backup"], ["api"]]);
    for (const other of ["TRUE", "1", ""]) expect((await page(`jobs?reverse=${other}`)).names[0]).toBe("api");
  });

  test("deployments are ordered by creation, numerically", async () => {
    const ids = Array.from({ length: 95 }, (_, number) => `d${String(99 - number).padStart(2, "0")}`);
    sandbox().scheduler.seed({ deployments: ids.map((ID) => ({ ID, JobID: "many", Namespace: "many" })) });
    const found = await pages("deployments?per_page=7&namespace=many");
    expect(found.flat()).toEqual(ids);
    const { next } = await page("deployments?per_page=7&namespace=many");
    expect(next).toMatch(new RegExp(`^\\d+\\.${ids[7]}$`));
    expect((await pages("deployments?per_page=10&namespace=many&reverse=true")).flat()).toEqual([...ids].reverse());
    expect((await page("deployments?prefix=d1&namespace=many&per_page=1")).next).toBe("d11");
  });

  test("a filter applies before paging, and a page token never names a row that the caller cannot see", async () => {
    const filter = encodeURIComponent('Type == "service"');
    expect(await page(`jobs?per_page=1&filter=${filter}`)).toEqual({ names: ["api"], next: "default.web" });
    const { secret } = sandbox().scheduler.tokens.mint({ policies: ["apps"] });
    sandbox().scheduler.seed({ policies: [{ name: "apps", namespaces: { apps: "read" } }] });
    const { headers } = await call(sandbox().scheduler, "GET", "/v1/jobs?namespace=*&per_page=1", undefined, secret);
    expect(headers.get(`${family}nexttoken`)).toBeNull();
  });

  test("page tokens over all namespaces form a circle if one namespace's name is a prefix of another, as in Nomad", async () => {
    // In the list, "a" precedes "a-b", whose token is smaller.
    sandbox().scheduler.seed({ jobs: ["a", "a-b"].flatMap((Namespace) => ["x", "y"].map((ID) => ({ ID, Namespace }))) });
    const order = (await call(sandbox().scheduler, "GET", "/v1/jobs?namespace=*&prefix=")).json.map(
      (job: { Namespace: string }) => job.Namespace,
    );
    expect(order.slice(0, 4)).toEqual(["a", "a", "a-b", "a-b"]);
    expect((await pages("jobs?namespace=*&per_page=1")).at(-1)).toEqual(["again"]);
  });
});
