import { z } from "zod";
import { instant } from "../contract/comparison";
import { Definition, WriteRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { spelledAs } from "../contract/fields";
import { ConnectionArgs, connectionField, nonEmptyStr, str, timeInput } from "../contract/inputs";
import { secretOf, WithSecrets } from "../contract/secret";
import { invalidResponse } from "../http/failure";
import { asString, ResourceObject, system } from "./client";
import { collection } from "./collection";

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

interface StoredState extends WithSecrets<ScimTokenState, "token"> {}

const tokens = collection("authentication-tokens", "scim-tokens");

/** The attributes that the server returns at any time. */
const shownIn = ({ id, attributes }: ResourceObject): Omit<StoredState, "token"> => ({
  tokenId: id,
  description: asString(attributes.description),
  expiresAt: asString(attributes["expired-at"]),
});

async function create({ operation, inputs: { description, expiresAt } }: WriteRequest<ScimTokenInputs>): Promise<StoredState> {
  // A response that nobody could save would be lost, with a valid token.
  await operation.run.engine.assertAlive();
  const attributes = { description, ...(expiresAt === undefined ? {} : { "expired-at": expiresAt }) };
  try {
    const created = await tokens.create(operation, attributes);
    const token = asString(created.attributes.token);
    if (!created.id || !token) throw invalidResponse("POST", tokens.path).with({ outcomeUnknown: true });
    return { ...spelledAs(scimToken.fields, { expiresAt }, shownIn(created)), token: secretOf(token) };
  } catch (error) {
    if (!(error instanceof StewardError) || !error.details.outcomeUnknown) throw error;
    const hint = `A token with this description may have been created and lost: delete it in ${operation.server.words.service}. The next \`pulumi up\` creates a new one.`;
    throw error.with({ rule: "token-perhaps-created", hint });
  }
}

/**
 * A token with which the identity provider authenticates to SCIM.
 *
 * Terraform Enterprise generates the token and shows it once, so the state contains it, encrypted, and the output `token` is a secret. A change of
 * any input creates a new token, then deletes the old one. Until you pass the new token to the identity provider, provisioning fails. To avoid
 * that, declare a second token, pass it on, and then remove the first one from the program.
 *
 * When the token has expired or somebody has deleted it, `pulumi refresh` detects it, and the next `pulumi up` creates a new one. Disabling SCIM
 * deletes all tokens.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token of the connection does not belong to a site administrator, and creating a token with
 * `ERR_NOT_FOUND` if Terraform Enterprise is older than release 2.0.0. A create is retried only after a 429, since each request creates a token.
 *
 * @example A token for a year
 * ```ts
 * const scim = new platform.ScimSettings("scim");
 * const okta = new platform.ScimToken("okta", { description: "Okta" }, { dependsOn: scim });
 * export const scimToken = okta.token;
 * ```
 * @example Two tokens during a rotation
 * ```ts
 * for (const year of ["2026", "2027"])
 *   new platform.ScimToken(`okta-${year}`, { description: `Okta ${year}`, expiresAt: `${year}-12-01T00:00:00Z` });
 * ```
 * @see [Terraform Enterprise: SCIM tokens](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/scim-tokens)
 * @unreadable The token.
 */
export const scimToken: Definition<ScimTokenInputs, WithSecrets<ScimTokenState, "token">, StoredState> = {
  system,
  dialects: ["hashicorp"],
  token: "platform:ScimToken",
  displayName: "SCIM token",
  name: "<description>",
  // Unique for each token: the old one is deleted after the new one exists.
  id: "<tokenId>",
  fields: {
    description: { input: nonEmptyStr, required: true, output: true, replaces: true },
    expiresAt: { input: timeInput, output: true, compare: instant, replaces: true },
    // The default makes missing and removed keepers equal.
    keepers: { input: z.record(z.string(), str, "must be an object of strings by name"), default: () => ({}), replaces: true },
    tokenId: { output: true, essential: true },
    token: { output: true, secret: true },
    connection: connectionField,
  },
  objects: {
    fields: [],
    paths: () => [],
    remove: ({ state: { tokenId } }, claims) => tokens.remove(claims, `${tokens.path}/${tokenId}`, tokenId),
  },
  deleteBeforeReplace: false,
  read: async ({ operation, state }) => {
    const found = await tokens.read(operation, state.tokenId);
    return found && { ...shownIn(found), token: state.token };
  },
  create,
  update: async ({ state }) => state,
  discover: "a token is shown only when it is created. Declare a new one",
};
