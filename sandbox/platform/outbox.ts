/** The messages that a provider delivered. While it fails, it delivers none. */
export class Outbox<Message extends object, Failure> {
  #sent: Message[] = [];
  #failure: Failure | undefined;

  sent(): Message[] {
    return this.#sent.map((message) => ({ ...message }));
  }

  fail(failure: Failure): void {
    this.#failure = failure;
  }

  recover(): void {
    this.#failure = undefined;
  }

  /** The failure; undefined if the message was delivered. */
  deliver(message: Message): Failure | undefined {
    if (!this.#failure) this.#sent.push(message);
    return this.#failure;
  }

  reset(): void {
    this.#sent = [];
    this.recover();
  }
}
