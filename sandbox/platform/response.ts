import { Context, Env } from "hono";
import { Dialect } from "./dialect";
import { HttpError, Problem, Status } from "./http-error";
import { Records, User } from "./records";

/** The context that the middleware sets for the routes. */
export interface AppEnv extends Env {
  Variables: {
    records: Records;
    dialect: Dialect;
    now: Date;
    /** Missing only on a public route. */
    user: User;
    /** The parsed body; undefined without a body. */
    body: Record<string, unknown> | undefined;
  };
}

export type Route = Context<AppEnv>;

const mediaType = "application/vnd.api+json";

const titles: Record<Status, string> = {
  400: "bad request",
  401: "unauthorized",
  404: "not found",
  409: "conflict",
  415: "unsupported media type",
  422: "unprocessable entity",
  429: "too many requests",
  500: "internal server error",
  504: "gateway timeout",
};

export function document(c: Route, content: { data: unknown; [member: string]: unknown }, status: 200 | 201 = 200): Response {
  return c.body(JSON.stringify(content), status, { "content-type": mediaType });
}

export function errors(c: Route, status: Status, ...problems: Problem[]): Response {
  const details = problems.map(({ title, detail, attribute }) => ({
    status: String(status),
    title: title ?? (attribute ? "invalid attribute" : titles[status]),
    detail,
    ...(attribute && { source: { pointer: `/data/attributes/${attribute}` } }),
  }));
  const bare = [{ status: String(status), title: titles[status] }];
  return c.body(JSON.stringify({ errors: details.length > 0 ? details : bare }), status, { "content-type": mediaType });
}

/** A 404, which does not tell a missing resource from one that the user may not read. */
export function missing(c: Route): Response {
  return errors(c, 404);
}

export function done(c: Route): Response {
  return c.body(null, 204);
}

/** Parses the body, which must be a JSON:API document. */
export async function bodyOf(c: Route): Promise<Record<string, unknown> | undefined> {
  const text = await c.req.text();
  if (text === "") return undefined;
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== mediaType) throw new HttpError(415, { detail: `The body has to be ${mediaType}.` });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HttpError(422, { detail: "The body is not JSON." });
  }
  return objectOf(body, "The body");
}

/** `data.attributes` of the body. `data.type` is not checked: the official client of Terraform Enterprise sends "". */
export function attributesOf(c: Route): Record<string, unknown> {
  const { data } = objectOf(c.var.body, "The body");
  return objectOf(objectOf(data, "data").attributes, "data.attributes");
}

export function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new HttpError(422, { detail: `${name} has to be an object.` });
  return value as Record<string, unknown>;
}
