import type { Service } from "../service";

/**
 * The service with its unseal shares, and with operations that disturb a rekey. With the seal "stored", the shares are recovery keys.
 * Shares are in base64 or hex.
 *
 * Its Nomad secrets engine creates tokens that work in the sandbox's scheduler. For this, the access configuration must have the scheduler's address
 * and a management token. By the sandbox's clock, a token ends with its lease, with the token that requested it, or with the mount.
 */
export interface SecretsService extends Service {
  /** The live shares in base64, also after a rekey that encrypted them. */
  shares: string[];
  /** The number of shares that unseal the service. */
  threshold: number;
  /** Resolves to true if these are live shares. Changes nothing. */
  opens(shares: string[]): Promise<boolean>;
  /** Seals the service. Every route but those of the seal responds with 503, and a rekey in progress is lost. */
  seal(): Promise<void>;
  /** Unseals the service. Resolves to false, and changes nothing, if these shares do not open it. */
  unseal(shares: string[]): Promise<boolean>;
  /** Changes the active node. A rekey in progress and all open connections are lost. */
  failover(): Promise<void>;
}
