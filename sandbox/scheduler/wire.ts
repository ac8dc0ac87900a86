import type { Context } from "hono";

/** The scheduler's errors are plain sentences. */
export function error(c: Context, status: 400 | 403 | 404 | 405 | 500, message: string): Response {
  return c.text(message, status);
}
