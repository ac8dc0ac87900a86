import { Connection, isLoopback } from "./connection";
import { ErrorCode, StewardError } from "./errors";
import { holdsShortSecret, redact } from "./redaction";

// Turns a failed exchange into an error with a cause and a hint.

/** The code of a response that is too long to be read to its end. @internal */
export const bodyTooLarge = "BODY_TOO_LARGE";

/** Makes an error of this request, free of its secrets. @internal */
export type Fail = (code: ErrorCode, reason: string, details?: Partial<StewardError["details"]>) => StewardError;

const timeouts = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];
/** With TLS 1.3, the client may send its request before the server refuses its certificate. The server then never reads the request. */
const clientRefused = /_ALERT_.*(CERTIFICATE|UNKNOWN_CA)/;

/** The progress of a request. */
interface Progress {
  writes: boolean;
  /** This attempt may have sent its bytes. */
  isSent: boolean;
  /** No attempt has sent any. */
  nothingSent: boolean;
  /** A status and headers came back. */
  isAnswered: boolean;
}

/** Makes the error of a request that got no complete response. @internal */
export function transportError(thrown: unknown, connection: Connection, progress: Progress, fail: Fail): StewardError {
  const { title, address, system } = connection;
  const { writes, isSent, isAnswered } = progress;
  const error = thrown as NodeJS.ErrnoException;
  // Undici names the error of its parser, and gives it no code.
  const isGarbled = error.name === "HTTPParserError";
  const code = String(error.code ?? (isGarbled ? error.name : ""));
  const isLate = timeouts.includes(code) || error.name === "TimeoutError";
  const outcomeUnknown = writes && isSent;
  if (clientRefused.test(code))
    return fail("ERR_UNEXPECTED_RESPONSE", `${address} does not accept the client certificate of the connection, or misses one (${code})`, {
      rule: "client-certificate",
      hint: `Check clientCert and clientKey of ${system} in the ${title}.`,
      nothingSent: progress.nothingSent,
      outcomeUnknown: false,
    });
  // A fault of the package, such as a value that JSON cannot hold.
  if (!isSent && code === "") throw error;
  if (!isSent) return unsent(isLate ? "not in time" : code, error.message, connection, progress, fail);
  if (code === bodyTooLarge)
    return fail("ERR_UNEXPECTED_RESPONSE", "the server's answer is too large to be one of its API", {
      rule: "too-large",
      hint: `Check that ${address} is the address of the ${system} API itself.`,
      outcomeUnknown,
    });
  if (isGarbled || code.startsWith("Z_"))
    return fail("ERR_UNEXPECTED_RESPONSE", `what ${address} answers cannot be read (${code})`, {
      rule: "unreadable",
      hint: "Check the scheme and the port of the connection's address, and what stands between.",
      // Bytes that do not even begin as HTTP come from another kind of server.
      outcomeUnknown: outcomeUnknown && (isAnswered || !error.message.includes("Expected HTTP/")),
    });
  return fail(
    "ERR_NO_RESPONSE",
    isLate ? `${address} did not answer in time` : `the connection to ${address} broke before the whole answer came`,
    {
      rule: isLate ? "too-late" : "connection-broken",
      hint: writes ? "The server may have applied it: run the same again, which goes on from what the server holds." : "Try again.",
      outcomeUnknown,
    },
  );
}

/** Makes the error of a request that was never sent. `message` is undici's own. */
function unsent(
  code: string,
  message: string,
  connection: Connection,
  { nothingSent }: Pick<Progress, "nothingSent">,
  fail: Fail,
): StewardError {
  const { title, address, system } = connection;
  const failed = (kind: ErrorCode, rule: string, reason: string, hint: string): StewardError =>
    fail(kind, `${reason}${nothingSent ? ", and nothing was sent" : ""}`, { rule, hint, nothingSent, outcomeUnknown: false });
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code)) {
    const { rule, hint } = tlsAdvice(code, connection);
    return failed("ERR_UNEXPECTED_RESPONSE", rule, `no trusted TLS connection to ${address} (${code})`, hint);
  }
  if (/^ERR_OSSL_|^ERR_CRYPTO_/.test(code))
    return failed(
      "ERR_INVALID_INPUT",
      "pem",
      `the certificates or the key of ${system} in the ${title} cannot be used (${code})`,
      "Give caCert, clientCert and clientKey as PEM, or as the path of a PEM file.",
    );
  const proxy = proxyOf(address, process.env);
  const isRefusal = code === "ERR_INVALID_URL" || code === "UND_ERR_ABORTED" || code.startsWith("UND_ERR_PRX");
  if (proxy && (isRefusal || code !== "UND_ERR_INVALID_ARG"))
    return failed(
      "ERR_UNREACHABLE",
      isRefusal ? "refused-by-proxy" : "proxy-unreachable",
      isRefusal ? `${proxy.name} does not let requests through to ${address}` : `no connection to ${address} by ${proxy.name} (${code})`,
      `Correct ${proxy.variable}, or name the host in no_proxy.`,
    );
  if (code === "UND_ERR_INVALID_ARG")
    return failed(
      "ERR_INVALID_INPUT",
      "header",
      `the request cannot be written as HTTP (${message})`,
      `Check the settings of ${system} in the ${title}.`,
    );
  return failed(
    "ERR_UNREACHABLE",
    "no-connection",
    `no connection to ${address} (${code})`,
    "Check the connection's address, that the server runs, and the network between.",
  );
}

const tlsCauses: readonly { rule: string; codes: RegExp; isCertificate?: boolean; hint(host: string): string }[] = [
  {
    rule: "certificate-expired",
    codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    isCertificate: true,
    hint: () => "Its certificate has expired or is not valid yet: renew it, or set the clock of this machine.",
  },
  {
    rule: "certificate-host",
    codes: /ALTNAME/,
    isCertificate: true,
    hint: (host) => `Its certificate is not for ${host}: name the server in the connection's address as the certificate does.`,
  },
  {
    rule: "no-tls",
    codes: /WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST|EPROTO/,
    hint: () => "What answers there does not speak TLS: correct the scheme of the connection's address to http, or its port.",
  },
  {
    rule: "certificate-authority",
    codes: /UNABLE_TO_|SELF_SIGNED/,
    isCertificate: true,
    hint: () => "Its authority is unknown: give the authority that signed its certificate as the connection's caCert.",
  },
];

function tlsAdvice(code: string, { address, skipVerify }: Connection): { rule: string; hint: string } {
  const cause = tlsCauses.find(({ codes }) => codes.test(code));
  const hint =
    cause?.hint(new URL(address).hostname) ??
    "Give the authority that signed its certificate as the connection's caCert, or correct the scheme of the address.";
  const ignored = `${skipVerify} is set and not followed: whoever stands between could read the token.`;
  return { rule: cause?.rule ?? "tls", hint: skipVerify && cause?.isCertificate ? `${hint} ${ignored}` : hint };
}

/** The proxy that stands before an address, by the rules of undici; without its credentials. @internal */
export function proxyOf(address: string, environment: NodeJS.ProcessEnv): { name: string; variable: string } | undefined {
  const { protocol, hostname, port } = new URL(address);
  const variables = [...(protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : []), "http_proxy", "HTTP_PROXY"];
  const variable = variables.find((name) => environment[name]);
  if (!variable || isLoopback(address)) return undefined;
  const isExcepted = (environment.no_proxy ?? environment.NO_PROXY ?? "").split(/[,\s]+/).some((entry) => {
    const [, host = "", at] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
    if (host === "" || (at && at !== (port || (protocol === "https:" ? "443" : "80")))) return false;
    const bare = host.replace(/^\*?\.?/, "").toLowerCase();
    return host === "*" || hostname === bare || (/^[.*]/.test(host) && hostname.endsWith(`.${bare}`));
  });
  const url = URL.canParse(environment[variable] ?? "") ? new URL(environment[variable] as string) : undefined;
  return isExcepted ? undefined : { variable, name: `the proxy ${url ? `${url.protocol}//${url.host} ` : ""}of the variable ${variable}` };
}

/** @internal */
export function redirected({ address }: Connection, status: number, location: string | string[] | undefined, fail: Fail): StewardError {
  const target = typeof location === "string" && URL.canParse(location, address) ? new URL(location, address).origin : undefined;
  if (!target || target === new URL(address).origin)
    return fail("ERR_REDIRECTED", "the server sends us on to another path, where its API is not", {
      rule: "other-path",
      status,
      hint: "Check the base path of the connection's address, and the mount.",
    });
  return fail("ERR_REDIRECTED", `the server sends us on to ${target}, and credentials are not sent after a redirect`, {
    rule: "other-server",
    status,
    hint: `If ${target} is the active node of this installation, make it the connection's address, or use the address of the load balancer.`,
  });
}

/** Retry-After holds seconds or a date: milliseconds, undefined when it is neither. @internal */
export function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const milliseconds = /^-?[\d.]+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/** @internal */
export function errorCode(status: number): ErrorCode {
  if (status === 401 || status === 403) return "ERR_FORBIDDEN";
  if (status === 404) return "ERR_NOT_FOUND";
  if (status === 429) return "ERR_RATE_LIMITED";
  if (status === 503) return "ERR_UNAVAILABLE";
  return status >= 500 ? "ERR_SERVER" : "ERR_REJECTED";
}

/** @internal */
export function adviceFor(status: number, { title, system, tokenSource, missingToken }: Connection, hasToken: boolean): string | undefined {
  if ((status === 401 || status === 403) && !hasToken)
    return `No token was sent: ${missingToken ?? `give the ${title} one for ${system}, as tokenEnv, tokenFile or token`}.`;
  if (status === 401 || status === 403)
    return `Check the token of ${system} in the ${title}, and what it is allowed to do. It comes from ${tokenSource}.`;
  if (status === 429) return "The server limits the rate of requests: try again later, or with a lower --parallel.";
  if (status === 503) return "The server is sealed, starting or overloaded: try again when it serves requests.";
  if (status >= 500) return "The server failed: its log says why.";
  return undefined;
}

/**
 * The server's own words: `{"errors": ["…"]}`, JSON:API's `{"errors": [{"title", "detail"}]}`, or plain text. Every expression takes time in proportion to
 * the text: its length is the server's choice, and no deadline ends an expression.
 * @internal
 */
export function serverReason(body: unknown, text: string, secrets: readonly string[]): string {
  const words = (errorsIn(body) ?? []).map((error: unknown) => {
    if (typeof error === "string") return error;
    const { title, detail } = (error ?? {}) as { title?: unknown; detail?: unknown };
    return [title, detail].filter((part) => typeof part === "string").join(": ");
  });
  const plain = body === undefined && !isHtml(text) ? text : "";
  const reason = words.filter(Boolean).join("; ") || plain;
  if (holdsShortSecret(reason, secrets)) return "the server's reason contains a secret and is not shown";
  // Secrets first: half a secret would not be found again.
  return (
    redact(reason, secrets)
      // Go servers print a list of errors with each on a line of its own: "2 errors occurred:\n\t* one\n\t* two\n\n".
      .replace(/([\p{Cc}\p{Cf}\s]+)(\* )?/gu, (_, blanks: string, item = "") => (item && blanks.includes("\n") ? "; " : ` ${item}`))
      .replace(/\d{1,9} errors? occurred:; /, "")
      .trim()
      .slice(0, 500)
      .replace(/\.$/, "")
  );
}

/** Returns the list of errors in a response, or undefined where it has no such list. @internal */
export function errorsIn(answer: unknown): unknown[] | undefined {
  const errors = typeof answer === "object" && answer !== null && "errors" in answer ? answer.errors : undefined;
  return Array.isArray(errors) ? errors : undefined;
}

/** Makes the error of a JSON response that does not follow the API. A write may have been applied all the same. @internal */
export const unexpectedResponse = (method: string, path: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_UNEXPECTED_RESPONSE", reason, method, path, hint, outcomeUnknown: method !== "GET" });

/** @internal */
export const isHtml = (text: string): boolean => text.trimStart().startsWith("<");
