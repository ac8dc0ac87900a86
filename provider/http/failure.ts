import { ErrorCode, invalidInput, StewardError } from "../contract/errors";
import { Operation, Server } from "../contract/operation";
import { isObject } from "../text/json";
import { containsShortSecret, redact } from "./redaction";

// Converts a failed request to an error with a cause and a hint.

/** The error code of a response that exceeds the size limit. */
export const bodyTooLarge = "BODY_TOO_LARGE";

/** Makes an error of a request, without its secrets. */
export type Fail = (code: ErrorCode, reason: string, details?: Partial<StewardError["details"]>) => StewardError;

const timeouts = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];
/** With TLS 1.3, the client may send a request before the server rejects its certificate. The server never reads that request. */
const clientRefused = /_ALERT_.*(CERTIFICATE|UNKNOWN_CA)/;

/** The progress of a request. */
interface Progress {
  writes: boolean;
  /** This attempt may have sent the request. */
  isSent: boolean;
  /** No attempt has sent the request. */
  nothingSent: boolean;
  /** The status and the headers were received. */
  hasResponse: boolean;
  /** The proxy, if there is one. */
  proxy: ReturnType<typeof proxyFor>;
}

/** Returns the error for a request that got no complete response. Rethrows errors that indicate a bug in this package. */
export function transportError(thrown: unknown, operation: Operation, progress: Progress, fail: Fail): StewardError {
  const { title, address, system } = operation.server;
  const { writes, isSent, hasResponse } = progress;
  const error = thrown as NodeJS.ErrnoException;
  // Undici's parser error has a name, but no code.
  const isGarbled = error.name === "HTTPParserError";
  // Undici's errors of a SOCKS proxy may have no code either.
  const nameless = isGarbled ? error.name : error.message?.startsWith("SOCKS5 ") ? error.message : "";
  const code = String(error.code ?? nameless);
  const isLate = timeouts.includes(code) || error.name === "TimeoutError";
  const outcomeUnknown = writes && isSent;
  if (clientRefused.test(code))
    return fail("ERR_UNEXPECTED_RESPONSE", `${address} rejected the connection's client certificate, or requires one (${code})`, {
      rule: "client-certificate",
      hint: `Check clientCert and clientKey of ${system} in the ${title}.`,
      nothingSent: progress.nothingSent,
      outcomeUnknown: false,
    });
  // A bug in this package, such as a value that JSON cannot represent.
  if (!isSent && code === "") throw error;
  if (!isSent) return unsent(isLate ? "timed out" : code, error.message, operation, progress, fail);
  if (code === bodyTooLarge)
    return fail("ERR_UNEXPECTED_RESPONSE", "the response is too large for the API", {
      rule: "too-large",
      hint: `Check that ${address} is the address of the ${system} API itself.`,
      outcomeUnknown,
    });
  if (isGarbled || code.startsWith("Z_"))
    return fail("ERR_UNEXPECTED_RESPONSE", `the response from ${address} is unreadable (${code})`, {
      rule: "unreadable",
      hint: "Check the scheme and the port of the connection's address, and any proxy on the way.",
      // A response that does not begin as HTTP is from another kind of server.
      outcomeUnknown: outcomeUnknown && (hasResponse || !error.message.includes("Expected HTTP/")),
    });
  return fail(
    "ERR_NO_RESPONSE",
    isLate ? `${address} did not respond in time` : `the connection to ${address} broke before the response was complete`,
    {
      rule: isLate ? "too-late" : "connection-broken",
      hint: writes ? "The server may have applied the write: run the same command again, which continues from there." : "Try again.",
      outcomeUnknown,
    },
  );
}

/** Returns the error for an attempt that sent nothing. Earlier attempts may have been sent. */
function unsent(code: string, message: string, operation: Operation, { nothingSent, proxy }: Progress, fail: Fail): StewardError {
  const { title, address, system } = operation.server;
  const failed = (kind: ErrorCode, rule: string, reason: string, hint: string): StewardError =>
    fail(kind, `${reason}${nothingSent ? ", and nothing was sent" : ""}`, { rule, hint, nothingSent, outcomeUnknown: false });
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code)) {
    const { rule, hint } = tlsHint(code, operation);
    return failed("ERR_UNEXPECTED_RESPONSE", rule, `no trusted TLS connection to ${address} (${code})`, hint);
  }
  const settings = `of ${system} in the ${title}`;
  if (/^ERR_OSSL_|^ERR_CRYPTO_/.test(code)) {
    const hint = "Set caCert, clientCert and clientKey to PEM, or to the path of a PEM file.";
    return failed("ERR_INVALID_INPUT", "pem", `the certificates or the key ${settings} are invalid (${code})`, hint);
  }
  const isRefusal = code === "ERR_INVALID_URL" || code === "UND_ERR_ABORTED" || code.startsWith("UND_ERR_PRX");
  if (proxy && (isRefusal || code !== "UND_ERR_INVALID_ARG")) {
    const hint = `Correct ${proxy.variable}, or add the host to no_proxy.`;
    if (isRefusal) return failed("ERR_UNREACHABLE", "refused-by-proxy", `${proxy.name} refused the connection to ${address}`, hint);
    return failed("ERR_UNREACHABLE", "proxy-unreachable", `no connection to ${address} through ${proxy.name} (${code})`, hint);
  }
  if (code === "UND_ERR_INVALID_ARG")
    return failed("ERR_INVALID_INPUT", "header", `the request is not valid HTTP (${message})`, `Check the settings ${settings}.`);
  const hint = "Check the connection's address, the server and the network.";
  return failed("ERR_UNREACHABLE", "no-connection", `no connection to ${address} (${code})`, hint);
}

const tlsCauses: readonly { rule: string; codes: RegExp; hint(host: string): string }[] = [
  {
    rule: "certificate-expired",
    codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    hint: () => "The server's certificate has expired or is not yet valid: renew it, or correct the clock of this machine.",
  },
  {
    rule: "certificate-host",
    codes: /ALTNAME/,
    hint: (host) =>
      `The server's certificate is not valid for ${host}: set the connection's tlsServerName to a host name of the certificate, or use that name in the address.`,
  },
  {
    rule: "no-tls",
    codes: /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/,
    hint: () => "The server does not use TLS: change the scheme of the connection's address to http, or correct its port.",
  },
  {
    rule: "certificate-authority",
    codes: /UNABLE_TO_|SELF_SIGNED/,
    hint: () => "The server's certificate is signed by an unknown CA: set the connection's caCert to the certificate of that CA.",
  },
];

function tlsHint(code: string, { server: { address, skipVerify, caPath, credentials } }: Operation): { rule: string; hint: string } {
  const cause = tlsCauses.find(({ codes }) => codes.test(code));
  const hint =
    cause?.hint(credentials.tlsServerName ?? new URL(address).hostname) ??
    "Set the connection's caCert to the CA of the server's certificate, or correct the scheme of the address.";
  const ignored = `${skipVerify} is ignored, since an attacker on the network could read the token.`;
  const isIgnored = skipVerify && cause?.rule.startsWith("certificate");
  const unread = caPath && cause?.rule === "certificate-authority" ? [`${caPath} is not read.`] : [];
  return { rule: cause?.rule ?? "tls", hint: [hint, ...unread, ...(isIgnored ? [ignored] : [])].join(" ") };
}

/** The variable with the proxy of a scheme. A variable in lower case hides the other one, even if it is empty. */
function proxyVariable(scheme: "http" | "https", environment: NodeJS.ProcessEnv): string | undefined {
  const lower = `${scheme}_proxy`;
  const variable = environment[lower] === undefined ? lower.toUpperCase() : lower;
  return environment[variable] ? variable : undefined;
}

/**
 * The proxy that undici uses for an address unless no_proxy excepts its host, without its credentials. Throws if undici cannot use a proxy variable: it reads
 * those of both schemes for every address.
 */
export function proxyFor(address: string, environment: NodeJS.ProcessEnv): { name: string; variable: string } | undefined {
  const [http, https] = [proxyVariable("http", environment), proxyVariable("https", environment)];
  const wrong = [http, https].flatMap((variable) => (variable && !isProxy(environment[variable] as string) ? [variable] : []));
  if (wrong.length > 0)
    throw invalidInput(
      wrong.map((path) => ({ path, rule: "proxy", reason: "must be the URL of a proxy" })),
      {
        about: "The environment is invalid, and nothing was sent: ",
        hint: `Set ${wrong.join(" and ")} to a URL such as http://proxy.example.com:3128. Write a percent sign in its password as %25.`,
      },
    );
  const variable = (address.startsWith("https:") && https) || http;
  if (!variable) return undefined;
  const { protocol, host } = new URL(environment[variable] as string);
  return { variable, name: `the proxy ${protocol}//${host} in ${variable}` };
}

function isProxy(value: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(value);
    for (const part of [username, password]) decodeURIComponent(part);
    return hostname !== "" && ["http:", "https:", "socks5:", "socks:"].includes(protocol);
  } catch {
    return false;
  }
}

const inactiveNode = "inactive-node";
/** Responses of nodes of a cluster that are sealed, or know no active node. */
const inactive = /^(\w+ is sealed|local node not active but active cluster node not found|no active \w+ instance found)$/;

/** True if a node of a cluster could not pass a request to the active node. Another attempt may reach the active node. */
export const isInactiveNode = ({ details }: StewardError): boolean => details.rule === inactiveNode;

/** The rules of a response that is a web page, which no API sends, and of any other string that is not JSON. */
export const [webPage, notJson] = ["web-page", "not-json"] as const;

/** True for a 404 that an API may have sent. */
export const isNotFound = (error: unknown): error is StewardError =>
  error instanceof StewardError && error.status === 404 && error.details.rule !== webPage;

/** Identifies the cause of an error response. */
export function ruleOf(status: number, reason: string, text: string, hasToken: boolean): string | undefined {
  if (inactive.test(reason)) return inactiveNode;
  if (errorCode(status) === "ERR_FORBIDDEN" && !hasToken) return "no-token";
  return isHtml(text) ? webPage : undefined;
}

export function redirected(address: string, status: number, location: unknown, writes: boolean, fail: Fail): StewardError {
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

/** The milliseconds of a Retry-After header, which is a number of seconds or a date. Undefined if it is neither. */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^-?[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

export function errorCode(status: number): ErrorCode {
  if (status === 401 || status === 403) return "ERR_FORBIDDEN";
  if (status === 404) return "ERR_NOT_FOUND";
  if (status === 429) return "ERR_RATE_LIMITED";
  if (status === 503) return "ERR_UNAVAILABLE";
  return status >= 500 ? "ERR_SERVER" : "ERR_REJECTED";
}

/** The remedy for a 403 if the token may belong to a namespace that only the environment names. */
export const namespaceHint = (status: number, { system, place, unusedNamespace }: Server): string | undefined =>
  status === 403 && unusedNamespace
    ? `No namespace was sent: the address is configured, so ${unusedNamespace} is not used. Set namespace of ${system} in ${place}.`
    : undefined;

export function hintFor(status: number, { system, title, credentials }: Server, hasToken: boolean): string | undefined {
  if ((status === 401 || status === 403) && !hasToken)
    return `No token was sent: ${credentials.missingToken ?? `set tokenEnv, tokenFile or token of ${system} in the ${title}`}.`;
  if (status === 401 || status === 403)
    return `Check the token of ${system} in the ${title}, and its permissions. It comes from ${credentials.tokenSource}.`;
  if (status === 429) return "The server limits the rate of requests: try again later, or with a lower --parallel.";
  if (status === 503)
    return system === "secrets"
      ? "The server is sealed, starting or overloaded: try again when it is ready."
      : "The server failed, or it is not ready: see its log, then try again.";
  if (status >= 500) return "The server failed: see its log.";
  return undefined;
}

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
export function errorsIn(body: unknown): unknown[] | undefined {
  const errors = typeof body === "object" && body !== null && "errors" in body ? body.errors : undefined;
  return Array.isArray(errors) ? errors : undefined;
}

/** Makes the error of a JSON response that does not follow the API. A write may have been applied nevertheless. */
export const unexpectedResponse = (method: string, path: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_UNEXPECTED_RESPONSE", reason, method, path, hint, outcomeUnknown: method !== "GET" });

export const isHtml = (text: string): boolean => text.trimStart().startsWith("<");
