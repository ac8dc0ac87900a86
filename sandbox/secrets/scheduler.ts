import { createSecureContext } from "node:tls";
import type { Access } from "./records";

/** What the engine asks a scheduler to make. */
export interface Wanted {
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
  create(secret: string, wanted: Wanted): { accessor: string; secret: string };
  remove(secret: string, accessor: string): void;
}

/** The engine has no scheduler, or not one that does what it asks: the message is what the real product's client says. */
export class Unreachable extends Error {}

// Where the real product looks when nobody says where.
const nowhere = "http://127.0.0.1:4646";

export function createToken(neighbour: Neighbour, access: Access | undefined, wanted: Wanted): { accessor: string; secret: string } {
  return ask(neighbour, access, `Put "${base(access)}/v1/acl/token"`, (secret) => neighbour.create(secret, wanted));
}

export function removeToken(neighbour: Neighbour, access: Access | undefined, accessor: string): void {
  ask(neighbour, access, `Delete "${base(access)}/v1/acl/token/${accessor}"`, (secret) => neighbour.remove(secret, accessor));
}

function base(access: Access | undefined): string {
  return (access?.address || nowhere).replace(/\/$/, "");
}

function ask<T>(neighbour: Neighbour, access: Access | undefined, request: string, act: (secret: string) => T): T {
  judgeCertificates(access);
  const address = parse(base(access));
  if (!isAt(address, neighbour.url)) {
    const port = address.port || (address.protocol === "https:" ? "443" : "80");
    throw new Unreachable(`${request}: dial tcp ${address.hostname}:${port}: connect: connection refused`);
  }
  if (address.protocol === "https:") throw new Unreachable(`${request}: http: server gave HTTP response to HTTPS client`);
  try {
    return act(access?.token ?? "");
  } catch (error) {
    const { status, message } = error as Error & { status: number };
    throw new Unreachable(`Unexpected response code: ${status} (${message})`);
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

function parse(address: string): URL {
  try {
    return new URL(address);
  } catch {
    throw new Unreachable(`invalid address '${address}': parse "${address}": invalid URL`);
  }
}

/** The sandbox listens on the loopback address alone, whatever it is called. */
function isAt(address: URL, url: string): boolean {
  return url !== "" && address.port === new URL(url).port && ["127.0.0.1", "localhost", "[::1]"].includes(address.hostname);
}
