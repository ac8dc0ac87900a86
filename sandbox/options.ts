/** Options of {@link start}. */
export interface Options {
  /**
   * The names and responses, which are those of the API specifications ("standard") or of Vault, Terraform Enterprise and Nomad
   * ("hashicorp"). The dialect "openbao" is "hashicorp" with OpenBao instead of Vault.
   * @default "standard"
   */
  dialect?: "standard" | "hashicorp" | "openbao";
  /**
   * The first of four consecutive ports, for secrets, platform, scheduler and page in this order, or 0 for free ports.
   * @default 0
   */
  port?: number;
  /**
   * The number of unseal key shares or, with the seal "stored", of recovery keys. With 1, the share is the key itself. With 0 and the seal
   * "stored", OpenBao is initialized without recovery keys.
   * @default 5
   */
  unsealShares?: number;
  /**
   * The number of shares that unseal the service, where 1 of several shares is valid only in the dialect "standard".
   * @default 3, or all of fewer shares
   */
  unsealThreshold?: number;
  /**
   * The kind of seal. With "stored", the seal stores the key, as with auto-unseal, and the shares are recovery keys.
   * @default "shamir"
   */
  seal?: "shamir" | "stored";
  /**
   * Makes the platform reject enabled SMTP settings without an address for a test mail, although the API specification allows them.
   * @default false
   */
  smtpNeedsTestAddress?: boolean;
  /**
   * Makes the scheduler reject a token with an unknown policy, as the API specification requires. Nomad creates a token without any rights.
   * @default true in the dialect "standard", and false in the others
   */
  tokensNeedKnownPolicies?: boolean;
  /**
   * Makes Vault require a token for the rekey of its keys, as HashiCorp's test of Vault 2.x asserts, and for the generation of a root token, as
   * its documentation says. In the other dialects, they always require one.
   * @default false
   */
  rekeyNeedsToken?: boolean;
}

const flags = ["smtpNeedsTestAddress", "tokensNeedKnownPolicies", "rekeyNeedsToken"] as const;
const names = ["dialect", "port", "unsealShares", "unsealThreshold", "seal", ...flags];

const dialects: readonly string[] = ["standard", "hashicorp", "openbao"];

/** The options with their defaults. Throws if an option is unknown or has an invalid value. */
export function checkOptions(options: Options): Required<Options> {
  const { dialect = "standard", port = 0, unsealShares = 5, seal = "shamir" } = options;
  const { unsealThreshold = Math.min(3, unsealShares) } = options;
  const { smtpNeedsTestAddress = false, tokensNeedKnownPolicies = dialect === "standard", rekeyNeedsToken = false } = options;
  const unknown = Object.keys(options).find((option) => !names.includes(option));
  if (unknown) throw new TypeError(`Unknown option "${unknown}". Known: ${names.join(", ")}.`);
  if (!dialects.includes(dialect)) throw new TypeError('dialect must be "standard", "hashicorp" or "openbao".');
  const notBoolean = flags.find((flag) => options[flag] !== undefined && typeof options[flag] !== "boolean");
  if (notBoolean) throw new TypeError(`${notBoolean} must be true or false.`);
  if (seal !== "shamir" && seal !== "stored") throw new TypeError('seal must be "shamir" or "stored".');
  if (!Number.isInteger(port) || port < 0 || port > 65_532) throw new RangeError("port must be a whole number from 0 to 65532.");
  const fewest = dialect === "openbao" && seal === "stored" ? 0 : 1;
  if (!Number.isInteger(unsealShares) || unsealShares < fewest || unsealShares > 255)
    throw new RangeError(`unsealShares must be a whole number from ${fewest} to 255.`);
  const least = unsealShares < 2 ? unsealShares : dialect === "standard" ? 1 : 2;
  if (!Number.isInteger(unsealThreshold) || unsealThreshold < least || unsealThreshold > unsealShares)
    throw new RangeError(`unsealThreshold must be a whole number from ${least} to unsealShares (${unsealShares}).`);
  return { dialect, port, unsealShares, unsealThreshold, seal, smtpNeedsTestAddress, tokensNeedKnownPolicies, rekeyNeedsToken };
}
