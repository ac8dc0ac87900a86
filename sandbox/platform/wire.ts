import { Deprecation, Module, Organization, Run, Version, Workspace } from "./records";

export interface Resource {
  id: string;
  type: string;
  attributes?: Record<string, unknown>;
  relationships?: Record<string, unknown>;
  links?: Record<string, string>;
}

export function workspace({ id, name, locked, organization, vcsRepoIdentifier, run, createdAt }: Workspace): Resource {
  return {
    id,
    type: "workspaces",
    attributes: {
      name,
      locked,
      "vcs-repo": vcsRepoIdentifier === undefined ? null : { identifier: vcsRepoIdentifier },
      "created-at": createdAt.toISOString(),
    },
    relationships: {
      organization: { data: { id: organization.name, type: "organizations" } },
      "current-run": { data: run ? { id: run.id, type: "runs" } : null },
    },
    links: { self: `/api/v2/organizations/${encodeURIComponent(organization.name)}/workspaces/${encodeURIComponent(name)}` },
  };
}

export function organization({ name, email, owners, createdAt }: Organization): Resource {
  return {
    id: name,
    type: "organizations",
    attributes: { name, email, "created-at": createdAt.toISOString() },
    relationships: { owners: { data: owners.map((owner) => ({ id: owner, type: "users" })) } },
    links: { self: `/api/v2/organizations/${encodeURIComponent(name)}` },
  };
}

/** An organization as site administrators see it. */
export function adminOrganization({ name, email, owners, planTimeout, applyTimeout }: Organization): Resource {
  return {
    id: name,
    type: "organizations",
    attributes: { name, "notification-email": email, "apply-timeout": applyTimeout ?? null, "plan-timeout": planTimeout ?? null },
    relationships: { owners: { data: owners.map((owner) => ({ id: owner, type: "users" })) } },
    links: { self: `/api/v2/admin/organizations/${encodeURIComponent(name)}` },
  };
}

export function user(name: string): Resource {
  return { id: name, type: "users", attributes: { username: name } };
}

export function run({ id, status, createdAt }: Run): Resource {
  return { id, type: "runs", attributes: { status, "created-at": createdAt.toISOString() } };
}

/** A version. Only a deprecated one has a relationship. */
export function moduleVersion({ id, deprecation }: Version): Resource {
  const bare = { type: "module-versions", id };
  if (!deprecation) return bare;
  return { ...bare, relationships: { deprecation: { data: { id: deprecation.id, type: "deprecations" } } } };
}

/** A version with its revocation. */
export function versionDetails(version: string, { id, revocation }: Version): Resource {
  const shown = revocation ? { status: "Revoked", ...revocation } : { status: "Unrevoked" };
  return {
    id: `modver-${id}`,
    type: "registry-module-versions",
    attributes: { source: "tfe-api", status: "ok", version, revocation: shown },
  };
}

export function deprecation({ id, reason, link }: Deprecation): Resource {
  return { type: "deprecations", id, attributes: { link, reason } };
}

export function registryModule(module: Module): Resource {
  const { organization, name, provider, versions } = module;
  return {
    id: `mod-${source(module).replaceAll("/", "-")}`,
    type: "registry-modules",
    attributes: {
      name,
      namespace: organization.name,
      provider,
      "registry-name": "private",
      status: "setup_complete",
      "revoked-versions": [...versions].flatMap(([version, { revocation }]) => (revocation ? [version] : [])),
      "version-statuses": [...versions.keys()].map((version) => ({ version, status: "ok" })),
    },
    relationships: { organization: { data: { id: organization.name, type: "organizations" } } },
    links: { self: `/api/v2/organizations/${encodeURIComponent(organization.name)}/registry-modules/private/${source(module)}` },
  };
}

/** A version in the registry, which does not use JSON:API. */
export function registryVersion(module: Module, version: string): Record<string, unknown> {
  const { organization, name, provider, description, versions } = module;
  return {
    id: `${source(module)}/${version}`,
    owner: organization.owners[0] ?? "",
    namespace: organization.name,
    name,
    version,
    provider,
    description,
    deprecation: registryDeprecation(versions.get(version)),
  };
}

/** All versions in the order of their publication. */
export function registryVersions(module: Module): Record<string, unknown> {
  const versions = [...module.versions].map(([version, record]) => ({
    version,
    submodules: [],
    root: { dependencies: [], providers: [{ name: module.provider, version: "" }] },
    deprecation: registryDeprecation(record),
  }));
  return { modules: [{ source: source(module), versions }] };
}

function source({ organization, name, provider }: Module): string {
  return `${organization.name}/${name}/${provider}`;
}

function registryDeprecation(version: Version | undefined): { reason: string; link: string | null } | null {
  return version?.deprecation ? { reason: version.deprecation.reason, link: version.deprecation.link } : null;
}
