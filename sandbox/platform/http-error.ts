export type Status = 400 | 401 | 404 | 409 | 415 | 422 | 429 | 500 | 504;

/** One error object. `attribute` is the one that is wrong; its value is never repeated. */
export interface Problem {
  detail: string;
  title?: string;
  attribute?: string;
}

/** Thrown by a route; the wiring answers with it. */
export class HttpError extends Error {
  readonly problems: Problem[];

  constructor(
    readonly status: Status,
    ...problems: Problem[]
  ) {
    super(problems.map(({ detail }) => detail).join(" "));
    this.problems = problems;
  }
}
