import { Definition, PlanNote, ReadRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { Adopt, adoptField, ConnectionArgs, connectionField, nonEmptyStr } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { isObject } from "../text/json";
import { completed, dialectOf } from "./client";
import { Identity, ModuleVersion, readModuleVersions, readVersion } from "./module-versions";
import { identityFields, identityOf, patchVersion, searchModules, versionMark, versionPath } from "./version-mark";

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

type Published = NonNullable<ModuleVersion["deprecation"]>;

/** `published`: the link before the write. */
async function deprecate(operation: Writer, inputs: ModuleVersionDeprecationInputs, published?: string): Promise<StoredState> {
  // Terraform Enterprise may keep a link that a write omits, so it is cleared explicitly.
  const { reason, link = published && "" } = inputs;
  const deprecation = { "deprecated-status": "Deprecated", reason, link };
  const document = await patchVersion(operation, inputs, { deprecation });
  return written(inputs, publishedIn(document) ?? { reason, link: link || undefined });
}

function publishedIn(document: unknown): Published | undefined {
  const { included } = (document ?? {}) as { included?: unknown };
  const resources = (Array.isArray(included) ? included : []).filter(isObject).map(completed);
  const { reason, link } = resources.find(({ type }) => type === "deprecations")?.attributes ?? {};
  return typeof reason === "string" ? { reason, link: typeof link === "string" && link ? link : undefined } : undefined;
}

/** The deprecation on the server, to which nothing was sent. */
async function existing(operation: Operation, version: Identity): Promise<StoredState | undefined> {
  const published = (await readVersion(operation, version))?.deprecation;
  return published && { ...written({ ...identityOf(version), ...published }, published), isAdopted: true };
}

const mark = versionMark<ModuleVersionDeprecationInputs, StoredState>({
  word: "deprecated",
  text: "reason",
  pathOf: versionPath,
  read: existing,
  write: deprecate,
  removal: { deprecation: { "deprecated-status": "Undeprecated" } },
});

const withoutLink: PlanNote = {
  path: "link",
  reason: "is not declared, and the API specification requires it: the platform may reject the deprecation",
};

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
  ...mark,
  token: "platform:ModuleVersionDeprecation",
  displayName: "module version deprecation",
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
  planNotes: ({ operation, inputs, last }) =>
    inputs.link !== undefined || dialectOf(operation).formsAreKnown || (last && last.link === undefined) ? [] : [withoutLink],
  read,
  async find(request) {
    // Shares the response with the mark.
    if (await readVersion(request.operation, request.inputs)) return mark.find(request);
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      rule: "version-missing",
      reason: "the registry has no such version",
      hint: "Check the names and the version, and that the token may read the registry of that organization.",
    });
  },
  // `last`, not `state`: a link that was removed from the program must be cleared. After a create with an unknown outcome, the state has only the declared one.
  update: ({ operation, inputs, last }) => deprecate(operation, inputs, last.publishedLink ?? last.link),
  discover: (request) =>
    searchModules(request, "deprecated module versions", async (module) =>
      ((await readModuleVersions(request.operation, module)) ?? []).filter(({ deprecation }) => deprecation),
    ),
};
