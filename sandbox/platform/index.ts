import { Hono } from "hono";
import { Clock } from "../clock";
import { Dialect } from "./dialect";
import { HttpError } from "./http-error";
import { Records, randomText } from "./records";
import { AppEnv, bodyOf, errors, missing, Route } from "./response";
import { routeFiles } from "./routes";
import * as general from "./routes/general-settings";
import { applySeed, initialSeed } from "./seed";
import { PlatformService } from "./service";
import { Settings, valuesOf } from "./settings";

export interface Platform {
  records: Records;
  settings: Settings[];
  /** The coverage test reads its `routes`. */
  app: Hono<AppEnv>;
  /** Restores the seed. */
  reset(): void;
  /** The public interface of the platform at this address. */
  service(url: string): PlatformService;
}

/** Creates the platform. The middleware checks the rate limit, then the token, then the body. */
export function createPlatform(dialect: Dialect, clock: Clock): Platform {
  const records = new Records(clock, newToken(), newToken());
  const reset = (): void => {
    records.reset();
    applySeed(records, initialSeed(clock.now()), clock.now());
  };
  reset();
  const generalSettings = general.settings(dialect);
  const app = new Hono<AppEnv>();

  app.use(async (c, next) => {
    c.set("records", records);
    c.set("dialect", dialect);
    c.set("now", clock.now());
    return next();
  });

  app.use("/api/v2/*", async (c, next) => {
    for (const [name, value] of Object.entries(dialect.headers)) c.header(name, value);
    return next();
  });

  app.use("/api/*", async (c, next) => {
    const { "api-rate-limiting-enabled": limits, "api-rate-limit": limit } = valuesOf(records, generalSettings);
    if (!limits) return next();
    const { count, left } = records.rate.count(c.req.header("authorization") ?? "", c.var.now.getTime());
    for (const [name, value] of Object.entries(dialect.rateHeaders(Number(limit), Math.max(0, Number(limit) - count), left)))
      c.header(name, value);
    if (count <= Number(limit)) return next();
    for (const [name, value] of Object.entries(dialect.tooManyHeaders)) c.header(name, value);
    return errors(c, 429, { detail: "You have exceeded the API's rate limit." });
  });

  const served = routeFiles.filter(({ isServed }) => isServed?.(dialect) ?? true);
  for (const { isPublic, routes } of served) if (isPublic) routes(app, dialect);

  app.use(async (c, next) => {
    const user = records.user(/^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1]);
    if (!user) return errors(c, 401);
    if (!user.administrator && /^\/api\/v2\/admin(\/|$)/.test(c.req.path)) return missing(c);
    c.set("user", user);
    c.set("body", await bodyOf(c));
    return next();
  });

  for (const { isPublic, routes } of served) if (!isPublic) routes(app, dialect);
  const settings = served.flatMap((file) => file.settings?.(dialect) ?? []);

  app.notFound(missing);
  app.onError((error, c) => {
    if (error instanceof HttpError) return errors(c as Route, error.status, ...error.problems);
    return errors(c as Route, 500, { detail: error.message });
  });
  return { records, app, settings, reset, service: (url) => serviceOf(records, url, clock) };
}

function serviceOf(records: Records, url: string, clock: Clock): PlatformService {
  const { mail, sms } = records;
  return {
    url,
    token: records.token,
    memberToken: records.memberToken,
    mail: {
      sent: () => mail.sent(),
      fail(status, { stored = false } = {}) {
        if (![401, 500, 504].includes(status)) throw new TypeError("The status of a failed mail must be 401, 500 or 504.");
        mail.fail({ status, stored });
      },
      recover: () => mail.recover(),
    },
    sms: { sent: () => sms.sent(), fail: () => sms.fail(true), recover: () => sms.recover() },
    signingKeys: () => records.keys.list().map(({ kid, createdAt }) => ({ kid, createdAt: new Date(createdAt) })),
    seed: (content) => applySeed(records, content, clock.now()),
    appendToReasons(text) {
      records.suffix = text;
    },
  };
}

const newToken = (): string => `${randomText(14)}.atlasv1.${randomText(67)}`;
