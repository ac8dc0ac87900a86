import { randomBytes, randomUUID } from "node:crypto";
import { Hono } from "hono";
import { dropHeader } from "../../server";
import { rekeyBody } from "../body";
import { Dialect, RootTokens } from "../dialect";
import { Described, Operation } from "../document";
import { HttpError } from "../http-error";
import { encrypt, readHolder } from "../pgp";
import { authorize } from "../rekey";
import { AppEnv, done, errors, Route } from "../response";
import { combine, readShare, same } from "../seal";
import { addRootToken } from "../seed";
import { rootProgress, rootStatus } from "../wire";

export const below = "sys";
export const isServed = ({ rootTokens }: Dialect): boolean => rootTokens !== undefined;

export function paths({ rootTokens, raw }: Dialect): Described[] {
  const { path } = rootTokens as RootTokens;
  const at = (end: string, operations: Described["operations"]): Described => ({
    path: `${path}/${end}`,
    description: "Reads status, initializes, or cancels a root token generation process.",
    unauthenticated: raw.includes(`sys/${path}/${end}`),
    operations,
  });
  const operation = (id: string, summary: string, status?: Operation["status"]) => ({ id: `root-token-generation-${id}`, summary, status });
  return [
    at("attempt", {
      get: operation("read-progress", "Read the configuration and progress of the current root generation attempt."),
      post: operation("initialize", "Initializes a new root generation attempt."),
      delete: operation("cancel", "Cancels any in-progress root generation attempt.", "204"),
    }),
    at("update", { post: operation("update", "Enter a single unseal key share to progress the root generation attempt.") }),
  ];
}

export function routes(app: Hono<AppEnv>, { rootTokens, envelope, tokenPrefix }: Dialect): void {
  const { path, inData, inProgress, refused } = rootTokens as RootTokens;
  const attempts = `/sys/${path}/attempt`;
  const respond = (c: Route, fields: Record<string, unknown>): Response => c.json(inData ? envelope(fields, "system") : fields);
  const createId = (): string => `${tokenPrefix}${randomBytes(18).toString("base64url")}`;
  const status = (c: Route, otp = ""): Response => {
    const { rootAttempt, key } = c.var.records;
    return respond(c, rootStatus(rootAttempt, key.threshold, { otp, otp_length: createId().length }, inData));
  };

  app.get(attempts, (c) => status(c));

  app.on(["POST", "PUT"], attempts, async (c) => {
    const { records } = c.var;
    // An empty body is valid here.
    const { pgp_key } = (await c.req.text()) ? await rekeyBody(c, "GenerateRootInitRequest", { pgp_key: "string" }) : { pgp_key: "" };
    const otp = pgp_key ? "" : randomBytes(18).toString("hex").slice(0, createId().length);
    const holder = pgp_key ? await readHolder(pgp_key).catch(refuseKey) : undefined;
    if (records.rootAttempt) throw new HttpError(400, inProgress);
    records.rootAttempt = { nonce: randomUUID(), submitted: [], holder, otp };
    return status(c, otp);
  });

  app.delete(attempts, (c) => {
    c.var.records.rootAttempt = undefined;
    return done(c);
  });

  app.on(["POST", "PUT"], `/sys/${path}/update`, async (c) => {
    const { key, nonce } = await rekeyBody(c, "GenerateRootUpdateRequest", { nonce: "string", key: "string" });
    if (inData && nonce === "") return errors(c, 400, "nonce is required");
    if (key === "") return errors(c, 400, inData ? "key is required" : "'key' must be specified in request body as JSON");
    try {
      return respond(
        c,
        await update(c, rootTokens as RootTokens, { share: readShare(key, { before: "invalid key: " }), nonce }, createId()),
      );
    } catch (error) {
      // The servers panic. The token stays valid.
      if (error instanceof Unencrypted) return new Response(undefined, { headers: { [dropHeader]: "" } });
      throw refused((error as Error).message);
    }
  });
  // The responses of an OpenBao listener that disables Vault's paths. They need no token.
  for (const end of inData ? ["attempt", "update"] : [])
    app.all(`/sys/generate-root/${end}`, (c) => errors(c, 405, "unsupported operation"));
}

const refuseKey = ({ message }: Error): never => {
  throw new HttpError(400, `error parsing PGP key: ${message}`);
};

class Unencrypted extends Error {}

/** Accepts a share. The last one creates the token. The attempt outlives shares that are wrong. */
async function update(
  c: Route,
  { unreadable, inData }: RootTokens,
  { share, nonce }: { share: Uint8Array; nonce: string },
  id: string,
): Promise<Record<string, unknown>> {
  const { records, now } = c.var;
  const { rootAttempt: attempt, key } = records;
  if (!attempt) throw new Error("no root generation in progress");
  if (nonce !== attempt.nonce) throw new Error(`incorrect nonce supplied; nonce for this root generation operation is "${attempt.nonce}"`);
  if (attempt.submitted.some((other) => same(other, share)))
    throw new Error("given key has already been provided during this generation operation");
  attempt.submitted.push(share);
  if (attempt.submitted.length < key.threshold) return rootProgress(attempt, key.threshold, "", inData);
  const { submitted } = attempt;
  attempt.submitted = [];
  const secret = await combine(submitted, key).catch(({ message }: Error) => {
    throw new Error(`failed to compute root key: ${message}`);
  });
  try {
    const wrongKey = (): HttpError => new HttpError(400, `unable to retrieve stored keys: invalid key: ${unreadable}`);
    authorize(records, secret, { failed: (reason) => new HttpError(400, reason), wrongKey });
  } catch (error) {
    throw new Error(`root generation aborted: unable to authenticate: ${(error as Error).message}`);
  }
  addRootToken(records, id);
  const token = new Uint8Array(Buffer.from(id));
  const message = attempt.holder
    ? await encrypt(token, attempt.holder, now).catch(() => {
        throw new Unencrypted();
      })
    : token.map((byte, at) => byte ^ attempt.otp.charCodeAt(at));
  records.rootAttempt = undefined;
  return rootProgress(attempt, key.threshold, Buffer.from(message).toString("base64"), inData);
}
