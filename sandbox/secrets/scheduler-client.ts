import { createSecureContext } from "node:tls";
import { SchedulerPeer, TokenRequest } from "../scheduler-peer";
import { Access } from "./records";

/** A failed request to the scheduler. The message is that of Vault's Nomad client. */
export class Unreachable extends Error {}

// The default address of Vault's Nomad client.
const nowhere = "http://127.0.0.1:4646";

export function createToken(peer: SchedulerPeer, access: Access | undefined, request: TokenRequest): { accessor: string; secret: string } {
  return send(peer, access, "Put", "acl/token", (secret) => peer.create(secret, request));
}

export function removeToken(peer: SchedulerPeer, access: Access | undefined, accessor: string): void {
  send(peer, access, "Delete", `acl/token/${accessor}`, (secret) => peer.remove(secret, accessor));
}

function send<T>(peer: SchedulerPeer, access: Access | undefined, method: string, path: string, act: (secret: string) => T): T {
  const { protocol, host, hostname, port } = parse(access?.address || nowhere);
  judgeCertificates(access);
  const fail = (reason: string): never => {
    throw new Unreachable(`${method} "${protocol}//${host}/v1/${path}": ${reason}`);
  };
  if (protocol !== "http:" && protocol !== "https:") fail(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  // The sandbox listens only on the loopback address, which has several names.
  const here = peer.url !== "" && new URL(peer.url).port === port && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  if (!here) fail(`dial tcp ${hostname}:${port || (protocol === "https:" ? 443 : 80)}: connect: connection refused`);
  if (protocol === "https:") fail("http: server gave HTTP response to HTTPS client");
  try {
    return act(access?.token ?? "");
  } catch (error) {
    const { status, message } = error as Error & { status: number };
    throw new Unreachable(`Unexpected response code: ${status} (${message})`);
  }
}

function parse(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw new Unreachable(`invalid address '${address}': parse "${address}": first path segment in URL cannot contain colon`);
  }
}

function judgeCertificates(access: Access | undefined): void {
  const { caCert: ca = "", clientCert: cert = "", clientKey: key = "" } = access ?? {};
  if (Boolean(cert) !== Boolean(key)) throw new Unreachable("Both client cert and client key must be provided");
  try {
    createSecureContext({ ...(ca && { ca }), ...(cert && { cert, key }) });
  } catch (error) {
    throw new Unreachable((error as Error).message);
  }
}
