export type Status = 400 | 403 | 404 | 405 | 500;

/** An error of a route, which becomes a plain text response. */
export class HttpError extends Error {
  constructor(
    readonly status: Status,
    message: string,
    /** The headers with the index, for a read that found nothing. */
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export function denied(): HttpError {
  return new HttpError(403, "Permission denied");
}
