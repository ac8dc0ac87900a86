export type Status = 400 | 403 | 404 | 405 | 500;

/** Thrown by a route; the wiring answers with its plain sentence. */
export class HttpError extends Error {
  constructor(
    readonly status: Status,
    message: string,
    /** The facts about the read, where it was one that found nothing. */
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export function denied(): HttpError {
  return new HttpError(403, "Permission denied");
}
