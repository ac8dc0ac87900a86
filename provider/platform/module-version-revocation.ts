import { Definition, ExistingObject, FindRequest, UpdateRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { differencesOf } from "../contract/fields";
import { ReadFunction } from "../contract/function";
import { Adopt, adoptField, ConnectionArgs, connectionField, connectionInput, nonEmptyStr, strictObject } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { read as readIn } from "../program/invoke";
import { isObject, isStringList } from "../text/json";
import { apiPath, asString, call, canRead, isNotFound, resourceOf, system } from "./client";
import { addressOf, Identity, Module, part } from "./module-version";
import { identity, identityOf, modulesFor, notFoundHint, notManager, versionPath } from "./module-version-deprecation";

/** Inputs of {@link ModuleVersionRevocation}. */
export interface ModuleVersionRevocationInputs extends ConnectionArgs {
  /**
   * The organization that owns the module.
   * @example "acme"
   */
  organizationName: string;
  /**
   * The name of the module.
   * @example "network"
   */
  moduleName: string;
  /**
   * The provider that the module is for.
   * @example "aws"
   */
  moduleProvider: string;
  /**
   * The version, as listed in the registry. It must be deprecated.
   * @example "1.0.0"
   */
  moduleVersion: string;
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

type Revocation = Pick<ModuleVersionRevocationState, "message" | "link">;

const modulePath = (module: Module, ...more: string[]): string =>
  apiPath("api", "v2", "organizations", module.organizationName, "registry-modules", "private", ...addressOf(module), ...more);

/** The attributes of a registry page; undefined if it does not exist. A 404 proves that only to a member of the organization. */
async function attributesOf(
  operation: Operation,
  module: Module,
  more: string[],
  query = {},
): Promise<Record<string, unknown> | undefined> {
  const request = { method: "GET", path: modulePath(module, ...more), query, retry: "idempotent" } as const;
  try {
    return resourceOf(await call(operation, request), request).attributes;
  } catch (error) {
    if (!isNotFound(operation, error)) throw error;
    if (await canRead(operation, apiPath("api", "v2", "organizations", module.organizationName))) return undefined;
    throw error.with({ rule: "module-not-shown", hint: "Check its names, and that the token's user is in a team of that organization." });
  }
}

function revocationIn({ revocation }: Record<string, unknown>): Revocation | undefined {
  const { status, message, link } = isObject(revocation) ? revocation : {};
  // HashiCorp's reference shows both "Revoked" and "revoked".
  return asString(status).toLowerCase() === "revoked" ? { message: asString(message), link: asString(link) || undefined } : undefined;
}

async function read(operation: Operation, version: Identity): Promise<ModuleVersionRevocationState | undefined> {
  const attributes = await attributesOf(operation, version, ["version"], { module_version: version.moduleVersion });
  const revocation = attributes && revocationIn(attributes);
  return revocation && { ...identityOf(version), ...revocation };
}

const send = (operation: Writer, version: Identity, revocation: Record<string, string | undefined>): Promise<unknown> => {
  const body = { data: { type: "module-versions", attributes: { revocation } } };
  return call(operation, { method: "PATCH", path: versionPath(version), body, retry: "idempotent" });
};

async function revoke(
  operation: Writer,
  inputs: ModuleVersionRevocationInputs,
  before?: Partial<Revocation>,
): Promise<ModuleVersionRevocationState> {
  // Terraform Enterprise may keep a link that a write omits, so it is cleared explicitly.
  const { message, link = before?.link && "" } = inputs;
  const document = await send(operation, inputs, { status: "Revoked", message, link }).catch((error) => {
    if (isNotFound(operation, error)) throw error.with({ hint: notFoundHint });
    if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    throw error.with({ hint: "Only a deprecated version can be revoked: depend on its ModuleVersionDeprecation (`dependsOn`)." });
  });
  const request = { method: "PATCH", path: versionPath(inputs) };
  const revocation = revocationIn(resourceOf(document, request).attributes);
  if (revocation) return { ...identityOf(inputs), ...revocation };
  const { service } = operation.server.words;
  throw new StewardError({
    code: "ERR_REJECTED",
    ...request,
    rule: "not-revoked",
    reason: "the response shows no revocation",
    hint: `Upgrade ${service}: the revocation of module versions requires release 202505-1 or later.`,
  });
}

/** A version that is already revoked with this message and link needs no adoption. */
async function find({
  operation,
  inputs,
}: FindRequest<ModuleVersionRevocationInputs>): Promise<ExistingObject<ModuleVersionRevocationState> | undefined> {
  const state = await read(operation, inputs);
  const differences = state && differencesOf(moduleVersionRevocation.fields, ["message", "link"], state, inputs);
  if (!state || differences?.length === 0) return state && { state, differences };
  return {
    state,
    differences,
    refusal: {
      reason: "it is already revoked with a different message or link",
      remedy: "set adopt: true to overwrite them, or declare the same message and link.",
    },
  };
}

async function reinstate(operation: Writer, state: ModuleVersionRevocationState): Promise<void> {
  try {
    await send(operation, state, { status: "Unrevoked" });
  } catch (error) {
    if (!isNotFound(operation, error)) throw error;
    // A removed version needs no reinstating. If it is still revoked, the 404 means that the token may not manage it.
    if (await read(operation, state)) throw error.with({ rule: "not-manager", hint: notManager });
  }
}

async function revokedVersions(operation: Operation, module: Module): Promise<string[]> {
  const { "revoked-versions": versions } = (await attributesOf(operation, module, [])) ?? {};
  return isStringList(versions) ? versions : [];
}

/** Options of {@link listRevokedModuleVersions}. */
export interface ListRevokedModuleVersionsOptions extends Module, ConnectionArgs {}

export const revokedModuleVersions: ReadFunction<ListRevokedModuleVersionsOptions, string[]> = {
  token: "platform:listRevokedModuleVersions",
  operation: "Cannot list revoked module versions",
  system,
  dialects: ["hashicorp"],
  options: strictObject({ organizationName: part, moduleName: part, moduleProvider: part, connection: connectionInput }),
  property: "versions",
  run: revokedVersions,
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
 * If somebody reverts the revocation or removes the version, a refresh removes the resource from the state.
 *
 * Creating it fails with `ERR_REJECTED` if Terraform Enterprise is older than release 202505-1.
 *
 * @example Deprecate and revoke a version
 * ```ts
 * const version = { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion: "1.0.0" };
 * const old = new platform.ModuleVersionDeprecation("old-network", { ...version, reason: "Use 2.0.0." });
 * new platform.ModuleVersionRevocation("old-network", { ...version, message: "Use 2.0.0." }, { dependsOn: old });
 * ```
 * @example A link, over the message of a revocation outside Pulumi
 * ```ts
 * new platform.ModuleVersionRevocation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   message: "Its flow logs are not encrypted. Use 2.0.0.",
 *   link: "https://wiki.example.com/network-2",
 *   adopt: true,
 * });
 * ```
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests A create sends no `PATCH` for a version that is already revoked with this message and link.
 * @permissions The token of a user in a team that may manage the modules of the organization. Being a site administrator is not enough.
 * @unreadable Nothing: Terraform Enterprise returns the message and the link.
 */
export const moduleVersionRevocation: Definition<ModuleVersionRevocationInputs, ModuleVersionRevocationState> = {
  system,
  dialects: ["hashicorp"],
  token: "platform:ModuleVersionRevocation",
  displayName: "module version revocation",
  name: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  id: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  readById: true,
  fields: {
    organizationName: { input: part, required: true, output: true, replaces: true },
    moduleName: { input: part, required: true, output: true, replaces: true },
    moduleProvider: { input: part, required: true, output: true, replaces: true },
    moduleVersion: { input: part, required: true, output: true, replaces: true },
    message: { input: nonEmptyStr, required: true, output: true },
    link: { input: nonEmptyStr, output: true },
    adopt: adoptField,
    connection: connectionField,
  },
  objects: {
    fields: identity,
    // The deprecation of the version is an object of its own.
    paths: (fields) => [`${versionPath(fields)}/revocation`],
    remove: ({ state }, claims) => claims.each(`${versionPath(state)}/revocation`, ({ operation }) => reinstate(operation, state)),
  },
  read: ({ operation, state }) => read(operation, state),
  find,
  create: ({ operation, inputs, existing }) =>
    existing?.state && existing.differences?.length === 0 ? Promise.resolve(existing.state) : revoke(operation, inputs, existing?.state),
  update: ({ operation, inputs, last }: UpdateRequest<ModuleVersionRevocationInputs, ModuleVersionRevocationState>) =>
    revoke(operation, inputs, last),
  discover: async (request) => {
    const searches = (await modulesFor(request, "revoked module versions")).map((module) =>
      request.attempt(addressOf(module).join("/"), async () =>
        (await revokedVersions(request.operation, module)).map((moduleVersion) => ({ state: { ...module, moduleVersion } })),
      ),
    );
    return (await Promise.all(searches)).flat();
  },
};
