import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { Clock } from "../clock";
import { SchedulerPeer } from "../scheduler-peer";
import { dropHeader } from "../server";
import { compressed } from "./compression";
import { Dialect } from "./dialect";
import { HttpError } from "./http-error";
import { Collection, Records } from "./records";
import { AppEnv } from "./response";
import { routeFiles } from "./routes";
import { applySeed, initialSeed } from "./seed";
import { SchedulerRecords, SchedulerService } from "./service";
import { createToken, deleteToken } from "./tokens";

export interface Scheduler {
  records: Records;
  /** The coverage test reads its `routes`. */
  app: Hono<AppEnv>;
  fetch(request: Request): Promise<Response>;
  /** Creates and deletes tokens. */
  tokens: Omit<SchedulerPeer, "url">;
  /** Restores the seed. */
  reset(): void;
  /** The public interface of the scheduler at this address. */
  service(url: string): SchedulerService;
}

/** Creates the scheduler. It rejects unknown paths and methods before it checks the token. */
export function createScheduler(dialect: Dialect, clock: Clock): Scheduler {
  const records = new Records(clock, randomUUID(), dialect.firstIndex);
  const reset = (): void => {
    records.reset();
    applySeed(records, initialSeed(clock.now().getTime()));
  };
  reset();
  const app = new Hono<AppEnv>();
  app.use(async (c, next) => {
    c.set("records", records);
    c.set("dialect", dialect);
    return next();
  });

  for (const { routes } of routeFiles) routes(app, dialect);

  const paths = new Set(app.routes.filter(({ method }) => method !== "ALL").map(({ path }) => path));
  for (const path of paths)
    app.all(path, () => {
      throw new HttpError(405, "Invalid method");
    });
  app.notFound((c) => c.body(null, 404));
  app.onError((error, c) => {
    const { status, message, headers } = error instanceof HttpError ? error : new HttpError(500, error.message);
    return c.body(message, status, { ...headers, "content-type": "text/plain; charset=utf-8" });
  });

  const fetch = async (request: Request): Promise<Response> => {
    const response = await app.fetch(request);
    return response.headers.has(dropHeader) ? response : compressed(response, request.headers.get("accept-encoding") ?? undefined);
  };
  const tokens: Scheduler["tokens"] = {
    create: (secret, request) => createToken(records, secret, request, dialect),
    remove: (secret, accessor) => deleteToken(records, secret, accessor),
  };
  return { records, app, fetch, tokens, reset, service: (url) => serviceOf(records, url) };
}

function serviceOf(records: Records, url: string): SchedulerService {
  const recordsOf = (collection: Collection): SchedulerRecords => ({
    change: (id, fields, place) => records.change(collection, id, fields, place),
    remove: (id, place) => records.remove(collection, id, place),
  });
  return {
    url,
    token: records.token,
    seed: (content) => applySeed(records, content),
    jobs: recordsOf("jobs"),
    deployments: recordsOf("deployments"),
    nodes: recordsOf("nodes"),
    tokens: {
      mint: (request) => {
        const { accessor, secret } = records.mint(request);
        return { accessor, secret };
      },
      revoke: (accessor) => records.revoke(accessor),
    },
    setStaleness(milliseconds) {
      if (!Number.isFinite(milliseconds) || milliseconds < 0)
        throw new RangeError("The staleness must be a number of milliseconds from 0.");
      records.staleness = milliseconds;
      records.wake();
    },
    loseLeader() {
      records.leaderless ??= records.clock.now().getTime();
    },
    electLeader() {
      records.leaderless = undefined;
    },
  };
}
