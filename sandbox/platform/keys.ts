import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../clock";

export interface SigningKey {
  kid: string;
  createdAt: Date;
  /** The public half, as the real product shows it: of the right shape, but there is no private half to it. */
  modulus: string;
}

const day = 86_400_000;
const rotationPeriod = 90 * day;
const trimPeriod = 30 * day;

/**
 * The keys that sign workload identities. Two timers: one rotates after 90 days, one trims 30 days after the last rotation. Each action on request
 * restarts its own timer and leaves the other one alone; a rotation on request starts the trim timer only where none runs.
 */
export class SigningKeys {
  #keys: SigningKey[] = [];
  #rotatesAt = 0;
  /** undefined: nothing has been rotated since the last trim. */
  #trimsAt: number | undefined;

  constructor(private readonly clock: Clock) {
    this.reset();
  }

  reset(): void {
    const now = this.clock.now().getTime();
    this.#keys = [create(now)];
    this.#rotatesAt = now + rotationPeriod;
    this.#trimsAt = undefined;
  }

  /** Oldest first. */
  list(): SigningKey[] {
    this.#catchUp();
    return [...this.#keys];
  }

  rotate(): void {
    this.#catchUp();
    const now = this.clock.now().getTime();
    this.#keys.push(create(now));
    this.#rotatesAt = now + rotationPeriod;
    this.#trimsAt ??= now + trimPeriod;
  }

  trim(): void {
    this.#catchUp();
    this.#keys = this.#keys.slice(-1);
    this.#trimsAt = this.clock.now().getTime() + trimPeriod;
  }

  /** Does, in its order, what the timers would have done since somebody looked. */
  #catchUp(): void {
    const now = this.clock.now().getTime();
    while (Math.min(this.#rotatesAt, this.#trimsAt ?? now + 1) <= now) {
      if (this.#trimsAt !== undefined && this.#trimsAt <= this.#rotatesAt) {
        this.#keys = this.#keys.slice(-1);
        this.#trimsAt = undefined;
      } else {
        this.#keys.push(create(this.#rotatesAt));
        this.#trimsAt = this.#rotatesAt + trimPeriod;
        this.#rotatesAt += rotationPeriod;
      }
    }
  }
}

function create(at: number): SigningKey {
  const modulus = randomBytes(256);
  // 2048 bits and odd, as every modulus is.
  modulus[0]! |= 0x80;
  modulus[255]! |= 1;
  return { kid: randomUUID(), createdAt: new Date(at), modulus: modulus.toString("base64url") };
}
