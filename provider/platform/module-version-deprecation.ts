import { Adopt, adoptField, differencesOf, Found } from "../adoption";
import { exact } from "../comparison";
import { Connection } from "../connection";
import { Definition, ReadRequest, UpdateRequest } from "../definition";
import { PartialState, StewardError } from "../errors";
import { ConnectionArgs, connectionField, nonEmptyStr } from "../inputs";
import { isObject } from "../json";
import { removeObject, renamedHint } from "../ownership";
import { apiPath, call, completed, isNotFound, system } from "./client";
import { modulesFor } from "./module-list";
import { addressOf, Identity, ModuleVersion, noteWritten, part, readModuleVersions, readVersion } from "./module-version";

/** What a program declares of a deprecation. */
export interface ModuleVersionDeprecationInputs extends ConnectionArgs {
  /** The organization that owns the module. Changing this replaces. */
  organizationName: string;
  /** Changing this replaces. */
  moduleName: string;
  /** The provider that the module is for. Changing this replaces. */
  moduleProvider: string;
  /** The version, as the registry writes it: `1.2.0`, `2.0.0-rc.1`, `1.0.0+build.5`. Changing this replaces. */
  moduleVersion: string;
  /** Why, for those who use the version. The platform may add words of its own. Changing this updates. */
  reason: string;
  /** An address that says more. Changing this updates. */
  link?: string;
  /**
   * Take over a version that is deprecated already, with another reason or link. Without it that is an error. true prints what this changes, old ->
   * new, and overwrites it; "unchanged" fails with `ERR_ALREADY_EXISTS`, and lists the differences. Changing this does nothing.
   * @default false
   */
  adopt?: Adopt;
}

/** What the platform shows. */
export interface ModuleVersionDeprecationState {
  organizationName: string;
  moduleName: string;
  moduleProvider: string;
  moduleVersion: string;
  /** The reason as declared, as long as what is published begins with it. */
  reason: string;
  link: string | undefined;
  /** The reason as users see it. A secret output, since `reason` may be one. */
  publishedReason: string;
}

const identity = ["organizationName", "moduleName", "moduleProvider", "moduleVersion"] as const;
const identityOf = ({ organizationName, moduleName, moduleProvider, moduleVersion }: Identity): Identity => ({
  organizationName,
  moduleName,
  moduleProvider,
  moduleVersion,
});

interface StoredState extends ModuleVersionDeprecationState {
  /** The link as the platform keeps it. */
  publishedLink?: string;
  /** The version was deprecated in the declared words already, so nothing was sent. */
  isAdopted?: true;
}

/** After a write: the words are ours, whatever the platform made of them. */
const written = (inputs: ModuleVersionDeprecationInputs, published: Published): StoredState => ({
  ...identityOf(inputs),
  reason: inputs.reason,
  link: inputs.link === undefined ? published.link : inputs.link,
  publishedReason: published.reason,
  publishedLink: published.link,
});

async function read({ connection, state: previous }: ReadRequest<StoredState>): Promise<StoredState | undefined> {
  const published = (await readVersion(connection, previous))?.deprecation;
  if (!published) return undefined;
  const { reason, link } = published;
  // The platform appends to a reason that was sent. Whatever follows another one, somebody wrote.
  const isExtended = previous.reason !== undefined && !previous.isAdopted && reason.startsWith(previous.reason);
  const isOurReason = isExtended || (previous.reason !== undefined && reason === previous.publishedReason);
  return {
    ...identityOf(previous),
    reason: isOurReason ? previous.reason : reason,
    link: link !== undefined && link === previous.publishedLink ? previous.link : link,
    publishedReason: reason,
    publishedLink: link,
  };
}

const path = (of: Identity): string =>
  apiPath("api", "v2", "organizations", of.organizationName, "registry-modules", "private", ...Object.values(identityOf(of)));

type Status = { "deprecated-status": "Deprecated"; reason: string; link?: string } | { "deprecated-status": "Undeprecated" };

async function write(connection: Connection, of: Identity, deprecation: Status): Promise<unknown> {
  try {
    return await call(connection, {
      method: "PATCH",
      path: path(of),
      body: { data: { type: "module-versions", attributes: { deprecation } } },
      retry: "idempotent",
    });
  } finally {
    noteWritten(connection, of);
  }
}

/** What is published of a deprecation. */
type Published = NonNullable<ModuleVersion["deprecation"]>;

async function deprecate(
  connection: Connection,
  inputs: ModuleVersionDeprecationInputs,
  before: Published | undefined,
): Promise<StoredState> {
  // The platform may keep a link that a write omits, so it is cleared explicitly.
  const { reason, link = before?.link && "" } = inputs;
  try {
    const document = await write(connection, inputs, {
      "deprecated-status": "Deprecated",
      reason,
      ...(link === undefined ? {} : { link }),
    });
    return written(inputs, publishedIn(document) ?? { reason, link: link || undefined });
  } catch (error) {
    throw await afterFailure(connection, inputs, before, error);
  }
}

function publishedIn(document: unknown): Published | undefined {
  const { included } = (document ?? {}) as { included?: unknown };
  const found = (Array.isArray(included) ? included : []).filter(isObject).map(completed);
  const { reason, link } = found.find(({ type }) => type === "deprecations")?.attributes ?? {};
  return typeof reason === "string" ? { reason, link: typeof link === "string" && link ? link : undefined } : undefined;
}

/** What a write that failed has left behind: the registry tells. */
async function afterFailure(
  connection: Connection,
  inputs: ModuleVersionDeprecationInputs,
  before: Published | undefined,
  error: unknown,
): Promise<unknown> {
  if (isNotFound(error))
    return error.with({ hint: "The platform has no such version, or the token may not manage the modules of that organization." });
  if (!(error instanceof StewardError)) return error;
  if (!error.details.outcomeUnknown) return error;
  let now: Published | undefined;
  try {
    now = (await readVersion(connection, inputs))?.deprecation;
  } catch {
    return error;
  }
  const hasChanged = now?.reason !== before?.reason || now?.link !== before?.link;
  if (!now || !hasChanged || !mayBeOf(now, inputs))
    return error.with({
      rule: "not-applied",
      outcomeUnknown: false,
      hint: "The registry shows that it was not applied: `pulumi up` tries again.",
    });
  const hint = "The registry shows that it was applied all the same: the next `pulumi up` goes on from there.";
  return new PartialState(written(inputs, now), { ...error.details, rule: "applied", hint });
}

/** Whether a write that was sent may have published this: the platform may have added words of its own. */
const mayBeOf = (published: Published, { reason, link }: ModuleVersionDeprecationInputs): boolean =>
  published.reason.startsWith(reason) && (link === undefined || link === published.link);

/** Whether a version is deprecated in exactly the declared words. */
const isSame = (published: Published, { reason, link }: ModuleVersionDeprecationInputs): boolean =>
  published.reason === reason && published.link === link;

/** A creation. */
interface Request {
  connection: Connection;
  inputs: ModuleVersionDeprecationInputs;
}

/** A version that is deprecated in these words already needs no adoption. */
async function find({ connection, inputs }: Request): Promise<Found<StoredState> | undefined> {
  const version = await readVersion(connection, inputs);
  if (!version)
    throw new StewardError({
      code: "ERR_NOT_FOUND",
      rule: "version-missing",
      reason: "the registry shows no such version",
      hint: "Check its four names, and that the token may read the registry of that organization.",
    });
  const existing = version.deprecation;
  if (!existing || isSame(existing, inputs)) return undefined;
  return {
    reason: "it is deprecated already, with other words",
    hint: `${renamedHint} Otherwise set adopt: true to replace them with the declared ones, or declare the same.`,
    differences: differencesOf<Published>(existing, inputs, { reason: exact.equal, link: exact.equal }),
  };
}

async function create({ connection, inputs }: Request): Promise<StoredState> {
  const existing = (await readVersion(connection, inputs))?.deprecation;
  if (existing && isSame(existing, inputs)) return { ...written(inputs, existing), isAdopted: true };
  return deprecate(connection, inputs, existing);
}

async function update({ connection, inputs, last }: UpdateRequest<ModuleVersionDeprecationInputs, StoredState>): Promise<StoredState> {
  // What is published of a write in doubt nobody knows: it may be what was sent.
  return deprecate(connection, inputs, { reason: last.publishedReason, link: last.publishedLink ?? last.link });
}

async function reinstate(connection: Connection, state: ModuleVersionDeprecationState): Promise<void> {
  try {
    await write(connection, state, { "deprecated-status": "Undeprecated" });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // A version that is gone needs no reinstating; one that is still there says that we may not do it.
    if (await readVersion(connection, state))
      throw error.with({ rule: "not-manager", hint: "The token may not manage the modules of that organization." });
  }
}

/**
 * The deprecation of a private module version: `PATCH /api/v2/organizations/:organization/registry-modules/private/:organization/:name/:provider/:version`,
 * and `GET /api/registry/v1/modules/:organization/:name/:provider/versions`. Its id is
 * `<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>`.
 *
 * Creating it deprecates the version, destroying it reinstates the version. One that is deprecated already, with other words, is never
 * taken over silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set. When the version is removed from the registry, a refresh
 * removes the resource from the state. All versions of one module are read with one request.
 *
 * ```ts
 * new platform.ModuleVersionDeprecation("old-network", {
 *   organizationName: "acme",
 *   moduleName: "network",
 *   moduleProvider: "aws",
 *   moduleVersion: "1.0.0",
 *   reason: "Use 2.0.0, which encrypts the flow logs.",
 *   link: "https://wiki.example.com/network-2",
 * });
 * ```
 *
 * @see
 * [Terraform Enterprise: module versions](https://developer.hashicorp.com/terraform/enterprise/api-docs/private-registry/manage-module-versions)
 * @requests Create: 1 `GET` for all versions of a module, and 1 `PATCH` for each that is not deprecated in these words yet. Update: 1
 * `PATCH`. Refresh: 1 `GET` for all versions of a module. Delete: 1 `PATCH`.
 * @unreadable Nothing: reason and link are shown, with the platform's own words in `publishedReason`.
 * @internal
 */
export const moduleVersionDeprecation: Definition<ModuleVersionDeprecationInputs, ModuleVersionDeprecationState, StoredState> = {
  system,
  token: "platform:ModuleVersionDeprecation",
  displayName: "deprecation of module version",
  name: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  id: "<organizationName>/<moduleName>/<moduleProvider>/<moduleVersion>",
  readById: true,
  fields: {
    organizationName: { input: part, required: true, output: true, replaces: true },
    moduleName: { input: part, required: true, output: true, replaces: true },
    moduleProvider: { input: part, required: true, output: true, replaces: true },
    moduleVersion: { input: part, required: true, output: true, replaces: true },
    reason: { input: nonEmptyStr, required: true, output: true },
    link: { input: nonEmptyStr, output: true },
    // They hold the reason and the link, which the program may have marked as secrets.
    publishedReason: { output: true, secretOutput: true },
    publishedLink: { stored: true, secretOutput: true },
    isAdopted: { stored: true },
    adopt: adoptField,
    connection: connectionField,
  },
  objects: { fields: identity, paths: (fields) => [path(fields)] },
  read,
  find,
  create,
  update,
  delete: ({ connection, state }) => removeObject(connection, path(state), () => reinstate(connection, state)),
  discover: async (request) => {
    const searches = (await modulesFor(request)).map((module) =>
      request.attempt(addressOf(module).join("/"), async () => {
        const versions = (await readModuleVersions(request.connection, module)) ?? [];
        return versions.filter(({ deprecation }) => deprecation).map((version) => ({ state: identityOf(version) }));
      }),
    );
    return (await Promise.all(searches)).flat();
  },
};
