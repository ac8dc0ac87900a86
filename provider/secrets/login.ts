import { z } from "zod";
import { StewardError } from "../contract/errors";
import { nonEmptyStr, rule, SecretReference } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { isReference, readReference, unreadable } from "../contract/secret";
import { Request, send } from "../http";
import { unexpectedResponse } from "../http/failure";
import type { Login } from "../program/provider";
import { isObject } from "../text/json";
import { isMountPath, normalizeMount } from "./mount-path";

// A connection that logs in instead of having a token. The token is only in the memory of this process.

const isLoginPath = (path: string): boolean => isMountPath(path) && /^auth\/./.test(normalizeMount(path));
const value = z.custom<string | SecretReference>(
  (each) => typeof each === "string" || isReference(each),
  'must be a string, { env: "<variable>" } or { file: "<path>" }',
);

/** The setting `login`. */
export const loginInput: z.ZodType<Login> = z.strictObject(
  {
    path: nonEmptyStr.refine(isLoginPath, rule("login-path", "must be a path such as auth/jwt/login")).transform(normalizeMount),
    body: z.record(z.string(), value, "must be an object of values").optional(),
  },
  "must be an object with path and body",
);

/** The token of each login of this process, and its revocation. A login that failed stays, too, so that no resource repeats it. */
const sessions = new Map<string, { token: Promise<string>; revoke?: (token: string) => Promise<unknown> }>();

const keyOf = ({ server }: Operation, login: Login): string => JSON.stringify([server.id, login]);

/** The operation with the token of its connection's login, for which the first request of a process waits. */
export async function loggedIn(operation: Operation, login: Login | undefined, headers: Request["headers"]): Promise<Operation> {
  const { server } = operation;
  // A command may use a token of its own.
  if (!login || server.credentials.token() !== undefined) return operation;
  const tokenSource = `the login at ${login.path}, and may have expired`;
  const withToken = (token: string): Operation => ({
    ...operation,
    server: { ...server, credentials: { ...server.credentials, token: () => token, tokenSource } },
  });
  const revocation = { method: "POST", path: "/v1/auth/token/revoke-self", headers, retry: "never", limits: { deadline } } as const;
  const key = keyOf(operation, login);
  const session = sessions.get(key) ?? {
    token: logIn(operation, login, headers),
    revoke: (token) => send(withToken(token), revocation),
  };
  sessions.set(key, session);
  revokeAtEnd();
  return withToken(await session.token);
}

/** The time for a revocation, in milliseconds: Pulumi kills a provider five seconds after the interrupt. */
const deadline = 3000;

async function logIn({ server, run }: Operation, { path, body = {} }: Login, headers: Request["headers"]): Promise<string> {
  const values = Object.fromEntries(Object.entries(body).map(([name, each]) => [name, textOf(name, each)]));
  // The name of a role is no secret, and the reason of the server may be about it.
  const secrets = { values: Object.entries(values).flatMap(([name, text]) => (name === "role" ? [] : [text])), fields: [] };
  const request: Request = {
    method: "POST",
    path: `/v1/${path.split("/").map(encodeURIComponent).join("/")}`,
    body: values,
    headers,
    retry: "idempotent",
  };
  const check = `Check \`login\` of ${server.system} in the ${server.title}.`;
  const response = await send({ server, run, secrets }, request).catch((error) => {
    if (!(error instanceof StewardError)) throw error;
    const isNotFound = error.code === "ERR_NOT_FOUND";
    const rejected = (isNotFound || ["ERR_REJECTED", "ERR_FORBIDDEN"].includes(error.code)) && {
      rule: "login",
      reason: `the login failed${isNotFound ? " with 404" : ""}: ${error.details.reason}`,
      hint: `${check} An ID token may have expired, since each process of Pulumi logs in with its first request.`,
      // The status of the login would tell that the object of the waiting request does not exist.
      ...(isNotFound && ({ code: "ERR_REJECTED", status: undefined, errorCount: undefined } as const)),
    };
    // The request that waits for the login was not sent.
    throw error.with({ ...rejected, outcomeUnknown: false, nothingSent: true });
  });
  const { client_token: token } = isObject(response.body) && isObject(response.body.auth) ? response.body.auth : {};
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return token;
  const hint = `${check} A login with multi-factor authentication or response wrapping is not supported.`;
  const unexpected = unexpectedResponse("POST", request.path, `the login returned no token of ${server.words.service}`, hint);
  throw unexpected.with({ rule: "login", outcomeUnknown: false, nothingSent: true });
}

function textOf(name: string, each: string | SecretReference): string {
  if (typeof each === "string") return each;
  const { value: text, problem } = readReference(each);
  if (text === undefined) throw unreadable([[`login.body.${name}`, each, problem]]);
  return text;
}

/** Keeps the token beyond the process: what it has requested, such as a lease, would end with it. */
export function keepLogin(operation: Operation, login: Login | undefined): void {
  const session = login && sessions.get(keyOf(operation, login));
  if (session) session.revoke = undefined;
}

/** Revokes the tokens of this process. A failure is no error: the TTL of each is the guard. */
export async function revokeLogins(): Promise<void> {
  const all = [...sessions.values()];
  sessions.clear();
  await Promise.allSettled(all.map(async ({ token, revoke }) => revoke?.(await token)));
}

let isEndAwaited = false;

/** A program and a command end without work, and Pulumi interrupts a provider. */
function revokeAtEnd(): void {
  if (isEndAwaited) return;
  isEndAwaited = true;
  process.once("beforeExit", revokeLogins);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, async () => {
      await revokeLogins();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
}
