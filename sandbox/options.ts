/** How the sandbox starts. */
export interface Options {
  /**
   * Whose names and answers: the specifications' ("standard"), those of the real products ("hashicorp"), or of these with OpenBao in place of
   * Vault ("openbao").
   * @default "standard"
   */
  dialect?: "standard" | "hashicorp" | "openbao";
  /**
   * First of four ports, in the order secrets, platform, scheduler, page. 0 takes free ones.
   * @default 0
   */
  port?: number;
  /**
   * How many shares unseal the secrets service. With 1, the share is the key itself.
   * @default 5
   */
  unsealShares?: number;
  /**
   * How many of them are needed. 1 of several only in the dialect "standard".
   * @default 3, or all of fewer shares
   */
  unsealThreshold?: number;
  /**
   * "stored": the key is kept by the seal, as with a key management service, and the shares only authorize a rekey.
   * @default "shamir"
   */
  seal?: "shamir" | "stored";
  /**
   * Whether the platform enables SMTP only with an address for a test message. Its API document can be read so.
   * @default false
   */
  smtpNeedsTestAddress?: boolean;
  /**
   * Whether the scheduler refuses to make a token for a policy that it does not have. The API document says that the policies of a role
   * must exist; Nomad makes a token that is allowed nothing.
   * @default false
   */
  tokensNeedKnownPolicies?: boolean;
}

const known = ["dialect", "port", "unsealShares", "unsealThreshold", "seal", "smtpNeedsTestAddress", "tokensNeedKnownPolicies"];

const dialects: readonly string[] = ["standard", "hashicorp", "openbao"];

/** The options with their defaults. Throws where one is unknown, or has a value that it cannot have. */
export function checkOptions(options: Options): Required<Options> {
  const { dialect = "standard", port = 0, unsealShares = 5, seal = "shamir" } = options;
  const { unsealThreshold = Math.min(3, unsealShares), smtpNeedsTestAddress = false, tokensNeedKnownPolicies = false } = options;
  const unknown = Object.keys(options).find((option) => !known.includes(option));
  if (unknown) throw new TypeError(`Unknown option "${unknown}". Known: ${known.join(", ")}.`);
  if (!dialects.includes(dialect)) throw new TypeError('dialect is "standard", "hashicorp" or "openbao".');
  if (typeof smtpNeedsTestAddress !== "boolean") throw new TypeError("smtpNeedsTestAddress is true or false.");
  if (typeof tokensNeedKnownPolicies !== "boolean") throw new TypeError("tokensNeedKnownPolicies is true or false.");
  if (seal !== "shamir" && seal !== "stored") throw new TypeError('seal is "shamir" or "stored".');
  if (!Number.isInteger(port) || port < 0 || port > 65_532) throw new RangeError("port is a whole number from 0 to 65532.");
  if (!Number.isInteger(unsealShares) || unsealShares < 1 || unsealShares > 255) throw new RangeError("unsealShares is from 1 to 255.");
  const least = unsealShares === 1 || dialect === "standard" ? 1 : 2;
  if (!Number.isInteger(unsealThreshold) || unsealThreshold < least || unsealThreshold > unsealShares)
    throw new RangeError(`unsealThreshold is from ${least} to unsealShares (${unsealShares}).`);
  return { dialect, port, unsealShares, unsealThreshold, seal, smtpNeedsTestAddress, tokensNeedKnownPolicies };
}
