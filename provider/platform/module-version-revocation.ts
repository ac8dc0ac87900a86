import { Definition } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { Adopt, adoptField, ConnectionArgs, connectionField, nonEmptyStr } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { read as readIn } from "../program/invoke";
import { isObject, isStringList } from "../text/json";
import { apiPath, asString, call, canRead, isNotFound, resourceOf, system } from "./client";
import { addressOf, Identity, listOptions, Module } from "./module-versions";
import { identityFields, identityOf, patchVersion, searchModules, versionMark, versionPath } from "./version-mark";

/** Inputs of {@link ModuleVersionRevocation}. */
export interface ModuleVersionRevocationInputs extends ConnectionArgs, Identity {
  /**
   * The message, for users of the version.
   * @example "Its flow logs are not encrypted. Use 2.0.0."
   */
  message: string;
  /**
   * The URL of further information.
   * @example "https://wiki.example.com/network-2"
   */
  link?: string;
  /**
   * The handling of a version that is already revoked with a different message or link. `true` overwrites both, and the provider prints the
   * changes, old -> new. With `"unchanged"` or `false`, creating the resource fails with `ERR_ALREADY_EXISTS`, and `"unchanged"` lists the
   * differences.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link ModuleVersionRevocation}. */
export interface ModuleVersionRevocationState extends Identity {
  /** The message, for users of the version. */
  message: string;
  /** The URL of further information. Undefined if there is none. */
  link: string | undefined;
}

/** The attributes of a page of the registry; undefined if it does not exist. A 404 proves that only to a member of the organization. */
async function attributesOf(
  operation: Operation,
  module: Module,
  page: string[],
  query = {},
): Promise<Record<string, unknown> | undefined> {
  const organization = ["api", "v2", "organizations", module.organizationName];
  const path = apiPath(...organization, "registry-modules", "private", ...addressOf(module), ...page);
  const request = { method: "GET", path, query, retry: "idempotent" } as const;
  try {
    return resourceOf(await call(operation, request), request).attributes;
  } catch (error) {
    if (isNotFound(operation, error) && (await canRead(operation, apiPath(...organization)))) return undefined;
    throw error;
  }
}

function revocationIn(version: Identity, { revocation }: Record<string, unknown> = {}): ModuleVersionRevocationState | undefined {
  const { status, message, link } = isObject(revocation) ? revocation : {};
  // HashiCorp's reference shows both "Revoked" and "revoked".
  if (asString(status).toLowerCase() !== "revoked") return undefined;
  return { ...identityOf(version), message: asString(message), link: asString(link) || undefined };
}

const read = async (operation: Operation, version: Identity): Promise<ModuleVersionRevocationState | undefined> =>
  revocationIn(version, await attributesOf(operation, version, ["version"], { module_version: version.moduleVersion }));

/** `before`: the link before the write. */
async function revoke(operation: Writer, inputs: ModuleVersionRevocationInputs, before?: string): Promise<ModuleVersionRevocationState> {
  // Terraform Enterprise may keep a link that a write omits, so it is cleared explicitly.
  const { message, link = before && "" } = inputs;
  const document = await patchVersion(operation, inputs, { revocation: { status: "Revoked", message, link } }).catch((error) => {
    if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    throw error.with({ hint: "Only a deprecated version can be revoked: depend on its ModuleVersionDeprecation (`dependsOn`)." });
  });
  const revoked = revocationIn(inputs, resourceOf(document, { method: "PATCH", path: versionPath(inputs) }).attributes);
  if (revoked) return revoked;
  const reason = "the response shows no revocation, which requires release 202505-1 or later";
  throw new StewardError({ code: "ERR_REJECTED", rule: "not-revoked", reason, hint: `Upgrade ${operation.server.words.service}.` });
}

const mark = versionMark<ModuleVersionRevocationInputs, ModuleVersionRevocationState>({
  word: "revoked",
  text: "message",
  // The deprecation of the version is an object of its own.
  pathOf: (version) => `${versionPath(version)}/revocation`,
  read,
  write: revoke,
  removal: { revocation: { status: "Unrevoked" } },
});

/** Options of {@link listRevokedModuleVersions}. */
export interface ListRevokedModuleVersionsOptions extends Module, ConnectionArgs {}

export const revokedModuleVersions: ReadFunction<ListRevokedModuleVersionsOptions, string[]> = {
  token: "platform:listRevokedModuleVersions",
  operation: "Cannot list revoked module versions",
  system,
  dialects: ["hashicorp"],
  options: listOptions,
  property: "versions",
  async run(operation, module) {
    const { "revoked-versions": versions } = (await attributesOf(operation, module, [])) ?? {};
    return isStringList(versions) ? versions : [];
  },
};

/**
 * Lists the revoked versions of a private module with `GET /api/v2/organizations/:organization/registry-modules/private/:organization/:name/:provider`.
 * The list is empty if the module does not exist.
 */
export function listRevokedModuleVersions(options: ListRevokedModuleVersionsOptions): Promise<string[]> {
  return readIn(revokedModuleVersions, options);
}

/**
 * The revocation of a deprecated private module version.
 *
 * A revoked version cannot be used by new users, and its existing users get a warning in their runs. Terraform Enterprise revokes only a version that
 * is deprecated, so let the resource depend on its {@link ModuleVersionDeprecation}. Destroying the resource makes the version a deprecated one
 * again. Pulumi then also destroys it before the deprecation.
 *
 * If the version is already revoked with a different message or link, creating the resource fails with `ERR_ALREADY_EXISTS` unless `adopt` is set.
 * If another client reverts the revocation or removes the version, a refresh removes the resource from the state.
 *
 * Creating it fails with `ERR_REJECTED` if Terraform Enterprise is older than release 202505-1.
 *
 * @example Revoke a version that is already deprecated
 * ```ts
 * new platform.ModuleVersionRevocation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   message: "Use 2.0.0.",
 * });
 * ```
 * @example Deprecate and revoke a version
 * ```ts
 * const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
 * const old = new platform.ModuleVersionDeprecation("old-network", { ...version, reason: "Use 2.0.0." });
 * const message = "Its flow logs are not encrypted. Use 2.0.0.";
 * const link = "https://wiki.example.com/network-2";
 * new platform.ModuleVersionRevocation("old-network", { ...version, message, link }, { dependsOn: old });
 * ```
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests A create sends no `PATCH` for a version that is already revoked with this message and link.
 * @permissions The token of a user in a team that may manage the modules of the organization. Being a site administrator is not enough.
 * @unreadable Nothing: Terraform Enterprise returns the message and the link.
 */
export const moduleVersionRevocation: Definition<ModuleVersionRevocationInputs, ModuleVersionRevocationState> = {
  ...mark,
  dialects: ["hashicorp"],
  token: "platform:ModuleVersionRevocation",
  displayName: "module version revocation",
  fields: {
    ...identityFields,
    message: { input: nonEmptyStr, required: true, output: true },
    link: { input: nonEmptyStr, output: true },
    adopt: adoptField,
    connection: connectionField,
  },
  read: ({ operation, state }) => read(operation, state),
  update: ({ operation, inputs, last }) => revoke(operation, inputs, last.link),
  discover: (request) =>
    searchModules(request, "revoked module versions", async (module) =>
      (await revokedModuleVersions.run(request.operation, module)).map((moduleVersion) => ({ ...module, moduleVersion })),
    ),
};
