import { onEachDialect } from "../sandbox";

const day = 86_400_000;

onEachDialect("OIDC signing keys", ({ real, sandbox, to: { platform } }) => {
  const act = async (action: "rotate" | "trim") => {
    const { status, text } = await platform("POST", `/api/v2/admin/oidc-settings/actions/${action}-key`);
    expect([status, text]).toEqual([204, ""]);
  };
  const keys = () => sandbox().platform.signingKeys();
  const kids = (): string[] => keys().map(({ kid }) => kid);
  const keysAfter = (days: number): number => {
    sandbox().clock.advance(days * day);
    return kids().length;
  };

  test("a key is rotated automatically after 90 days and trimmed 30 days later", () => {
    const [first] = kids();
    expect(keysAfter(89)).toBe(1);
    expect(keysAfter(2)).toBe(2);
    expect(kids()[0]).toBe(first);
    const [older, newer] = keys();
    expect(newer!.createdAt.getTime() - older!.createdAt.getTime()).toBe(90 * day);
    expect(keysAfter(28)).toBe(2);
    expect(keysAfter(2)).toBe(1);
    expect(kids()[0]).not.toBe(first);
  });

  test("automatic rotations and trims of several years run in order", () => {
    // Keys rotate on days 90, 180, … and are trimmed 30 days later. On day 735, the rotation of day 720 is not trimmed yet.
    expect(keysAfter(735)).toBe(2);
    const now = sandbox().clock.now().getTime();
    expect(keys().map(({ createdAt }) => Math.round((createdAt.getTime() - now) / day))).toEqual([-105, -15]);
  });

  test("a rotation on request restarts the 90 days and keeps a pending trim", async () => {
    expect(keysAfter(60)).toBe(1);
    await act("rotate");
    expect(keysAfter(20)).toBe(2);
    await act("rotate");
    expect(kids()).toHaveLength(3);
    // This is 30 days after the first of the two.
    expect(keysAfter(11)).toBe(1);
    // This is 90 days after the second, not after the first.
    expect(keysAfter(78)).toBe(1);
    expect(keysAfter(2)).toBe(2);
  });

  test("a trim on request restarts its 30 days and keeps the next rotation", async () => {
    expect(keysAfter(80)).toBe(1);
    await act("trim");
    expect(keysAfter(11)).toBe(2);
    // The rotation of day 90 determines again when the old key is removed.
    expect(keysAfter(28)).toBe(2);
    expect(keysAfter(2)).toBe(1);
    await act("trim");
    expect(keysAfter(5)).toBe(1);
    await act("rotate");
    // This is 30 days after the trim, and 25 after this rotation.
    expect(keysAfter(24)).toBe(2);
    expect(keysAfter(2)).toBe(1);
  });

  test("the hashicorp dialect publishes the keys without a token", async () => {
    await act("rotate");
    const read = () => platform("GET", "/.well-known/jwks", undefined, "");
    const answer = await read();
    if (!real) return expect(answer.status).toBe(401);
    expect(answer.json.keys).toEqual(
      kids().map((kid) => ({ kty: "RSA", use: "sig", alg: "RS256", kid, n: expect.any(String), e: "AQAB" })),
    );
    for (const { n } of answer.json.keys) expect(Buffer.from(n, "base64url")).toHaveLength(256);
    // The rate limit does not apply to it, since it is not a request to the API.
    for (let left = 31; left > 0; left -= 1) expect((await read()).json).toEqual(answer.json);
  });
});
