import { Sandbox, start } from "../../sandbox/index";
import { atEnd } from "./cleanup";

/** Starts a sandbox that runs until the end of the suite. */
export async function startSandbox(options: Parameters<typeof start>[0] = { dialect: "hashicorp" }): Promise<Sandbox> {
  const sandbox = await start(options);
  atEnd(() => sandbox.close());
  return sandbox;
}

interface Sent {
  method: string;
  path: string;
}

/** The requests that a server received during an operation, `<METHOD> <path>`, and those of them that are not reads, sorted. */
export async function sentBy<T>(
  server: { requests: readonly Sent[] | (() => readonly Sent[]) },
  operation: () => Promise<T>,
): Promise<{ run: T; sent: string[]; writes: string[] }> {
  const all = (): readonly Sent[] => (typeof server.requests === "function" ? server.requests() : server.requests);
  const before = all().length;
  const run = await operation();
  const sent = all()
    .slice(before)
    .map(({ method, path }) => `${method} ${path}`);
  return { run, sent, writes: sent.filter((request) => !request.startsWith("GET ")).sort() };
}
