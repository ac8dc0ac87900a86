/** Thrown where the service refuses a request; the wiring answers with the status and the messages, of which the real product sometimes gives none. */
export class HttpError extends Error {
  readonly messages: string[];

  constructor(
    readonly status: 400 | 404 | 405 | 500,
    ...messages: string[]
  ) {
    super(messages.join(" "));
    this.messages = messages;
  }
}

/** What the real product's framework says around an error of its own. */
export function one(message: string): string {
  return `1 error occurred:\n\t* ${message}\n\n`;
}
