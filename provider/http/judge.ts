import { ErrorCode, StewardError } from "../contract/errors";
import { Server } from "../contract/operation";
import { isObject, parsed } from "../text/json";
import { Exchange } from "./exchange";
import { Fail, failureOf, inactiveNode, notJson, webPage } from "./failure";
import { containsShortSecret, redact } from "./redaction";
import { isWrite, Response, Sending } from "./request";

// Decides from a complete response alone whether the request succeeded.

/** The meaning of an error status. */
interface Meaning {
  code: ErrorCode;
  /** True if the server may have applied a write. */
  mayBeApplied?: true;
  hint?(server: Server, hasToken: boolean): string;
}

const forbidden: Meaning = {
  code: "ERR_FORBIDDEN",
  hint: ({ system, title, credentials }, hasToken) =>
    hasToken
      ? `Check the token of ${system} in the ${title}, and its permissions. It comes from ${credentials.tokenSource}.`
      : `No token was sent: ${credentials.missingToken ?? `set tokenEnv, tokenFile or token of ${system} in the ${title}`}.`,
};

const meanings: Record<number, Meaning> = {
  401: forbidden,
  403: forbidden,
  404: { code: "ERR_NOT_FOUND" },
  429: { code: "ERR_RATE_LIMITED", hint: () => "The server limits the rate of requests: try again later, or with a lower --parallel." },
  503: {
    code: "ERR_UNAVAILABLE",
    hint: ({ system }) =>
      system === "secrets"
        ? "The server is sealed, starting or overloaded: try again when it is ready."
        : "The server failed, or it is not ready: see its log, then try again.",
  },
};
const other4xx: Meaning = { code: "ERR_REJECTED" };
const other5xx: Meaning = { code: "ERR_SERVER", mayBeApplied: true, hint: () => "The server failed: see its log." };

/** Returns a 2xx response with its JSON. Throws an error for any other. */
export function judge({ status, headers, text }: Exchange, { operation, request, token, secrets }: Sending): Response {
  const { server } = operation;
  const fail = failureOf(request, secrets);
  const writes = isWrite(request);
  if (status >= 200 && status < 300) {
    const body = parsed(text, request.parse);
    if (body !== undefined || text === "") return { status, headers, body };
    throw fail("ERR_UNEXPECTED_RESPONSE", isHtml(text) ? "the response is a web page" : "the response is not JSON", {
      rule: isHtml(text) ? webPage : notJson,
      status,
      hint: `Check that ${server.address} is the address of the ${server.system} API, not of a proxy or a login page.`,
      outcomeUnknown: writes,
    });
  }
  if (status >= 300 && status < 400) throw redirected(server.address, status, headers.location, writes, fail);
  const { code, mayBeApplied = false, hint } = meanings[status] ?? (status < 500 ? other4xx : other5xx);
  const hasToken = token !== undefined;
  const body = parsed(text);
  const reason = serverReason(body, text, secrets);
  const retryAfter = headers["retry-after"] ?? headers["x-ratelimit-reset"];
  throw fail(code, reason || (isHtml(text) ? "the response is a web page" : "the server returned no reason"), {
    status,
    errorCount: errorsIn(body)?.length,
    rule: ruleOf(code, reason, text, hasToken),
    firstHint: status === 403 && request.query?.namespace === undefined ? namespaceHint(server) : undefined,
    hint: hint?.(server, hasToken),
    outcomeUnknown: writes && mayBeApplied,
    ...(typeof retryAfter === "string" ? { retryAfter } : {}),
  });
}

function redirected(address: string, status: number, location: unknown, writes: boolean, fail: Fail): StewardError {
  const server = new URL(address);
  const target = typeof location === "string" && URL.canParse(location, address) ? new URL(location, address) : undefined;
  if (!target || target.origin === server.origin)
    return fail("ERR_REDIRECTED", "the server redirects to a different path, which is not its API", {
      rule: "other-path",
      status,
      hint: "Check the base path of the connection's address, and the mount.",
    });
  const { origin } = target;
  // Also after the active node has applied the request, if its response to the standby is lost.
  const isStandby = status === 307 && target.host !== server.host && target.pathname.startsWith("/v1/");
  return fail("ERR_REDIRECTED", `the server redirects to ${origin}, and the provider does not send credentials there`, {
    rule: isStandby ? inactiveNode : "other-server",
    status,
    outcomeUnknown: isStandby && writes,
    hint: `If ${origin} is the active node of this cluster, set the connection's address to it, or to a load balancer whose health check is /v1/sys/health.`,
  });
}

/** Responses of nodes of a cluster that are sealed, or know no active node. */
const inactive = /^(\w+ is sealed|local node not active but active cluster node not found|no active \w+ instance found)$/;

function ruleOf(code: ErrorCode, reason: string, text: string, hasToken: boolean): string | undefined {
  if (inactive.test(reason)) return inactiveNode;
  if (code === "ERR_FORBIDDEN" && !hasToken) return "no-token";
  return isHtml(text) ? webPage : undefined;
}

/** The remedy if the token may belong to a namespace that only the environment names. */
const namespaceHint = ({ system, place, unusedNamespace }: Server): string | undefined =>
  unusedNamespace &&
  `No namespace was sent: the address is configured, so ${unusedNamespace} is not used. Set namespace of ${system} in ${place}.`;

/** The reason in an error: a string, JSON:API's `title` and `detail`, or a usual name. No API document shows the fields of an error. */
function reasonIn(error: unknown): string {
  if (typeof error === "string") return error;
  const { title, detail, error: inner, message } = (error ?? {}) as Record<string, unknown>;
  const own = [title, detail].filter((part) => typeof part === "string").join(": ");
  const others = [inner, (inner as { message?: unknown } | null | undefined)?.message, message];
  return own || others.find((part): part is string => typeof part === "string") || "";
}

/** A whole response as a reason: one object of plain values, none of which may be a secret that the server made. */
function wholeOf(body: unknown): string {
  const entries = Object.entries(isObject(body) ? body : {});
  const isHarmless = entries.every(([name, value]) => typeof value !== "object" && !/secret|token|key|password|nonce|share/i.test(name));
  // Serialized again, since the server may have escaped a character of a secret.
  return entries.length > 0 && isHarmless ? JSON.stringify(body) : "";
}

/**
 * The reason in an error response: that of each error in its list, or its own, or else the whole response. Every regular expression takes linear time,
 * since the server chooses the length, and no deadline interrupts an expression.
 */
export function serverReason(body: unknown, text: string, secrets: readonly string[]): string {
  const errors = errorsIn(body);
  const words = (errors ?? [body]).map(reasonIn).filter(Boolean);
  const reason = words.join("; ") || (body === undefined ? (isHtml(text) ? "" : text) : wholeOf(body));
  if (reason === "") return reason;
  if (containsShortSecret(reason, secrets)) return "the server's reason contains a secret and is not shown";
  // Redact before shortening: a part of a secret would not be found.
  return (
    redact(reason, secrets)
      // Go servers print each error of a list on its own line: "2 errors occurred:\n\t* one\n\t* two\n\n".
      .replace(/([\p{Cc}\p{Cf}\s]+)(\* )?/gu, (_, blanks: string, item = "") => (item && blanks.includes("\n") ? "; " : ` ${item}`))
      .replace(/\d{1,9} errors? occurred:; /, "")
      .trim()
      .slice(0, 500)
      .replace(/\.$/, "")
  );
}

/** Returns the list of errors in a response, or undefined if it has none. */
function errorsIn(body: unknown): unknown[] | undefined {
  const errors = typeof body === "object" && body !== null && "errors" in body ? body.errors : undefined;
  return Array.isArray(errors) ? errors : undefined;
}

const isHtml = (text: string): boolean => text.trimStart().startsWith("<");
