import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { onEachDialect } from "../sandbox";

/** Sends one request without asking for compression or decompressing the response. */
async function plain(url: string, headers: Record<string, string>): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const sent = request(url, { headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

onEachDialect("the scheduler", ({ real, family, sandbox, to: { scheduler: to } }) => {
  const header = `${family}token`;

  test("the token is accepted in its own header or as a bearer token", async () => {
    const { scheduler } = sandbox();
    for (const token of ["", "wrong"])
      expect(await to("GET", "/v1/job/web", undefined, token)).toMatchObject({ status: 403, text: "Permission denied" });
    for (const headers of [{ [header]: scheduler.token }, { authorization: `bearer  ${scheduler.token}` }])
      expect((await fetch(`${scheduler.url}/v1/jobs`, { headers })).status).toBe(200);
    const other = real ? "x-scheduler-token" : "x-nomad-token";
    expect((await fetch(`${scheduler.url}/v1/jobs`, { headers: { [other]: scheduler.token } })).status).toBe(403);
  });

  test("an invalid request is rejected before its token is checked", async () => {
    expect(await to("GET", "/v1/nothing", undefined, "")).toMatchObject({ status: 404, text: "" });
    const invalid = await to("DELETE", "/v1/jobs", undefined, "");
    expect(invalid).toMatchObject({ status: 405, text: "Invalid method" });
    expect(invalid.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await to("GET", "/v1/jobs?wait=5", undefined, "")).toMatchObject({ status: 400, text: "Invalid wait time" });
    expect(await to("GET", "/v1/jobs?index=x")).toMatchObject({ status: 400, text: "Invalid index" });
    expect(await to("GET", "/v1/jobs?per_page=x")).toMatchObject({ status: 400 });
    expect(await to("GET", "/v1/jobs?stale=x")).toMatchObject({ status: 400 });
  });

  test("the standard dialect rejects requests that Nomad accepts", async () => {
    const filter = encodeURIComponent('Status == "running"');
    for (const other of ["prefix=w", "meta=true"])
      expect((await to("GET", `/v1/jobs?filter=${filter}&${other}`)).status).toBe(real ? 200 : 400);
    expect((await to("GET", "/v1/jobs?prefix=w&meta=true")).status).toBe(200);
    expect((await to("POST", "/v1/jobs", {})).status).toBe(real ? 400 : 405);
  });

  test("a generated token has the rights of its policies until it expires or is revoked", async () => {
    const { scheduler, clock } = sandbox();
    const status = async (path: string, token: string): Promise<number> => (await to("GET", path, undefined, token)).status;
    // Only the sandbox's clock moves.
    const time = jest.spyOn(Date, "now").mockReturnValue(Date.now());
    scheduler.seed({ policies: [{ name: "apps", namespaces: { apps: "read" } }] });
    const apps = scheduler.tokens.mint({ policies: ["apps", "unknown"], ttl: 60_000 });
    expect(await status("/v1/jobs", apps.secret)).toBe(403);
    clock.advance(59_999);
    expect(await status("/v1/jobs?namespace=apps", apps.secret)).toBe(200);
    clock.advance(1);
    expect(await status("/v1/jobs?namespace=apps", apps.secret)).toBe(403);
    time.mockRestore();

    const operator = scheduler.tokens.mint({ type: "management" });
    expect(await status("/v1/agent/members", operator.secret)).toBe(200);
    expect(scheduler.tokens.revoke(operator.accessor)).toBe(true);
    expect(scheduler.tokens.revoke(operator.accessor)).toBe(false);
    expect(await status("/v1/agent/members", operator.secret)).toBe(403);
    expect(await status("/v1/jobs?namespace=*", scheduler.tokens.mint().secret)).toBe(403);
  });

  test("a response is compressed if the client accepts it, unless its weight is zero", async () => {
    const { url, token } = sandbox().scheduler;
    const ask = (accepted: string) => plain(`${url}/v1/jobs`, { [header]: token, "accept-encoding": accepted });
    const { body: text } = await ask("identity");
    expect(JSON.parse(String(text))).toHaveLength(3);
    const zipped = await ask("br, gzip, deflate");
    expect([zipped.headers["content-encoding"], zipped.headers.vary]).toEqual(["gzip", "Accept-Encoding"]);
    expect(gunzipSync(zipped.body)).toEqual(text);
    expect(inflateRawSync((await ask("deflate")).body)).toEqual(text);
    for (const accepted of ["gzip;q=1.0", "GZIP", "*", ""]) expect((await ask(accepted)).headers["content-encoding"]).toBeUndefined();
    const refused = await plain(`${url}/v1/jobs`, { "accept-encoding": "gzip" });
    expect(String(gunzipSync(refused.body))).toBe("Permission denied");
  });
});
