import { randomBytes } from "node:crypto";
import { Hono, Next } from "hono";
import { Clock } from "../clock";
import { parseBool } from "../go-values";
import { SchedulerPeer } from "../scheduler-peer";
import { Dialect } from "./dialect";
import { Group } from "./document";
import { FieldError } from "./fields";
import { HttpError, one } from "./http-error";
import { expire } from "./leases";
import { allows } from "./policy";
import { Records, Seal } from "./records";
import { AppEnv, errors, Route } from "./response";
import { RouteFile } from "./route-file";
import { routeFiles } from "./routes";
import { Key, opens } from "./seal";
import { applySeed } from "./seed";
import { SecretsService } from "./service";

export interface Secrets {
  records: Records;
  /** The routes. The coverage test reads `app.routes`. */
  app: Hono<AppEnv>;
  fetch(request: Request): Response | Promise<Response>;
  /** Ends expired tokens and leases. */
  expire(): void;
  /** Restores the seed. */
  reset(): void;
  /** Returns the public interface of the service at this address. `drop` destroys the open connections. */
  service(url: string, drop: () => void): SecretsService;
}

/** Creates the service. It authorizes every request before its route runs, with the checks and the order of Vault. */
export function createSecrets(dialect: Dialect, clock: Clock, peer: SchedulerPeer, key: Key, seal: Seal = "shamir"): Secrets {
  const rootToken = `${dialect.tokenPrefix}${randomBytes(18).toString("base64url")}`;
  const records = new Records(dialect.engine, clock, peer, rootToken, key, seal);
  const reset = (): void => {
    records.reset();
    applySeed(records);
  };
  reset();
  const served = routeFiles.filter(({ isServed }) => isServed?.(dialect) ?? true);
  const described = (below: string) => served.filter((file) => file.below === below).flatMap(({ paths }) => paths(dialect));
  const mounts = [...new Set(served.map(({ below }) => below))].filter((below) => below !== "engine");
  const fixed: Group[] = mounts.map((below) => ({
    mount: `${below}/`,
    tag: below === "sys" ? "system" : below.startsWith("auth/") ? "auth" : "secrets",
    prefix: below === "sys" ? "" : `${below.replace(/^.*\//, "")}-`,
    paths: described(below),
  }));
  const enginePaths = described("engine");
  const groups = (engines: string[]): Group[] => [
    ...fixed,
    ...engines.map((mount) => ({ mount, tag: "secrets", prefix: `${dialect.engine}-`, paths: enginePaths })),
  ];
  const sudo = fixed.flatMap(({ mount, paths }) => paths.filter((path) => path.sudo).map(({ path }) => `${mount}${path}`));
  const needsSudo = (path: string): boolean => sudo.includes(path.replace(/\/$/, ""));
  const app = new Hono<AppEnv>({ getPath: (request) => route(records, pathOf(request)) });

  const authorize = async (c: Route, next: Next): Promise<Response | undefined> => {
    const path = pathOf(c.req.raw);
    c.header("cache-control", "no-store");
    c.set("records", records);
    c.set("dialect", dialect);
    c.set("now", clock.now());
    c.set("groups", groups);
    if (dialect.raw.includes(path)) {
      // A sealed node is not active, and responds so before it reads the request.
      if (records.sealed && path.startsWith("sys/rekey")) return errors(c, 503, "node is not active");
      if (records.sealed && path.startsWith("sys/generate-root")) return errors(c, 503, dialect.sealed);
      await next();
      return undefined;
    }
    if (records.sealed) return errors(c, 503, dialect.sealed);
    expire(records);
    if (path.includes("//")) return c.redirect(`/v1/${path.replace(/\/+/g, "/")}${new URL(c.req.url).search}`, 307);

    const { method } = c.req;
    const writes = method === "POST" || method === "PUT";
    if (writes && path.endsWith("/")) return errors(c, 400, "cannot write to a path ending in '/'");
    const mediaType = c.req.header("content-type");
    if (method === "PATCH" && mediaType !== "application/merge-patch+json")
      return mediaType
        ? errors(c, 415, `PATCH requires Content-Type of application/merge-patch+json, provided ${mediaType}`)
        : errors(c, 400, "mime: no media type");
    if (writes) c.set("fields", await bodyOf(c));

    const id =
      c.req.header(dialect.tokenHeader) ?? (dialect.bearer ? /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] : undefined);
    const token = id ? records.tokens.get(id.trim()) : undefined;
    if (id && !token) return errors(c, 403, dialect.invalidToken);
    if (path !== "sys/internal/specs/openapi" && path !== "auth/jwt/login") {
      if (!token) return errors(c, 403, "permission denied");
      const needed = [capability(method, path, records, dialect, served), ...(needsSudo(path) ? ["sudo"] : [])];
      if (!token.policies.includes("root") && !allows(records.rules(token), path, needed)) return errors(c, 403, one("permission denied"));
    }
    c.set("token", token);

    const mount = records.mountAt(path);
    if (mount?.tainted) return errors(c, 404, dialect.tainted(path));
    if (mount) c.set("mount", mount);
    else if (!mounts.some((each) => `${path}/`.startsWith(`${each}/`)))
      return errors(c, 404, `no handler for route "${path}". route entry not found.`);
    await next();
    return undefined;
  };
  app.use(async (c, next) => {
    if (!/^sys\/(rekey|rotate\/|generate-root|unseal$)/.test(pathOf(c.req.raw))) return authorize(c, next);
    // Read the body before the exclusive section: a slow client must not block others.
    await c.req.text();
    return records.exclusive(() => authorize(c, next));
  });

  for (const { routes } of served) routes(app, dialect);
  // The path of a list ends in a slash. Without it, the path exists, too.
  const paths = app.routes.filter(({ method }) => method !== "ALL").flatMap(({ path }) => [path, path.replace(/\/$/, "")]);
  // The 405 of a path that Vault serves with a handler instead of an engine has no message.
  const unsupported = (c: Route) => errors(c, 405, ...(dialect.raw.includes(pathOf(c.req.raw)) ? [] : [one("unsupported operation")]));
  for (const path of new Set(paths)) app.all(path, unsupported);
  app.notFound((c) => errors(c, 404, one("unsupported path")));
  app.onError((error, c) => {
    if (error instanceof HttpError) return errors(c as Route, error.status, ...error.messages);
    return errors(c as Route, error instanceof FieldError ? 400 : 500, error.message);
  });
  return {
    records,
    app,
    fetch: (request) => dispatch(app, request, dialect),
    expire: () => expire(records),
    reset,
    service: (url, drop) => serviceOf(records, url, drop),
  };
}

function serviceOf(records: Records, url: string, drop: () => void): SecretsService {
  return {
    url,
    token: records.token,
    get shares(): string[] {
      return [...records.key.shares];
    },
    get threshold(): number {
      return records.key.threshold;
    },
    opens: (shares) => opens(records.key, shares),
    async seal() {
      await records.exclusive(() => {
        records.sealed = true;
        records.clearMemory();
      });
    },
    async unseal(shares) {
      return records.exclusive(async () => {
        if (!(await opens(records.key, shares))) return false;
        records.sealed = false;
        records.unsealing = undefined;
        return true;
      });
    },
    setKms(isAvailable) {
      records.hasKms = isAvailable;
    },
    async failover() {
      await records.exclusive(() => records.clearMemory());
      drop();
    },
  };
}

/** Dispatches a request. Authorizes and serves `GET …?list=true` as LIST. */
function dispatch(app: Hono<AppEnv>, request: Request, dialect: Dialect): Response | Promise<Response> {
  const url = new URL(request.url);
  if (!url.pathname.startsWith("/v1/")) return new Response("404 page not found\n", { status: 404 });
  if (/%(?![0-9a-f]{2})/i.test(url.pathname)) return new Response("400 Bad Request", { status: 400 });
  // Hono would serve HEAD as GET. Vault has no operation for HEAD, except for load balancers.
  if (request.method === "HEAD" && pathOf(request) !== "sys/health")
    return app.fetch(new Request(request.url, { method: "OPTIONS", headers: request.headers }));
  const list = request.method === "GET" && !dialect.raw.includes(pathOf(request)) && url.searchParams.get("list");
  const isList = list ? parseBool(list) : false;
  if (isList === undefined) return Response.json({ errors: [] }, { status: 400 });
  return app.fetch(isList ? new Request(request.url, { method: "LIST", headers: request.headers }) : request);
}

/** Returns the path after `/v1/`. That of a list ends in a slash. */
function pathOf(request: Request): string {
  const raw = new URL(request.url).pathname.slice("/v1/".length);
  const slash = request.method === "LIST" && !raw.endsWith("/") ? "/" : "";
  try {
    return decodeURIComponent(raw) + slash;
  } catch {
    // Invalid UTF-8 matches no route.
    return raw + slash;
  }
}

/** Returns the path in the route files, where the engine's routes do not depend on its mount. */
function route(records: Records, path: string): string {
  const mount = records.mountAt(path);
  if (mount) return `/engine/${path.slice(mount.path.length)}`;
  return path.startsWith("auth/token/") ? `/token/${path.slice("auth/token/".length)}` : `/${path}`;
}

/** The capability that a request requires. "create" is only required on paths that distinguish it from "update". */
function capability(method: string, path: string, records: Records, dialect: Dialect, files: readonly RouteFile[]): string {
  if (method === "LIST" || method === "DELETE" || method === "PATCH") return method.toLowerCase();
  if (method === "GET") return "read";
  // No policy can allow this.
  if (method !== "POST" && method !== "PUT") return "none";
  const mount = records.mountAt(path);
  const rest = path.slice(mount?.path.length);
  return mount && files.some(({ exists }) => exists?.(mount, rest, dialect) === false) ? "create" : "update";
}

/** Reads the fields of a body: JSON or a form. By default, curl sends JSON with the media type of a form. */
async function bodyOf(c: Route): Promise<Record<string, unknown>> {
  const body = (await c.req.text()).trim();
  if (body === "") return {};
  if (c.req.header("content-type")?.startsWith("application/x-www-form-urlencoded") && !/^[[{]/.test(body))
    return Object.fromEntries(new URLSearchParams(body));
  try {
    const value: unknown = JSON.parse(body);
    if (value === null) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    if (body.startsWith("{")) throw new HttpError(500, "malformed JSON");
  }
  throw new HttpError(400, "error parsing JSON: failed to parse JSON input");
}
