import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { structure } from "../body";
import { Dialect } from "../dialect";
import { Described } from "../document";
import { HttpError } from "../http-error";
import { Records } from "../records";
import { AppEnv, errors } from "../response";
import { combine, readShare, same } from "../seal";
import { health, sealStatus } from "../wire";

export const below = "sys";
export const isServed = ({ raw }: Dialect): boolean => raw.includes("sys/unseal");

export const paths = (): Described[] => [
  {
    path: "health",
    description: "Checks the health status of the Vault.",
    unauthenticated: true,
    operations: { get: { summary: "Returns the health status of Vault.", id: "read-health-status" } },
  },
  {
    path: "unseal",
    description: "Unseals the Vault.",
    unauthenticated: true,
    operations: { post: { summary: "Unseal the Vault.", id: "unseal" } },
  },
  {
    path: "seal-status",
    description: "Returns the seal status of the Vault.",
    unauthenticated: true,
    operations: { get: { summary: "Check the seal status of a Vault.", id: "seal-status" } },
  },
];

export function routes(app: Hono<AppEnv>): void {
  // For the load balancer of an installation. The sandbox is one node, so it is active or sealed.
  app.get("/sys/health", (c) => {
    const { records, dialect, now } = c.var;
    const { sealed } = records;
    const code = c.req.query(sealed ? "sealedcode" : "activecode") ?? (sealed ? "503" : "200");
    if (!/^[2-5]\d\d$/.test(code)) return errors(c, 400);
    return Response.json({ ...health(records, now, dialect.version), ...dialect.health }, { status: Number(code) });
  });

  app.on(["POST", "PUT"], "/sys/unseal", async (c) => {
    const { records } = c.var;
    const { key, reset } = await structure(c, "UnsealRequest", { key: "string", reset: "bool", migrate: "bool" });
    if (reset) {
      if (!records.sealed) return errors(c, 400, "vault is unsealed");
      records.unsealing = undefined;
    } else {
      if (key === "") return errors(c, 400, "'key' must be specified in request body as JSON, or 'reset' set to true");
      await unseal(records, readShare(key, { before: "invalid key: " }));
    }
    return c.json(sealStatus(records, c.var.dialect.version));
  });

  app.get("/sys/seal-status", (c) => c.json(sealStatus(c.var.records, c.var.dialect.version)));
}

/** Accepts a share. Wrong shares are detected at the threshold, which drops all. A duplicate changes nothing. */
async function unseal(records: Records, share: Uint8Array): Promise<void> {
  if (!records.sealed) return;
  records.unsealing ??= { nonce: randomUUID(), parts: [] };
  const { parts } = records.unsealing;
  if (parts.some((other) => same(other, share))) return;
  parts.push(share);
  if (parts.length < records.key.threshold) return;
  records.unsealing = undefined;
  const secret = await combine(parts, records.key).catch((error: Error) => {
    throw new HttpError(400, `invalid key: failed to compute combined key: ${error.message}`);
  });
  if (!same(secret, records.key.secret)) throw new HttpError(400, wrong(records, secret));
  records.sealed = false;
}

/** The message of Vault's storage for a wrong key. */
function wrong(records: Records, secret: Uint8Array): string {
  if (records.seal === "stored") return "invalid key: failed to verify recovery key: recovery key does not match submitted values";
  if (![16, 24, 32].includes(secret.length))
    return `invalid key: failed to setup unseal key: crypto/aes: invalid key size ${secret.length}`;
  const reason = "error decrypting seal wrapped value\nerror decrypting using seal shamir: cipher: message authentication failed";
  return `unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: ${reason}`;
}
