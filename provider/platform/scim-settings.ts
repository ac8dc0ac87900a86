import { CreateRequest, Definition, FindRequest, PlanNote, UpdateRequest } from "../contract/definition";
import { rejectedValues, StewardError } from "../contract/errors";
import { namesWith } from "../contract/fields";
import { ReadFunction } from "../contract/function";
import { bool, ConnectionArgs, connectionField, onlyConnection, str } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { read as readIn } from "../program/invoke";
import { Json } from "../text/json";
import { adminPath, callAsAdministrator, remove, resourceOf, system, wireName } from "./client";

/** Inputs of {@link ScimSettings}. An attribute that the program does not declare keeps its value. */
export interface ScimSettingsInputs extends ConnectionArgs {
  /** True if Terraform Enterprise rejects the changes of the identity provider, without deleting anything. */
  paused?: boolean;
  /**
   * The SCIM id of the group whose members are site administrators. An empty string removes the group, and its members lose that right.
   * @example "ef498761-2cc7-4569-9bd9-970a270dbb88"
   */
  siteAdminGroupScimId?: string;
  /**
   * The SCIM id of the group whose members are site auditors. An empty string removes the group. HashiCorp's Go client has it, and the API reference
   * of release 2.0 does not show it.
   * @example "0b2f6f0e-5d0c-4f43-a1c1-6c39a5f7f0aa"
   */
  siteAuditorGroupScimId?: string;
  /**
   * True if destroying this resource disables SCIM. Terraform Enterprise then deletes all SCIM groups and their links to teams, and revokes all
   * SCIM tokens. Otherwise SCIM stays enabled. Setting it to true prints a warning in the preview and in `pulumi up`.
   * @change updates only the state
   * @default false
   */
  disableOnDelete?: boolean;
}

/** Outputs of {@link ScimSettings}. */
export interface ScimSettingsState {
  /** True if SCIM is enabled. */
  enabled: boolean;
  /** True if Terraform Enterprise rejects the changes of the identity provider. */
  paused: boolean;
  /** The SCIM id of the group of site administrators. Empty if there is none. */
  siteAdminGroupScimId: string;
  /** The name of the group of site administrators. Empty if there is none. */
  siteAdminGroupDisplayName: string;
  /** The SCIM id of the group of site auditors. Empty if there is none. */
  siteAuditorGroupScimId: string;
  /** The name of the group of site auditors. Empty if there is none. */
  siteAuditorGroupDisplayName: string;
}

interface StoredState extends ScimSettingsState {
  disableOnDelete?: boolean;
}

const path = adminPath("scim-settings");
const declarable = ["paused", "siteAdminGroupScimId", "siteAuditorGroupScimId"] as const;

async function send(operation: Operation, request: { method: "GET" } | { method: "PATCH"; body: Json }): Promise<ScimSettingsState> {
  const sent = { ...request, path, retry: "idempotent" } as const;
  const { attributes } = resourceOf(await callAsAdministrator(operation as Writer, sent), sent);
  const names = namesWith(scimSettings.fields, "output");
  return Object.fromEntries(
    names.map((name) => [name, attributes[wireName(operation, name)] ?? (/^(enabled|paused)$/.test(name) ? false : "")]),
  ) as unknown as ScimSettingsState;
}

/** Enables SCIM with the declared attributes that differ. */
async function write(operation: Writer, inputs: ScimSettingsInputs, current: ScimSettingsState): Promise<ScimSettingsState> {
  const changed = declarable.filter((name) => inputs[name] !== undefined && inputs[name] !== current[name]);
  if (current.enabled && changed.length === 0) return current;
  const attributes = Object.fromEntries(changed.map((name) => [wireName(operation, name), inputs[name] === "" ? null : inputs[name]]));
  const body = { data: { type: "scim-settings", attributes: { ...(current.enabled ? {} : { enabled: true }), ...attributes } } };
  try {
    return await send(operation, { method: "PATCH", body });
  } catch (error) {
    if (current.enabled || !(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    const hint =
      "SCIM requires SAML: enable it with the providerType of your identity provider, and make this resource depend on SamlSettings (`dependsOn`).";
    throw error.with({ rule: rejectedValues, hint });
  }
}

const disables: PlanNote = {
  path: "disableOnDelete",
  reason:
    "destroying this resource will disable SCIM: Terraform Enterprise then deletes all SCIM groups, their links to teams and all SCIM tokens, which cannot be undone",
};

export const scimNow: ReadFunction<ConnectionArgs, ScimSettingsState> = {
  token: "platform:getScimSettings",
  operation: "Cannot read SCIM settings",
  system,
  dialects: ["hashicorp"],
  options: onlyConnection,
  run: (operation) => send(operation, { method: "GET" }),
};

/**
 * Reads the SCIM settings with `GET /api/v2/admin/scim-settings`. The function fails with `ERR_FORBIDDEN` if the token does not belong to a site
 * administrator.
 */
export function getScimSettings(options: ConnectionArgs = {}): Promise<ScimSettingsState> {
  return readIn(scimNow, options);
}

/**
 * SCIM provisioning of users and groups.
 *
 * Creating the resource enables SCIM, which requires SAML with the `providerType` of an identity provider that Terraform Enterprise supports. If
 * SCIM is already enabled, the resource adopts it, and the provider prints what it changes, old -> new. If somebody disables SCIM, a refresh
 * removes the resource from the state, and the next `pulumi up` enables SCIM again. A {@link ScimToken} authenticates the identity provider.
 *
 * An attribute that you remove from the program keeps its value.
 *
 * Destroying the resource leaves SCIM enabled, because disabling it deletes data: with `disableOnDelete`, it disables SCIM. Site administrators
 * whom SCIM has appointed keep that right.
 *
 * An operation fails with `ERR_FORBIDDEN` if the token does not belong to a site administrator, and with `ERR_NOT_FOUND` if Terraform
 * Enterprise is older than release 2.0.0.
 *
 * @example Enable SCIM
 * ```ts
 * const saml = new platform.SamlSettings("saml", { enabled: true, providerType: "okta" });
 * new platform.ScimSettings("scim", {}, { dependsOn: saml });
 * ```
 * @example A group of site administrators, while provisioning is paused
 * ```ts
 * new platform.ScimSettings("scim", { paused: true, siteAdminGroupScimId: "ef498761-2cc7-4569-9bd9-970a270dbb88" });
 * ```
 * @see [Terraform Enterprise: SCIM settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/scim-settings)
 * @requests Create and update send the `PATCH` only if a value differs. A delete sends the `DELETE` only with `disableOnDelete`.
 * @unreadable Nothing, because Terraform Enterprise returns all attributes.
 */
export const scimSettings: Definition<ScimSettingsInputs, ScimSettingsState, StoredState> = {
  system,
  dialects: ["hashicorp"],
  token: "platform:ScimSettings",
  displayName: "SCIM settings",
  id: "scim",
  readById: true,
  fields: {
    paused: { input: bool, output: true },
    siteAdminGroupScimId: { input: str, output: true },
    siteAuditorGroupScimId: { input: str, output: true },
    disableOnDelete: { input: bool, stored: true },
    enabled: { output: true },
    siteAdminGroupDisplayName: { output: true },
    siteAuditorGroupDisplayName: { output: true },
    connection: connectionField,
  },
  deleteBeforeReplace: false,
  objects: {
    fields: [],
    paths: () => [path],
    isIrreversible: true,
    isRemoved: ({ disableOnDelete }) => disableOnDelete === true,
    remove: (_, claims) => claims.each(path, (claim) => remove(claim, "idempotent")),
  },
  planNotes: ({ inputs, last }) => (inputs.disableOnDelete && !last?.disableOnDelete ? [disables] : []),
  // Disabled settings have no values of their own.
  read: async ({ operation }) => {
    const now = await send(operation, { method: "GET" });
    return now.enabled ? now : undefined;
  },
  find: async ({ operation }: FindRequest<ScimSettingsInputs>) => {
    const state = await send(operation, { method: "GET" });
    return state.enabled ? { state } : { state, differences: [] };
  },
  create: ({ operation, inputs, existing }: CreateRequest<ScimSettingsInputs, StoredState>) =>
    write(operation, inputs, existing?.state as ScimSettingsState),
  // After a write without a response, all declared attributes are sent again.
  update: ({ operation, inputs, last }: UpdateRequest<ScimSettingsInputs, StoredState>) =>
    write(operation, inputs, last.outcomeUnknown ? ({} as ScimSettingsState) : last),
  discover: ({ operation, attempt }) =>
    attempt("SCIM settings", async () => {
      const state = await send(operation, { method: "GET" });
      return state.enabled ? [{ state, isRead: true, suggestedName: "scim" }] : [];
    }),
};
