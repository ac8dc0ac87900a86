import { start } from "../../../sandbox/index";
import { type Answer, call } from "../../support/call";
import { until } from "../../support/until";
import { onEachDialect } from "../sandbox";

onEachDialect("the scheduler's blocking queries", ({ dialect, real, family, sandbox, to }) => {
  const get = (path: string): Promise<Answer> => to.scheduler("GET", `/v1/${path}`);
  const indexOf = ({ headers }: Answer): number => Number(headers.get(`${family}index`));

  /** True if there is no response yet. It sends another whole request first, by whose end a response would have arrived. */
  async function held(answer: Promise<unknown>): Promise<boolean> {
    const pending = Symbol();
    for (let round = 0; round < 3; round += 1) await get("agent/members");
    return (await Promise.race([answer, Promise.resolve(pending)])) === pending;
  }

  /** Starts a request, and returns when it has arrived. */
  async function begin(path: string): Promise<Promise<Answer>[]> {
    const before = sandbox().requests().length;
    const answer = get(path);
    await until("the request arrives", () => sandbox().requests().length > before);
    return [answer];
  }

  test("return the current state at the end of the wait plus a sixteenth, by the sandbox's clock", async () => {
    const index = indexOf(await get("nodes"));
    const [answer] = await begin(`nodes?index=${index}&wait=1m`);
    sandbox().clock.advance(30_000);
    expect(await held(answer!)).toBe(true);
    sandbox().clock.advance(30_000 + 60_000 / 16);
    expect(indexOf(await answer!)).toBe(index);
  });

  test("wait five minutes by default, and never longer than the maximum", async () => {
    const index = indexOf(await get("nodes"));
    const [byDefault] = await begin(`nodes?index=${index}`);
    const most = real ? 300_000 : 600_000;
    const [longest] = await begin(`nodes?index=${index}&wait=10h`);
    sandbox().clock.advance(270_000);
    expect(await held(byDefault!)).toBe(true);
    sandbox().clock.advance(30_000 + 300_000 / 16);
    expect((await byDefault!).status).toBe(200);
    if (!real) {
      expect(await held(longest!)).toBe(true);
      sandbox().clock.advance(most - 300_000 + most / 16);
    }
    expect((await longest!).status).toBe(200);
  });

  test("work for one record, and report an invalid filter at once", async () => {
    const index = indexOf(await get("job/web"));
    const [answer] = await begin(`job/web?index=${index}`);
    expect(await held(answer!)).toBe(true);
    sandbox().scheduler.jobs.remove("web");
    expect(await answer!).toMatchObject({ status: 404, text: "job not found" });
    expect((await get(`jobs?index=${index + 10}&filter=Nope`)).status).toBe(400);
  });

  test("with stale return when the change has reached the lagging server", async () => {
    const { scheduler, clock } = sandbox();
    scheduler.setStaleness(30_000);
    clock.advance(60_000);
    const index = indexOf(await get("jobs?stale"));
    const [answer] = await begin(`jobs?stale&index=${index}`);
    scheduler.jobs.change("web", { Status: "dead" });
    expect(await held(answer!)).toBe(true);
    clock.advance(30_000);
    expect((await answer!).json[2].Status).toBe("dead");
  });

  test("end with a reset or a close of the sandbox", async () => {
    const [first] = await begin("jobs?index=1000");
    await sandbox().reset();
    expect((await first!).status).toBe(200);
    const other = await start({ dialect });
    const waiting = call(other.scheduler, "GET", "/v1/jobs?index=1000").catch(() => "closed");
    await until("the request arrives", () => other.requests().length > 0);
    await other.close();
    expect(["closed", expect.objectContaining({ status: 200 })]).toContainEqual(await waiting);
  });
});
