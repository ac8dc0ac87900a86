import { Mail, TextMessage } from "./service";

/** The failure of test mails. `stored`: the settings are stored nevertheless. */
interface Failure {
  status: 401 | 500 | 504;
  stored: boolean;
}

export class MailOutbox {
  #sent: Mail[] = [];
  #failure: Failure | undefined;

  sent(): Mail[] {
    return this.#sent.map((mail) => ({ ...mail }));
  }

  fail(status: Failure["status"], { stored = false }: { stored?: boolean } = {}): void {
    if (![401, 500, 504].includes(status)) throw new TypeError("The status of a failed mail must be 401, 500 or 504.");
    this.#failure = { status, stored };
  }

  recover(): void {
    this.#failure = undefined;
  }

  /** The failure; undefined if the mail was delivered. */
  deliver(mail: Mail): Failure | undefined {
    if (!this.#failure) this.#sent.push(mail);
    return this.#failure;
  }

  reset(): void {
    this.#sent = [];
    this.recover();
  }
}

export class SmsOutbox {
  #sent: TextMessage[] = [];
  #fails = false;

  sent(): TextMessage[] {
    return this.#sent.map((message) => ({ ...message }));
  }

  fail(): void {
    this.#fails = true;
  }

  recover(): void {
    this.#fails = false;
  }

  deliver(message: TextMessage): boolean {
    if (!this.#fails) this.#sent.push(message);
    return !this.#fails;
  }

  reset(): void {
    this.#sent = [];
    this.recover();
  }
}
