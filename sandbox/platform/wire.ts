import type { Context } from "hono";

const mediaType = "application/vnd.api+json";

/** A JSON:API error document. */
export function error(c: Context, status: 401 | 404 | 422, title: string): Response {
  return c.body(JSON.stringify({ errors: [{ status: String(status), title }] }), status, { "content-type": mediaType });
}
