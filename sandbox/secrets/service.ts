import { Service } from "../service";

/**
 * The service with its unseal shares, and with operations that disturb a rekey. Shares are in base64 or hex and, with the seal "stored",
 * they are recovery keys.
 *
 * Its Nomad secrets engine creates tokens that work in the sandbox's scheduler, if the access configuration has the scheduler's address and
 * a management token. A token expires with its lease, with the token that requested it, or with the mount, by the sandbox's clock.
 */
export interface SecretsService extends Service {
  /** The valid shares in base64, even after a rekey that encrypted them. */
  shares: string[];
  /** The number of shares that unseal the service. */
  threshold: number;
  /** Resolves to true if these are valid shares, without changing anything. */
  opens(shares: string[]): Promise<boolean>;
  /** Seals the service, so that every route but those of the seal responds with 503, and a rekey in progress is lost. */
  seal(): Promise<void>;
  /** Unseals the service, or resolves to false and changes nothing if these shares do not open it. */
  unseal(shares: string[]): Promise<boolean>;
  /** Makes the KMS of the seal "stored" unavailable, or available again. Without it, the service cannot check recovery keys. */
  setKms(isAvailable: boolean): void;
  /** Changes the active node, so that a rekey in progress and all open connections are lost. */
  failover(): Promise<void>;
}
