import { readFile } from "node:fs/promises";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { Clock } from "../clock";
import { Log } from "../log";
import { Platform } from "../platform";
import { Scheduler } from "../scheduler";
import { Secrets } from "../secrets";
import { bind, Listener } from "../server";
import { encode } from "../view";
import { platformSecrets, platformView } from "./platform";
import { requestsView } from "./requests";
import { schedulerSecrets, schedulerView } from "./scheduler";
import { secretsOf, secretsView } from "./secrets";

/** The data that the page shows. */
export interface Sources {
  log: Log;
  clock: Clock;
  secrets: Secrets;
  platform: Platform;
  scheduler: Scheduler;
  /** The addresses of the three. */
  urls: [string, string, string];
}

/** The milliseconds between two looks at the services while a page is open. */
const interval = 200;
/** A page with this many unread bytes is disconnected and starts over. */
const maxUnreadBytes = 5_000_000;

const files: Record<string, { name: string; type: string }> = {
  "/": { name: "page.html", type: "text/html; charset=utf-8" },
  "/page.css": { name: "page.css", type: "text/css; charset=utf-8" },
  "/page.mjs": { name: "page.mjs", type: "text/javascript; charset=utf-8" },
};

// No other site may read the page, frame it or run scripts in it. The page itself cannot turn strings into elements.
const headers = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; "),
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

/** Serves the page that shows the data of the sandbox. It needs no token, so it is local, read-only and without secrets. */
export async function listenPage({ log, clock, secrets, platform, scheduler, urls }: Sources, port: number): Promise<Listener> {
  const started = clock.now().getTime();
  const [secretsUrl, platformUrl, schedulerUrl] = urls;
  const views = {
    secrets: () => secretsView(secrets.records, clock.now(), secretsUrl),
    platform: () => platformView(platform.records, platform.settings, platformUrl),
    scheduler: () => schedulerView(scheduler.records, schedulerUrl),
    requests: () => requestsView(log, started),
  };
  const readers = new Set<ServerResponse>();
  const sections = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  /** Sends the changed sections. It polls, since not only requests change the records. */
  function sendChanges(): void {
    const hidden = [
      ...secretsOf(secrets.records),
      ...platformSecrets(platform.records, platform.settings),
      ...schedulerSecrets(scheduler.records),
    ];
    for (const [name, view] of Object.entries(views)) {
      const data = encode(view(), hidden);
      if (sections.get(name) === data) continue;
      sections.set(name, data);
      for (const reader of readers) send(reader, name, data);
    }
    for (const reader of readers) if (reader.writableLength > maxUnreadBytes) reader.destroy();
  }

  function follow(reader: ServerResponse): void {
    sendChanges();
    for (const [name, data] of sections) send(reader, name, data);
    readers.add(reader);
    timer ??= setInterval(sendChanges, interval);
    reader.on("close", () => {
      readers.delete(reader);
      if (readers.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const end = (status: number, text: string): void =>
      void response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
    // Prevents DNS rebinding: a foreign host name would give a foreign page the same origin.
    if (!hosts.includes(request.headers.host ?? "")) return end(403, "This page is available only as 127.0.0.1 and localhost.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return end(405, "This page is read-only.");
    }
    const [path = ""] = (request.url ?? "").split("?");
    if (path === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      if (request.method === "HEAD") response.end();
      else follow(response);
      return;
    }
    const file = Object.hasOwn(files, path) ? files[path] : undefined;
    if (!file) return end(404, "Not found. The page is at /.");
    response.writeHead(200, { "content-type": file.type }).end(await readFile(join(__dirname, "public", file.name)));
  }

  const server = createServer((request, response) => void respond(request, response));
  const page = await bind(server, port);
  const { host } = new URL(page.url);
  const hosts = [host, host.replace("127.0.0.1", "localhost")];
  return page;
}

function send(reader: ServerResponse, name: string, data: string): void {
  reader.write(`event: ${name}\ndata: ${data}\n\n`);
}
