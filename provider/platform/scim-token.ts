import { z } from "zod";
import { instant, isPast } from "../contract/comparison";
import { Definition } from "../contract/definition";
import { ConnectionArgs, nonEmptyStr, str, timeInput } from "../contract/inputs";
import { WithSecrets } from "../contract/secret";
import { Published, siteObject } from "./site-object";

/** Inputs of {@link ScimToken}. */
export interface ScimTokenInputs extends ConnectionArgs {
  /**
   * The description of the token in the site administration.
   * @example "Okta"
   */
  description: string;
  /**
   * The time at which the token expires, in RFC 3339 format, from 29 to 365 days ahead. Without it, Terraform Enterprise chooses 365 days.
   * @example "2027-06-30T00:00:00Z"
   */
  expiresAt?: string;
  /**
   * Arbitrary strings. Changing any of them creates a new token and deletes the old one.
   * @example { year: "2027" }
   * @default {}
   */
  keepers?: Record<string, string>;
}

/** Outputs of {@link ScimToken}. */
export interface ScimTokenState {
  /** The id of the token: `at-…`. */
  tokenId: string;
  /** The description of the token. */
  description: string;
  /** The token, which is a secret. Terraform Enterprise returns it only when it creates the token. */
  token: string;
  /** The time at which the token expires, in RFC 3339 format. */
  expiresAt: string;
}

type Outputs = WithSecrets<ScimTokenState, "token">;

/**
 * A token with which the identity provider authenticates to SCIM.
 *
 * Terraform Enterprise generates the token and shows it once, so the state contains it, encrypted, and the output `token` is a secret. A change of
 * any input creates a new token, then deletes the old one. Until you pass the new token to the identity provider, provisioning fails. To avoid
 * that, declare a second token, pass it on, and then remove the first one from the program.
 *
 * When the token has expired or another client has deleted it, `pulumi refresh` detects it, and the next `pulumi up` creates a new one. Disabling SCIM
 * deletes all tokens.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token of the connection does not belong to a site administrator, and with `ERR_NOT_FOUND` if
 * Terraform Enterprise is older than release 2.0.0. A create is retried only after a 429, since each request creates a token.
 *
 * @example A token for a year
 * ```ts
 * const okta = new platform.ScimToken("okta", { description: "Okta" });
 * export const scimToken = okta.token;
 * ```
 * @example Two tokens during a rotation
 * ```ts
 * const scim = new platform.ScimSettings("scim", { enabled: true });
 * for (const expires of ["2027-03-01", "2027-06-01"])
 *   new platform.ScimToken(expires, { description: `Okta until ${expires}`, expiresAt: `${expires}T00:00:00Z` }, { dependsOn: scim });
 * ```
 * @see [Terraform Enterprise: SCIM tokens](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/scim-tokens)
 * @unreadable The token.
 */
export const scimToken: Definition<ScimTokenInputs, WithSecrets<ScimTokenState, "token">, Published<Outputs>> = siteObject<
  ScimTokenInputs,
  Outputs
>({
  type: "ScimToken",
  displayName: "SCIM token",
  name: "<description>",
  documentType: "authentication-tokens",
  list: ["scim-tokens"],
  id: "tokenId",
  attributes: {
    description: { input: nonEmptyStr, required: true, output: true, replaces: true },
    expiresAt: { input: timeInput, output: true, compare: instant, replaces: true },
    // The default makes missing and removed keepers equal.
    keepers: { input: z.record(z.string(), str, "must be an object of strings by name"), default: () => ({}), replaces: true },
    tokenId: { output: true, essential: true },
    token: { output: true, secret: true },
  },
  wireNames: { expiresAt: "expired-at" },
  isEnded: ({ expiresAt }) => isPast(expiresAt),
  discover: "a token is shown only when it is created. Declare a new one",
});
