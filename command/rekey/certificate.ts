import { subscribe } from "node:diagnostics_channel";
import { TLSSocket } from "node:tls";
import { Operation } from "../../provider/contract/operation";

const certificates = new Map<string, string>();

// The first connection to each host. A later one may resume its session, without the certificate.
subscribe("undici:client:connected", (message) => {
  const { connectParams, socket } = message as { connectParams: { host: string }; socket: Partial<TLSSocket> };
  const { subject, issuer } = socket.getPeerCertificate?.() ?? {};
  if (subject && issuer && !certificates.has(connectParams.host))
    certificates.set(connectParams.host, `${subject.CN ?? "without a name"}, issued by ${issuer.CN ?? issuer.O}`);
});

/** The names in the certificate of a server, after the first request to it. */
export const certificateOf = ({ server: { address } }: Operation): string =>
  certificates.get(new URL(address).host) ?? (address.startsWith("https:") ? "unknown" : "none: plain HTTP");
