import { type Sandbox, start } from "../../sandbox";
import { call } from "./call";

describe.each(["standard", "hashicorp"] as const)("the platform and the scheduler, %s", (dialect) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await start({ dialect });
  });
  afterAll(() => sandbox.close());

  test("the platform asks for its token and knows no route yet", async () => {
    for (const token of ["", "wrong"])
      expect(await call(sandbox.platform, "GET", "/api/v2/ping", undefined, token)).toMatchObject({
        status: 401,
        json: { errors: [{ status: "401", title: "unauthorized" }] },
      });
    const answer = await call(sandbox.platform, "GET", "/api/v2/nothing");
    expect(answer).toMatchObject({ status: 404, json: { errors: [{ status: "404", title: "not found" }] } });
    expect(answer.headers.get("content-type")).toBe("application/vnd.api+json");
  });

  test("the scheduler asks for its token, in its own header or as a bearer, and knows no route yet", async () => {
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
