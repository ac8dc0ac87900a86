import { z } from "zod";
import { StewardError } from "../contract/errors";
import { nonEmptyStr, rule, SecretReference } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { isReference, readReference, unreadable } from "../contract/secret";
import { Request, send } from "../http";
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

interface Session {
  token: Promise<string>;
  revoke(): Promise<unknown>;
}

/** The sessions of this process. A login that failed stays here, too, so that no resource repeats it. */
const sessions = new Map<string, Session>();

const keyOf = ({ server }: Operation, login: Login): string => JSON.stringify([server.id, login]);

/** The operation with the token of its connection's login, for which the first request of a process waits. */
export async function loggedIn(operation: Operation, login: Login | undefined, headers: Request["headers"]): Promise<Operation> {
  // A command may use a token of its own.
  if (!login || operation.server.credentials.token() !== undefined) return operation;
  const key = keyOf(operation, login);
  revokeAtEnd();
  const session = sessions.get(key) ?? begin(operation, login, headers);
  sessions.set(key, session);
  return withToken(operation, login, await session.token);
}

const withToken = ({ server, ...rest }: Operation, { path }: Login, token: string): Operation => ({
  ...rest,
  server: {
    ...server,
    credentials: { ...server.credentials, token: () => token, tokenSource: `the login at ${path}, and may have expired` },
  },
});

/** The time for a revocation, in milliseconds: Pulumi kills a provider five seconds after the interrupt. */
const revocationTime = 3000;

function begin(operation: Operation, login: Login, headers: Request["headers"]): Session {
  const token = logIn(operation, login, headers);
  return {
    token,
    revoke: async () =>
      send(withToken(operation, login, await token), {
        method: "POST",
        path: "/v1/auth/token/revoke-self",
        headers,
        retry: "never",
        limits: { deadline: revocationTime },
      }),
  };
}

async function logIn(operation: Operation, { path: loginPath, body = {} }: Login, headers: Request["headers"]): Promise<string> {
  const { title, system, words } = operation.server;
  const path = `/v1/${loginPath.split("/").map(encodeURIComponent).join("/")}`;
  const values = Object.fromEntries(Object.entries(body).map(([name, each]) => [name, textOf(name, each)]));
  // The name of a role is no secret, and the reason of the server may be about it.
  const secrets = Object.entries(values).flatMap(([name, text]) => (name === "role" ? [] : [text]));
  const request: Request = { method: "POST", path, body: values, headers, retry: "idempotent" };
  const response = await send({ ...operation, secrets: { values: secrets, fields: [] } }, request).catch((error) => {
    if (!(error instanceof StewardError)) throw error;
    // The request that waits for the login was not sent.
    const unsent = { outcomeUnknown: false, nothingSent: true };
    if (error.status === undefined || error.status >= 500) throw error.with(unsent);
    throw error.with({
      ...unsent,
      rule: "login",
      reason: `the login failed: ${error.details.reason}`,
      hint: `Check \`login\` of ${system} in the ${title}. An ID token may have expired, since each process of Pulumi logs in with its first request.`,
    });
  });
  const { client_token: token } = isObject(response.body) && isObject(response.body.auth) ? response.body.auth : {};
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule: "login",
    reason: `the login returned no token of ${words.service}`,
    method: "POST",
    path,
    status: response.status,
    nothingSent: true,
    hint: `Check \`login\` of ${system} in the ${title}. A login with multi-factor authentication or response wrapping is not supported.`,
  });
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
  if (session) session.revoke = async () => {};
}

/** Revokes the tokens of this process. A failure is no error: the TTL of each is the guard. */
export async function revokeLogins(): Promise<void> {
  const all = [...sessions.values()];
  sessions.clear();
  await Promise.allSettled(all.map((session) => session.revoke()));
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
