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

  type Step = "rotate" | "trim" | readonly [days: number, keys: number];
  test.each<[string, Step[]]>([
    // The first trim is 30 days after the first of the two rotations, and the next rotation 90 days after the second.
    [
      "a rotation on request restarts the 90 days and keeps a pending trim",
      [[60, 1], "rotate", [20, 2], "rotate", [0, 3], [11, 1], [78, 1], [2, 2]],
    ],
    // The rotation of day 90 determines again when the old key is removed. The last trim is 30 days after the one on request, and 25 after the rotation.
    [
      "a trim on request restarts its 30 days and keeps the next rotation",
      [[80, 1], "trim", [11, 2], [28, 2], [2, 1], "trim", [5, 1], "rotate", [24, 2], [2, 1]],
    ],
  ])("%s", async (_, steps) => {
    for (const step of steps) {
      if (typeof step === "string") await act(step);
      else expect(keysAfter(step[0])).toBe(step[1]);
    }
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
