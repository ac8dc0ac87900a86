import { ErrorCode, StewardError } from "../contract/errors";
import { Server } from "../contract/operation";
import { ProxyServer } from "./proxy";
import { redact } from "./redaction";
import { Request } from "./request";

// The errors of requests, and those of requests without a complete response.

/** The error code of a response that exceeds the size limit. */
export const bodyTooLarge = "BODY_TOO_LARGE";

/** Makes an error of a request, without its secrets. */
export type Fail = (code: ErrorCode, reason: string, details?: Partial<StewardError["details"]>) => StewardError;

export const failureOf =
  ({ method, path }: Pick<Request, "method" | "path">, secrets: readonly string[]): Fail =>
  (code, reason, details = {}) =>
    new StewardError({
      code,
      method,
      path,
      ...details,
      reason: redact(reason, secrets),
      hint: details.hint && redact(details.hint, secrets),
    });

const timeouts = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];
/** With TLS 1.3, the client may send a request before the server rejects its certificate. The server never reads that request. */
const clientRefused = /_ALERT_.*(CERTIFICATE|UNKNOWN_CA)/;

/** The state of a request without a complete response. */
interface Delivery {
  writes: boolean;
  /** This attempt may have sent the request. */
  isSent: boolean;
  /** No attempt has sent the request. */
  nothingSent: boolean;
  /** The status and the headers were received. */
  hasResponse: boolean;
  proxy: ProxyServer | undefined;
}

/** Returns the error for a request that got no complete response. Rethrows errors that indicate a bug in this package. */
export function transportError(thrown: unknown, server: Server, delivery: Delivery, fail: Fail): StewardError {
  const { title, address, system } = server;
  const { writes, isSent, hasResponse } = delivery;
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
      nothingSent: delivery.nothingSent,
      outcomeUnknown: false,
    });
  // A bug in this package, such as a value that JSON cannot represent.
  if (!isSent && code === "") throw error;
  if (!isSent) return unsent(isLate ? "timed out" : code, error.message, server, delivery, fail);
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
function unsent(code: string, message: string, server: Server, { nothingSent, proxy }: Delivery, fail: Fail): StewardError {
  const { title, address, system } = server;
  const failed = (kind: ErrorCode, rule: string, reason: string, hint: string): StewardError =>
    fail(kind, `${reason}${nothingSent ? ", and nothing was sent" : ""}`, { rule, hint, nothingSent, outcomeUnknown: false });
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code)) {
    const { rule, hint } = tlsHint(code, server);
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

function tlsHint(code: string, { address, skipVerify, caPath, credentials }: Server): { rule: string; hint: string } {
  const cause = tlsCauses.find(({ codes }) => codes.test(code));
  const hint =
    cause?.hint(credentials.tlsServerName ?? new URL(address).hostname) ??
    "Set the connection's caCert to the CA of the server's certificate, or correct the scheme of the address.";
  const ignored = `${skipVerify} is ignored, since an attacker on the network could read the token.`;
  const isIgnored = skipVerify && cause?.rule.startsWith("certificate");
  const unread = caPath && cause?.rule === "certificate-authority" ? [`${caPath} is not read.`] : [];
  return { rule: cause?.rule ?? "tls", hint: [hint, ...unread, ...(isIgnored ? [ignored] : [])].join(" ") };
}

export const inactiveNode = "inactive-node";

/** True if a node of a cluster could not pass a request to the active node. Another attempt may reach the active node. */
export const isInactiveNode = ({ details }: StewardError): boolean => details.rule === inactiveNode;

/** The rules of a response that is a web page, which no API sends, and of any other string that is not JSON. */
export const [webPage, notJson] = ["web-page", "not-json"] as const;

/** True for a 404 that an API may have sent. */
export const isNotFound = (error: unknown): error is StewardError =>
  error instanceof StewardError && error.status === 404 && error.details.rule !== webPage;

/** Makes the error of a JSON response that does not follow the API. A write may have been applied nevertheless. */
export const unexpectedResponse = (method: string, path: string, reason: string, hint: string): StewardError =>
  new StewardError({ code: "ERR_UNEXPECTED_RESPONSE", reason, method, path, hint, outcomeUnknown: method !== "GET" });

/** The same for a response that another service may have sent. */
export const invalidResponse = (method: string, path: string, reason = "the response does not match the API"): StewardError =>
  unexpectedResponse(method, path, reason, "Check the connection's address and any proxy on the way.");
