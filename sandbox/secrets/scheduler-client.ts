import { createSecureContext } from "node:tls";
import type { Access } from "./records";

/** What the engine asks a scheduler to make. */
export interface TokenRequest {
  name: string;
  type: "client" | "management";
  policies: string[];
  global: boolean;
}

/** The scheduler beside the service, which an engine reaches in this process. What it refuses is an error with the status and the sentence of its answer. */
export interface Neighbour {
  /** Where it listens; empty as long as it does not. */
  readonly url: string;
  /** `secret`: of the token that asks. */
  create(secret: string, request: TokenRequest): { accessor: string; secret: string };
  remove(secret: string, accessor: string): void;
}

/** The engine has no scheduler, or not one that does what it asks: the message is what the real product's client says. */
export class Unreachable extends Error {}

// Where the real product looks when nobody says where.
const nowhere = "http://127.0.0.1:4646";

export function createToken(neighbour: Neighbour, access: Access | undefined, request: TokenRequest): { accessor: string; secret: string } {
  return ask(neighbour, access, "Put", "acl/token", (secret) => neighbour.create(secret, request));
}

export function removeToken(neighbour: Neighbour, access: Access | undefined, accessor: string): void {
  ask(neighbour, access, "Delete", `acl/token/${accessor}`, (secret) => neighbour.remove(secret, accessor));
}

function ask<T>(neighbour: Neighbour, access: Access | undefined, method: string, path: string, act: (secret: string) => T): T {
  const { protocol, host, hostname, port } = parse(access?.address || nowhere);
  judgeCertificates(access);
  const fail = (reason: string): never => {
    throw new Unreachable(`${method} "${protocol}//${host}/v1/${path}": ${reason}`);
  };
  if (protocol !== "http:" && protocol !== "https:") fail(`unsupported protocol scheme "${protocol.slice(0, -1)}"`);
  // The sandbox listens on the loopback address alone, whatever it is called.
  const here = neighbour.url !== "" && new URL(neighbour.url).port === port && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
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
