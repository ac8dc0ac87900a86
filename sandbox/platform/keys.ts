import { randomBytes, randomUUID } from "node:crypto";
import { Clock } from "../clock";

export interface SigningKey {
  kid: string;
  createdAt: Date;
  /** The modulus of the public key. It has the right format, but there is no private key. */
  modulus: string;
}

const day = 86_400_000;
const rotationPeriod = 90 * day;
const trimPeriod = 30 * day;

/**
 * The keys that sign workload identity tokens. One timer rotates them every 90 days, another trims them 30 days after the last rotation. A
 * request restarts only the timer of its own action. A requested rotation starts the trim timer if it is not running.
 */
export class SigningKeys {
  #keys: SigningKey[] = [];
  #rotatesAt = 0;
  /** Undefined if there was no rotation since the last trim. */
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

  /** The keys, oldest first. */
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

  /** Applies the rotations and trims that were due since the last call, in their order. */
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
  // A modulus is odd and has exactly 2048 bits.
  modulus[0]! |= 0x80;
  modulus[255]! |= 1;
  return { kid: randomUUID(), createdAt: new Date(at), modulus: modulus.toString("base64url") };
}
