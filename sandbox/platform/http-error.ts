export type Status = 400 | 401 | 404 | 409 | 415 | 422 | 429 | 500 | 504;

/** A JSON:API error. `attribute` names the invalid attribute. An error never contains its value. */
export interface Problem {
  detail: string;
  title?: string;
  attribute?: string;
}

/** An error of a route, which becomes the response. */
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
