import { type Sandbox, start } from "../../../sandbox/index";
import { type Answer, call } from "../../support/call";

describe.each(["standard", "hashicorp"] as const)("the scheduler holds requests, %s", (dialect) => {
  let sandbox: Sandbox;
  const family = dialect === "standard" ? "x-scheduler-" : "x-nomad-";
  const get = (path: string): Promise<Answer> => call(sandbox.scheduler, "GET", `/v1/${path}`);
  const indexOf = ({ headers }: Answer): number => Number(headers.get(`${family}index`));
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterEach(() => sandbox.reset());
  afterAll(() => sandbox.close());

  /** Has it been answered? Asked after a whole other request, by which time an answer would have arrived. */
  async function held(answer: Promise<unknown>): Promise<boolean> {
    const pending = Symbol();
    for (let round = 0; round < 3; round += 1) await get("agent/members");
    return (await Promise.race([answer, Promise.resolve(pending)])) === pending;
  }

  /** Begins a request, and returns when it has arrived. */
  async function begin(path: string): Promise<Promise<Answer>[]> {
    const before = sandbox.requests().length;
    const answer = get(path);
    while (sandbox.requests().length === before) await new Promise(setImmediate);
    return [answer];
  }

  test("until a change, which it then shows", async () => {
    const index = indexOf(await get("jobs"));
    const [answer] = await begin(`jobs?index=${index}`);
    expect(await held(answer!)).toBe(true);
    // Another table's change is none of its business.
    sandbox.scheduler.nodes.change("00000001-4a5b-4c6d-8e7f-0123456789ab", { Status: "down" });
    expect(await held(answer!)).toBe(true);
    sandbox.scheduler.jobs.change("web", { Status: "dead" });
    const { json } = await answer!;
    expect(json[2].Status).toBe("dead");
    expect(indexOf(await answer!)).toBeGreaterThan(index);
  });

  test("not at all where it missed a change, or names no index", async () => {
    const index = indexOf(await get("jobs"));
    expect((await get(`jobs?index=${index - 1}`)).status).toBe(200);
    expect((await get("jobs?index=0&wait=5m")).status).toBe(200);
    expect((await get("jobs?wait=5m")).status).toBe(200);
  });

  test("until the end of the wait and a sixteenth more, by the sandbox's clock, and then shows what is there", async () => {
    const index = indexOf(await get("nodes"));
    const [answer] = await begin(`nodes?index=${index}&wait=1m`);
    sandbox.clock.advance(59_000);
    expect(await held(answer!)).toBe(true);
    sandbox.clock.advance(1000 + 60_000 / 16);
    expect(indexOf(await answer!)).toBe(index);
  });

  test("five minutes when it names no wait, and never longer than the most", async () => {
    const index = indexOf(await get("nodes"));
    const [byDefault] = await begin(`nodes?index=${index}`);
    const most = dialect === "standard" ? 600_000 : 300_000;
    const [longest] = await begin(`nodes?index=${index}&wait=10h`);
    sandbox.clock.advance(299_000);
    expect(await held(byDefault!)).toBe(true);
    sandbox.clock.advance(1000 + 300_000 / 16);
    expect((await byDefault!).status).toBe(200);
    if (dialect === "standard") {
      expect(await held(longest!)).toBe(true);
      sandbox.clock.advance(most - 300_000 + most / 16);
    }
    expect((await longest!).status).toBe(200);
  });

  test("one record as well, and a mistake in the filter is told at once", async () => {
    const index = indexOf(await get("job/web"));
    const [answer] = await begin(`job/web?index=${index}`);
    expect(await held(answer!)).toBe(true);
    sandbox.scheduler.jobs.remove("web");
    expect(await answer!).toMatchObject({ status: 404, text: "job not found" });
    expect((await get(`jobs?index=${index + 10}&filter=Nope`)).status).toBe(400);
  });

  test("a stale one until the change has come to the server that is behind", async () => {
    const { scheduler, clock } = sandbox;
    scheduler.setStaleness(30_000);
    clock.advance(60_000);
    const index = indexOf(await get("jobs?stale"));
    const [answer] = await begin(`jobs?stale&index=${index}`);
    scheduler.jobs.change("web", { Status: "dead" });
    expect(await held(answer!)).toBe(true);
    clock.advance(30_000);
    expect((await answer!).json[2].Status).toBe("dead");
  });

  test("until the sandbox is reset or closed", async () => {
    const [first] = await begin("jobs?index=1000");
    await sandbox.reset();
    expect((await first!).status).toBe(200);
    const other = await start({ dialect });
    const waiting = call(other.scheduler, "GET", "/v1/jobs?index=1000").catch(() => "closed");
    while (other.requests().length === 0) await new Promise(setImmediate);
    await other.close();
    expect(["closed", expect.objectContaining({ status: 200 })]).toContainEqual(await waiting);
  });
});
