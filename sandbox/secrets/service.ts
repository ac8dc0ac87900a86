import type { Service } from "../service";

/**
 * The service's own unseal shares, and ways to be an unkind operator. Shares are given in base64 or hex.
 *
 * Its scheduler engine makes tokens that work in the sandbox's scheduler, where the access configuration has that one's address and a management token.
 * They end, by the sandbox's clock, with their lease or with the token that asked for them, and with the mount.
 */
export interface SecretsService extends Service {
  /** The live shares, in base64. Those of a rekey, too, whether it encrypted them or not. */
  shares: string[];
  /** How many of them open it. */
  threshold: number;
  /** Are these the live shares? Disturbs nothing. */
  opens(shares: string[]): Promise<boolean>;
  /** From now on every route answers 503, but for those that end it; an attempt at a rekey is lost. */
  seal(): Promise<void>;
  /** Ends the seal. false: these shares do not open it, and nothing changes. */
  unseal(shares: string[]): Promise<boolean>;
  /** The active node changes: an attempt in memory is lost, and so is every open connection. */
  failover(): Promise<void>;
}
