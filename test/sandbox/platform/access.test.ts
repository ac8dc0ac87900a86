import { onEachDialect } from "../sandbox";

onEachDialect("access to the platform", ({ real, sandbox, to: { platform: to } }) => {
  const general = "/api/v2/admin/general-settings";
  const limit = (attributes: object) => to("PATCH", general, { data: { attributes } });

  // The platform limits the requests of a second. Time stands still, so that a slow machine sends them within one, too.
  beforeEach(() => {
    const now = Date.now();
    jest.spyOn(Date, "now").mockReturnValue(now);
  });
  afterEach(() => jest.restoreAllMocks());

  async function burst(count: number): Promise<number[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => to("GET", general)));
    return answers.map(({ status }) => status).sort();
  }

  test("every route responds with 401 without its token or with another one", async () => {
    for (const token of ["", "wrong"])
      for (const path of [general, "/api/v2/nothing", "/api/registry/v1/modules/acme/network/aws/versions"])
        expect(await to("GET", path, undefined, token)).toMatchObject({
          status: 401,
          json: { errors: [{ status: "401", title: "unauthorized" }] },
        });
    const { url, token } = sandbox().platform;
    expect((await fetch(`${url}${general}`, { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
  });

  test("a token has the format of Terraform Enterprise's tokens", () => {
    for (const token of [sandbox().platform.token, sandbox().platform.memberToken])
      expect(token).toMatch(/^[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9]{67}$/);
  });

  const notFound = { status: 404, json: { errors: [{ status: "404", title: "not found" }] } };

  test("an unknown path is not found, and neither is an administrator's for a member, who reads the registry of an organization", async () => {
    const { memberToken } = sandbox().platform;
    for (const path of ["/api/v2/nothing", "/api/v2/admin", "/"]) expect(await to("GET", path)).toMatchObject(notFound);
    expect(await to("PUT", general, { data: { attributes: {} } })).toMatchObject(notFound);
    expect(await to("PATCH", general, undefined, memberToken)).toMatchObject(notFound);
    expect(await to("GET", "/api/v2/%61dmin/general-settings", undefined, memberToken)).toMatchObject(notFound);
    expect((await to("GET", "/api/registry/v1/modules/globex/website/google/0.1.0", undefined, memberToken)).status).toBe(200);
  });

  test("a request body must be JSON:API, and so are documents and errors", async () => {
    const { url, token } = sandbox().platform;
    const send = async (type: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, "content-type": type };
      const body = JSON.stringify({ data: { attributes: { "api-rate-limit": 77 } } });
      return (await fetch(`${url}${general}`, { method: "PATCH", headers, body })).status;
    };
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) expect(await send(type)).toBe(415);
    expect((await to("GET", general)).json.data.attributes["api-rate-limit"]).toBe(30);
    expect(await send("application/vnd.api+json; charset=utf-8")).toBe(200);
    expect((await to("GET", general)).json.data.attributes["api-rate-limit"]).toBe(77);
    for (const path of [general, "/api/v2/nothing"])
      expect((await to("GET", path)).headers.get("content-type")).toBe("application/vnd.api+json");
  });

  test("a malformed change is rejected", async () => {
    const malformed = ["{", "[]", "null", {}, { data: { type: "general-settings" } }, { data: { attributes: [] } }];
    for (const body of [undefined, ...malformed])
      expect(await to("PATCH", general, body)).toMatchObject({ status: 422, json: { errors: [{ status: "422" }] } });
  });

  test("more than 30 requests per second of the clock are rate-limited, per client", async () => {
    expect(await burst(32)).toEqual([...Array(30).fill(200), 429, 429]);
    const refused = await to("PATCH", general, { data: { attributes: { "api-rate-limit": 99 } } });
    expect(refused).toMatchObject({ status: 429, json: { errors: [{ status: "429", title: "too many requests" }] } });
    expect(refused.headers.get("retry-after")).toBe(real ? null : "1");
    expect((await to("GET", general, undefined, sandbox().platform.memberToken)).status).toBe(404);
    sandbox().clock.advance(1000);
    const answer = await to("GET", general);
    expect([answer.status, answer.json.data.attributes["api-rate-limit"]]).toEqual([200, 30]);
  });

  test("a change of the limit applies at once, and so does disabling it", async () => {
    await limit({ "api-rate-limit": 31 });
    expect(await burst(31)).toEqual([...Array(30).fill(200), 429]);
    sandbox().clock.advance(1000);
    await limit({ "api-rate-limiting-enabled": false });
    const statuses = await burst(45);
    expect(statuses).toEqual(Array(45).fill(200));
    expect((await to("GET", general)).headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("only the hashicorp dialect returns the remaining requests", async () => {
    const seen = (headers: Headers) => ["limit", "remaining"].map((name) => headers.get(`x-ratelimit-${name}`));
    const first = await to("GET", general);
    expect(seen(first.headers)).toEqual(real ? ["30", "29"] : [null, null]);
    if (!real) return;
    expect(Number(first.headers.get("x-ratelimit-reset"))).toBe(1);
    sandbox().clock.advance(400);
    for (const [path, status, left] of [
      ["/api/v2/nothing", 404, "28"],
      ["/api/v2/admin/workspaces?sort=x", 400, "27"],
    ] as const) {
      const answer = await to("GET", path);
      expect([answer.status, ...seen(answer.headers)]).toEqual([status, "30", left]);
      const reset = Number(answer.headers.get("x-ratelimit-reset"));
      expect(reset > 0 && reset <= 0.6).toBe(true);
    }
    expect(seen((await to("GET", general, undefined, "wrong")).headers)).toEqual(["30", "29"]);
    sandbox().clock.advance(1000);
    expect(await burst(31)).toEqual([...Array(30).fill(200), 429]);
    expect(seen((await to("GET", general)).headers)).toEqual(["30", "0"]);
  });

  test("reset restores deliveries, keys and limits, and keeps tokens", async () => {
    const { platform } = sandbox();
    const tokens = [platform.token, platform.memberToken, platform.url];
    const send = async () =>
      (await to("PATCH", "/api/v2/admin/smtp-settings", { data: { attributes: { "test-email-address": "a@b.c" } } })).status;
    await send();
    platform.mail.fail(500);
    platform.sms.fail();
    const [{ kid } = { kid: "" }] = platform.signingKeys();
    sandbox().clock.advance(1e10);
    await burst(31);
    await sandbox().reset();

    expect([platform.token, platform.memberToken, platform.url]).toEqual(tokens);
    expect([platform.mail.sent(), await send(), platform.mail.sent().length]).toEqual([[], 200, 1]);
    const [key] = platform.signingKeys();
    expect(key!.kid).not.toBe(kid);
    expect(Math.abs(key!.createdAt.getTime() - Date.now())).toBeLessThan(60_000);
  });
});
