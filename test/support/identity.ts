import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { call } from "./call";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
/** The public key of the CI system. */
export const issuerKey = publicKey.export({ type: "spki", format: "pem" }).toString();
const audience = "https://vault.example.com";

/** An ID token as a CI system issues it. */
export function idToken(secondsLeft = 300, claims: object = { sub: "ci", aud: audience }): string {
  const exp = Math.floor(Date.now() / 1000) + secondsLeft;
  const parts = [
    { alg: "RS256", typ: "JWT" },
    { ...claims, iat: exp - 300, nbf: exp - 300, exp },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(privateKey, "base64url")}`;
}

/** Lets ID tokens log in with a new role, which has this policy, and returns its name. */
export async function allowLogins(root: { url: string; token: string }, policy: string): Promise<string> {
  const role = `ci-${randomBytes(6).toString("hex")}`;
  const send = async (path: string, body: object, status = 204): Promise<void> =>
    expect((await call(root, "POST", `/v1/${path}`, body)).status).toBe(status);
  // The sandbox has the method from the start.
  await call(root, "POST", "/v1/sys/auth/jwt", { type: "jwt" });
  await call(root, "POST", "/v1/auth/jwt/config", { jwt_validation_pubkeys: [issuerKey] });
  await send(`sys/policies/acl/${role}`, { policy });
  const { status } = await call(root, "POST", `/v1/auth/jwt/role/${role}`, {
    role_type: "jwt",
    user_claim: "sub",
    bound_audiences: [audience],
    token_policies: [role],
    token_ttl: "10m",
  });
  expect(Math.floor(status / 100)).toBe(2);
  return role;
}
