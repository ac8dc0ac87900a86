import { Hono } from "hono";
import { parseBool } from "../../go-values";
import { Dialect } from "../dialect";
import { denied, HttpError } from "../http-error";
import { listed, oneRecord } from "../listing";
import { byBytes } from "../paging";
import { accessOf } from "../policy";
import { regionOf } from "../reading";
import { home, Row } from "../records";
import { register } from "../registration";
import { AppEnv, json, Route, secretOf } from "../response";
import { jobStub } from "../wire";

export function routes(app: Hono<AppEnv>, dialect: Dialect): void {
  app.get("/v1/jobs", async (c) => {
    const meta = parseBool(c.req.query("meta") ?? "") ?? false;
    return listed(c, "jobs", (job) => jobStub(job, meta), {
      token: (job) => `${job.Namespace}.${job.ID}`,
      // This is not the order of the list if a namespace is a prefix of another. Pages then repeat, as in Nomad.
      compare: (job, token) => byBytes(`${job.Namespace}.${job.ID}`, token),
    });
  });

  for (const verb of dialect.registers) app.on(verb, "/v1/jobs", put);

  app.get("/v1/job/:id", async (c) => oneRecord(c, "jobs", "job not found"));
}

async function put(c: Route): Promise<Response> {
  const job = await jobOf(c);
  const name = c.req.query("region") || String(job.Region || home);
  const region = regionOf(c, name, false);
  const Namespace = c.req.query("namespace") || String(job.Namespace || "default");
  if (!accessOf(c.var.records, secretOf(c), name).namespace(Namespace, "write")) throw denied();
  const registered = register(c.var.records, region, { ...job, Namespace });
  const response: Row = {
    ...registered,
    // The response to a write has no data about the leader.
    KnownLeader: false,
    LastContact: 0,
    NextToken: "",
    Warnings: "",
  };
  return json(c, response, { [`${c.var.dialect.header}Index`]: String(registered.Index) });
}

async function jobOf(c: Route): Promise<Row> {
  const text = await c.req.text();
  if (text === "") throw new HttpError(400, "Request body is empty");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpError(400, "unexpected EOF");
  }
  const { Job: job } = (body ?? {}) as { Job?: unknown };
  if (typeof job !== "object" || job === null || Array.isArray(job)) throw new HttpError(400, "Job must be specified");
  if (!(job as Row).ID && !(job as Row).Name) throw new HttpError(400, "Job ID hasn't been provided");
  return job as Row;
}
