import { connect } from "node:net";
import type { Service } from "../../sandbox/index";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  json: any;
}

const tokenHeaders = ["x-secrets-token", "x-vault-token", "x-scheduler-token", "x-nomad-token"];

/** Sends one request without the provider. The token is in the headers of both dialects, so that a test can run in either. */
export async function call(service: Service, method: string, path: string, body?: unknown, token: string = service.token): Promise<Answer> {
  const headers: Record<string, string> = token ? Object.fromEntries(tokenHeaders.map((name) => [name, token])) : {};
  // A server may close an idle connection at the moment of its reuse.
  headers.connection = "close";
  if (token) headers.authorization = `Bearer ${token}`;
  // The platform accepts only JSON:API.
  if (body !== undefined) headers["content-type"] = path.startsWith("/api/") ? "application/vnd.api+json" : "application/json";
  const sent = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
  // Without undici's client: each suite would load one and keep its connections until the worker ends. Nomad accepts a hundred per client.
  const response = await fetch(`${service.url}${path}`, { method, headers, body: sent, redirect: "manual" });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** Sends packets separately, and returns all that the server sends on the connection until it closes it. */
export function raw(service: Service, ...packets: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.setNoDelay(true);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    const send = (): void => {
      const packet = packets.shift();
      if (packet !== undefined) socket.write(packet, () => setImmediate(send));
    };
    socket.on("connect", send);
  });
}

export function rawList(path: string, token: string): string {
  return `LIST ${path} HTTP/1.1\r\nHost: sandbox\r\nX-Secrets-Token: ${token}\r\nX-Vault-Token: ${token}\r\n\r\n`;
}
