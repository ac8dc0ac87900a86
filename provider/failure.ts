import { Connection } from "./connection";
import { ErrorCode, redact, StewardError } from "./errors";

// What an exchange that failed means, and what to do about it.

/** The code of an answer that was not read to its end. @internal */
export const bodyTooLarge = "BODY_TOO_LARGE";

/** Makes an error of this request, free of its secrets. @internal */
export type Fail = (code: ErrorCode, reason: string, facts?: Partial<StewardError["facts"]>) => StewardError;

/** Codes of a connection that never stood, so that nothing was sent. */
const neverConnected = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"];
const timeouts = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];

/** @internal */
export function brokenConnection(error: NodeJS.ErrnoException, connection: Connection, writes: boolean, fail: Fail): StewardError {
  const { name, address, system } = connection;
  const code = String(error.code ?? "");
  if (code === bodyTooLarge)
    return fail("ERR_UNEXPECTED_RESPONSE", "the server's answer is too large to be one of its API", {
      advice: `Check that ${address} is the address of the ${system} API itself.`,
      outcomeUnknown: writes,
    });
  if (neverConnected.includes(code))
    return fail("ERR_UNREACHABLE", `no connection to ${address} (${code})`, {
      advice: "Check the connection's address, that the server runs, and the network between.",
    });
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code))
    return fail("ERR_UNEXPECTED_RESPONSE", `no trusted TLS connection to ${address} (${code})`, {
      advice: "Give the authority that signed its certificate as the connection's caCert, or correct the scheme of the address.",
      nothingSent: true,
    });
  if (/^ERR_OSSL_|^ERR_CRYPTO_/.test(code))
    return fail("ERR_INVALID_INPUT", `the certificates or the key of ${system} in the connection "${name}" cannot be used (${code})`, {
      advice: "Give caCert, clientCert and clientKey as PEM, or as the path of a PEM file.",
    });
  if (code === "ERR_INVALID_URL" || code === "UND_ERR_ABORTED" || code.startsWith("UND_ERR_PRX"))
    return fail("ERR_UNREACHABLE", `the proxy that the environment names does not let us through to ${address}`, {
      advice: "Correct http_proxy and https_proxy, or name the host in no_proxy.",
    });
  if (code.startsWith("HPE_") || code.startsWith("Z_"))
    return fail("ERR_UNEXPECTED_RESPONSE", `what ${address} answers cannot be read (${code})`, {
      advice: "Check the scheme and the port of the connection's address, and what stands between.",
      outcomeUnknown: writes && code.startsWith("Z_"),
    });
  const late = timeouts.includes(code) || error.name === "TimeoutError";
  return fail(
    "ERR_REPLY_LOST",
    late ? `${address} did not answer in time` : `the connection to ${address} broke before the whole answer came`,
    {
      advice: writes ? "The server may have applied it: run the same again, which goes on from what the server holds." : "Try again.",
      outcomeUnknown: writes,
    },
  );
}

/** @internal */
export function redirected({ address }: Connection, status: number, location: string | string[] | undefined, fail: Fail): StewardError {
  const target = typeof location === "string" && URL.canParse(location, address) ? new URL(location, address).origin : undefined;
  if (!target || target === new URL(address).origin)
    return fail("ERR_REDIRECTED", "the server sends us on to another path, where its API is not", {
      status,
      advice: "Check the base path of the connection's address, and the mount.",
    });
  return fail("ERR_REDIRECTED", `the server sends us on to ${target}, and credentials are not sent after a redirect`, {
    status,
    advice: `If ${target} is the active node of this installation, make it the connection's address, or use the address of the load balancer.`,
  });
}

/** Retry-After holds seconds or a date: milliseconds, undefined when it is neither. @internal */
export function pauseAskedFor(header: string): number | undefined {
  const milliseconds = /^-?[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** @internal */
export function errorCode(status: number): ErrorCode {
  if (status === 401 || status === 403) return "ERR_FORBIDDEN";
  if (status === 404) return "ERR_NOT_FOUND";
  if (status === 429) return "ERR_RATE_LIMITED";
  if (status === 503) return "ERR_UNAVAILABLE";
  return status >= 500 ? "ERR_SERVER" : "ERR_REFUSED";
}

/** @internal */
export function adviceFor(status: number, { name, system }: Connection, hasToken: boolean): string | undefined {
  if ((status === 401 || status === 403) && !hasToken)
    return `No token was sent: give the connection "${name}" one for ${system}, as tokenEnv, tokenFile or token, or in the environment beside the address.`;
  if (status === 401 || status === 403) return `Check the token of ${system} in the connection "${name}", and what it is allowed to do.`;
  if (status === 429) return "The server limits the rate of requests: try again later, or with a lower --parallel.";
  if (status === 503) return "The server is sealed, starting or overloaded: try again when it serves requests.";
  if (status >= 500) return "The server failed: its log says why.";
  return undefined;
}

/**
 * The server's own words: `{"errors": ["…"]}`, JSON:API's `{"errors": [{"title", "detail"}]}`, or plain text. Secrets are taken out before anything
 * else is done to them: half a secret would not be found again.
 * @internal
 */
export function serverReason(body: unknown, text: string, secrets: readonly string[]): string {
  const words = (errorsIn(body) ?? []).map((error: unknown) => {
    if (typeof error === "string") return error;
    const { title, detail } = (error ?? {}) as { title?: unknown; detail?: unknown };
    return [title, detail].filter((part) => typeof part === "string").join(": ");
  });
  const plain = body === undefined && !isPage(text) ? text : "";
  const reason = redact(words.filter(Boolean).join("; ") || plain, secrets)
    // How Vault and Nomad print a list of errors, each on a line of its own.
    .replace(/\d+ errors? occurred:\s+\* /, "")
    .replace(/\n\s*\* /g, "; ");
  // Nothing that a terminal would take for a command.
  return reason
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .replace(/\.$/, "")
    .slice(0, 500);
}

/** The list of errors in an answer; undefined where it is not of that form. @internal */
export function errorsIn(answer: unknown): unknown[] | undefined {
  const errors = typeof answer === "object" && answer !== null && "errors" in answer ? answer.errors : undefined;
  return Array.isArray(errors) ? errors : undefined;
}

/** An answer that is JSON, and not what the API gives. A write may have been applied all the same. @internal */
export const unlikeTheApi = (method: string, path: string, reason: string, advice: string): StewardError =>
  new StewardError({ code: "ERR_UNEXPECTED_RESPONSE", reason, method, path, advice, outcomeUnknown: method !== "GET" });

/** @internal */
export const isPage = (text: string): boolean => text.trimStart().startsWith("<");
