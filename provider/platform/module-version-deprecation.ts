import {
  Definition,
  DiscoverRequest,
  ExistingObject,
  FindRequest,
  PlanNote,
  ReadRequest,
  UpdateRequest,
  WriteRequest,
} from "../contract/definition";
import { StewardError } from "../contract/errors";
import { differencesOf } from "../contract/fields";
import { Adopt, adoptField, ConnectionArgs, connectionField, nonEmptyStr } from "../contract/inputs";
import { cached, Operation, Writer } from "../contract/operation";
import { isObject, Json } from "../text/json";
import { apiPath, asString, call, completed, dialectOf, isNotFound, system } from "./client";
import { addressOf, clearCachedVersion, Identity, Module, ModuleVersion, part, readModuleVersions, readVersion } from "./module-version";
import { readAll } from "./pages";

/** Inputs of {@link ModuleVersionDeprecation}. */
export interface ModuleVersionDeprecationInputs extends ConnectionArgs, Identity {
  /**
   * The reason, for users of the version. Terraform Enterprise may append to it.
   * @example "Use 2.0.0, which encrypts the flow logs."
   */
  reason: string;
  /**
   * The URL of further information.
   * @example "https://wiki.example.com/network-2"
   */
  link?: string;
  /**
   * The handling of a version that is already deprecated with a different reason or link. `true` overwrites both, and the provider prints the
   * changes, old -> new. With `"unchanged"` or `false`, creating the resource fails with `ERR_ALREADY_EXISTS`, and `"unchanged"` lists the
   * differences.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link ModuleVersionDeprecation}. */
export interface ModuleVersionDeprecationState extends Identity {
  /** The declared reason, as long as the published one begins with it. */
  reason: string;
  /** The URL of further information. Undefined if there is none. */
  link: string | undefined;
  /** The reason as users see it. A secret output, since `reason` may be a secret. */
  publishedReason: string;
}

export const identity = ["organizationName", "moduleName", "moduleProvider", "moduleVersion"] as const;
const identityField = { input: part, required: true, output: true, replaces: true } as const;
/** The fields in the address of a version. */
export const identityFields = {
  organizationName: identityField,
  moduleName: identityField,
  moduleProvider: identityField,
  moduleVersion: identityField,
};

export const identityOf = (fields: Identity): Identity =>
  Object.fromEntries(identity.map((field) => [field, fields[field]])) as unknown as Identity;

interface StoredState extends ModuleVersionDeprecationState {
  /** The link as Terraform Enterprise stores it. */
  publishedLink?: string;
  /** True if the version was already deprecated with the declared reason and link, so nothing was sent. */
  isAdopted?: true;
}

/** The state after a write: the declared reason and link, next to those that Terraform Enterprise publishes. */
const written = (inputs: ModuleVersionDeprecationInputs, published: Published): StoredState => ({
  ...identityOf(inputs),
  reason: inputs.reason,
  link: inputs.link === undefined ? published.link : inputs.link,
  publishedReason: published.reason,
  publishedLink: published.link,
});

async function read({ operation, state: previous }: ReadRequest<StoredState>): Promise<StoredState | undefined> {
  const published = (await readVersion(operation, previous))?.deprecation;
  if (!published) return undefined;
  const { reason, link } = published;
  // Terraform Enterprise appends only to a reason that the provider sent. After an adopted reason, more words are drift.
  const isExtended = previous.reason !== undefined && !previous.isAdopted && reason.startsWith(previous.reason);
  const isDeclaredReason = isExtended || (previous.reason !== undefined && reason === previous.publishedReason);
  return {
    ...identityOf(previous),
    reason: isDeclaredReason ? previous.reason : reason,
    link: link !== undefined && link === previous.publishedLink ? previous.link : link,
    publishedReason: reason,
    publishedLink: link,
  };
}

export const versionPath = (version: Identity): string =>
  apiPath("api", "v2", "organizations", version.organizationName, "registry-modules", "private", ...Object.values(identityOf(version)));

export async function patchVersion(operation: Writer, version: Identity, attributes: Json): Promise<unknown> {
  try {
    const body = { data: { type: "module-versions", attributes } };
    return await call(operation, { method: "PATCH", path: versionPath(version), body, retry: "idempotent" });
  } finally {
    clearCachedVersion(operation, version);
  }
}

type Published = NonNullable<ModuleVersion["deprecation"]>;

/** `published`: the link before the write. */
async function deprecate(operation: Writer, inputs: ModuleVersionDeprecationInputs, published?: string): Promise<StoredState> {
  // Terraform Enterprise may keep a link that a write omits, so it is cleared explicitly.
  const { reason, link = published && "" } = inputs;
  const deprecation = { "deprecated-status": "Deprecated", reason, link };
  const document = await patchVersion(operation, inputs, { deprecation }).catch((error) => {
    if (!isNotFound(operation, error)) throw error;
    throw error.with({ hint: notFoundHint });
  });
  return written(inputs, publishedIn(document) ?? { reason, link: link || undefined });
}

function publishedIn(document: unknown): Published | undefined {
  const { included } = (document ?? {}) as { included?: unknown };
  const resources = (Array.isArray(included) ? included : []).filter(isObject).map(completed);
  const { reason, link } = resources.find(({ type }) => type === "deprecations")?.attributes ?? {};
  return typeof reason === "string" ? { reason, link: typeof link === "string" && link ? link : undefined } : undefined;
}

/** True if a version is deprecated with exactly the declared reason and link. */
const isSame = (published: Published, { reason, link }: ModuleVersionDeprecationInputs): boolean =>
  published.reason === reason && published.link === link;

/** A version that is already deprecated with this reason and link needs no adoption. */
async function find({ operation, inputs }: FindRequest<ModuleVersionDeprecationInputs>): Promise<ExistingObject<StoredState> | undefined> {
  const version = await readVersion(operation, inputs);
  if (!version)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      rule: "version-missing",
      reason: "the registry has no such version",
      hint: "Check the names and the version, and that the token may read the registry of that organization.",
    });
  const existing = version.deprecation;
  if (!existing || isSame(existing, inputs)) return undefined;
  return {
    refusal: {
      reason: "it is already deprecated with a different reason or link",
      remedy: "set adopt: true to overwrite them, or declare the same reason and link.",
    },
    differences: differencesOf(moduleVersionDeprecation.fields, ["reason", "link"], existing, inputs),
  };
}

async function create({ operation, inputs }: WriteRequest<ModuleVersionDeprecationInputs>): Promise<StoredState> {
  const existing = (await readVersion(operation, inputs))?.deprecation;
  if (existing && isSame(existing, inputs)) return { ...written(inputs, existing), isAdopted: true };
  return deprecate(operation, inputs, existing?.link);
}

async function update({ operation, inputs, last }: UpdateRequest<ModuleVersionDeprecationInputs, StoredState>): Promise<StoredState> {
  // `last`, not `state`: a link that was removed from the program must be cleared. After a create with an unknown outcome, the state has only
  // the declared link.
  return deprecate(operation, inputs, last.publishedLink ?? last.link);
}

export const notFoundHint = "The version does not exist, or the token may not manage the modules of that organization.";

/** Reverts the status of a version. `isStill`: whether the version still has it. */
export async function revert(operation: Writer, version: Identity, attributes: Json, isStill: () => Promise<unknown>): Promise<void> {
  try {
    await patchVersion(operation, version, attributes);
  } catch (error) {
    if (!isNotFound(operation, error)) throw error;
    // A removed version has no status. If it still has one, the 404 means that the token may not manage it.
    if (await isStill()) throw error.with({ rule: "not-manager", hint: "The token may not manage the modules of that organization." });
  }
}

const withoutLink: PlanNote = {
  path: "link",
  reason: "is not declared, and the API specification requires it: the platform may reject the deprecation",
};

/** Finds versions in the given private modules, or in those of every organization that the token can read. */
export async function searchModules(
  { operation, modules, attempt }: DiscoverRequest,
  what: string,
  find: (module: Module) => Promise<Identity[]>,
): Promise<{ state: Identity }[]> {
  const search = async (module: Module): Promise<{ state: Identity }[]> =>
    attempt(addressOf(module).join("/"), async () => (await find(module)).map((version) => ({ state: identityOf(version) })));
  const listed = (): Promise<Module[]> => attempt(what, () => modulesOf(operation, attempt));
  const searched = modules.length > 0 ? modules.map(named) : await cached(operation.run.cache, ["modules", operation.server.id], listed);
  return (await Promise.all(searched.map(search))).flat();
}

async function modulesOf(operation: Operation, attempt: DiscoverRequest["attempt"]): Promise<Module[]> {
  if (!dialectOf(operation).readsOrganizations)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      reason: "the API specification has no endpoint that lists modules",
      hint: "Specify each module with --module <organization>/<name>/<provider>.",
    });
  const organizations = await readAll(operation, apiPath("api", "v2", "organizations"));
  const lists = organizations.map(({ id }) =>
    attempt(`modules of ${id}`, async () => {
      const listed = await readAll(operation, apiPath("api", "v2", "organizations", id, "registry-modules"));
      return listed.map(({ attributes }) => named([id, asString(attributes.name), asString(attributes.provider)].join("/")));
    }),
  );
  return (await Promise.all(lists)).flat();
}

function named(module: string): Module {
  const [organizationName = "", moduleName = "", moduleProvider = ""] = module.split("/");
  return { organizationName, moduleName, moduleProvider };
}

/**
 * The deprecation of a private module version.
 *
 * Creating the resource deprecates the version, and destroying it reinstates the version. If the version is already deprecated with a different
 * reason or link, creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set. After the version is removed from the registry, a refresh
 * removes the resource from the state. The provider reads all versions of a module with one request.
 *
 * Terraform Enterprise can also revoke a deprecated version, which blocks new users of the version: see {@link ModuleVersionRevocation}.
 *
 * @example Deprecate one version
 * ```ts
 * new platform.ModuleVersionDeprecation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   reason: "Use 2.0.0, which encrypts the flow logs.",
 * });
 * ```
 * @example Deprecate several versions, some of which are already deprecated
 * ```ts
 * for (const moduleVersion of ["1.0.0", "1.1.0", "1.2.0"])
 *   new platform.ModuleVersionDeprecation(`network-${moduleVersion}`, {
 *     organizationName: "acme",
 *     moduleName: "network",
 *     moduleProvider: "aws",
 *     moduleVersion,
 *     reason: "Use 2.0.0, which encrypts the flow logs.",
 *     link: "https://wiki.example.com/network-2",
 *     adopt: true,
 *   });
 * ```
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests The resources of one module share the `GET`. A create sends no `PATCH` for a version that is already deprecated with this reason and
 * link.
 * @permissions The token of a user in a team that may manage the modules of the organization. Being a site administrator is not enough.
 * @unreadable Nothing: Terraform Enterprise returns the reason and the link. `publishedReason` includes what it appended.
 */
export const moduleVersionDeprecation: Definition<ModuleVersionDeprecationInputs, ModuleVersionDeprecationState, StoredState> = {
  system,
  token: "platform:ModuleVersionDeprecation",
  displayName: "module version deprecation",
  name: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  id: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  readById: true,
  fields: {
    ...identityFields,
    reason: { input: nonEmptyStr, required: true, output: true },
    link: { input: nonEmptyStr, output: true },
    // The program may have marked the reason and the link as secrets.
    publishedReason: { output: true, secretOutput: true },
    publishedLink: { stored: true, secretOutput: true },
    isAdopted: { stored: true },
    adopt: adoptField,
    connection: connectionField,
  },
  objects: {
    fields: identity,
    paths: (fields) => [versionPath(fields)],
    remove: ({ state }, claims) =>
      claims.each(versionPath(state), ({ operation }) =>
        revert(operation, state, { deprecation: { "deprecated-status": "Undeprecated" } }, () => readVersion(operation, state)),
      ),
  },
  planNotes: ({ operation, inputs, last }) =>
    inputs.link !== undefined || dialectOf(operation).formsAreKnown || (last && last.link === undefined) ? [] : [withoutLink],
  read,
  find,
  create,
  update,
  discover: (request) =>
    searchModules(request, "deprecated module versions", async (module) =>
      ((await readModuleVersions(request.operation, module)) ?? []).filter(({ deprecation }) => deprecation),
    ),
};
