import { type Sandbox, start } from "../../sandbox/index";
import { call } from "./call";

describe.each(["standard", "hashicorp"] as const)("the scheduler, %s", (dialect) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());

  test("it asks for its token, in its own header or as a bearer, and knows no route yet", async () => {
    const { scheduler } = sandbox;
    expect(await call(scheduler, "GET", "/v1/nothing", undefined, "")).toMatchObject({ status: 403, text: "Permission denied" });
    expect(await call(scheduler, "GET", "/v1/nothing", undefined, "wrong")).toMatchObject({ status: 403 });
    for (const headers of [
      { [dialect === "standard" ? "x-scheduler-token" : "x-nomad-token"]: scheduler.token },
      { authorization: `Bearer ${scheduler.token}` },
    ]) {
      const response = await fetch(`${scheduler.url}/v1/nothing`, { headers });
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "text/plain; charset=UTF-8"]);
    }
  });
});
