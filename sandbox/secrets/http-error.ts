/** An error response, with its status and messages. Some of Vault's error responses have no message. */
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

/** Formats one error as go-multierror does, which Vault uses. */
export function one(message: string): string {
  return `1 error occurred:\n\t* ${message}\n\n`;
}
