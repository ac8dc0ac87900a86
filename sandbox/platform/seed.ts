import { Organization, Records, runStatuses } from "./records";
import { Seed } from "./service";

export function initialSeed(now: Date): Seed {
  const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  return {
    organizations: [
      { name: "acme", owners: ["admin"] },
      { name: "globex", owners: ["admin", "member"] },
    ],
    workspaces: [
      {
        id: "ws-acmeNetworkProd",
        name: "network-prod",
        organization: "acme",
        vcsRepoIdentifier: "acme/network",
        run: { id: "run-acmeNetworkProd", status: "applied", createdAt: hoursAgo(3) },
      },
      { id: "ws-acmeNetworkTest", name: "network-test", organization: "acme" },
      {
        id: "ws-acmeDataProd",
        name: "data-prod",
        organization: "acme",
        locked: true,
        run: { id: "run-acmeDataProd", status: "planning", createdAt: hoursAgo(1) },
      },
      {
        id: "ws-globexWebsite",
        name: "website",
        organization: "globex",
        vcsRepoIdentifier: "globex/website",
        run: { id: "run-globexWebsite", status: "errored", createdAt: hoursAgo(2) },
      },
    ],
    modules: [
      {
        namespace: "acme",
        name: "network",
        provider: "aws",
        description: "Networks as acme builds them.",
        versions: ["1.0.0", "1.0.0+build.5", "1.1.0", "2.0.0-rc.1", "2.0.0"],
      },
      { namespace: "globex", name: "website", provider: "google", versions: ["0.1.0"] },
    ],
  };
}

/** Adds the items of the seed, or replaces items with the same identity. An invalid seed changes nothing. */
export function applySeed(records: Records, seed: Seed, now: Date): void {
  check(seed, idsByName(records));
  for (const { name, owners = ["admin"], planTimeout, applyTimeout } of seed.organizations ?? [])
    Object.assign(organizationOf(records, name, now), { owners: [...owners], planTimeout, applyTimeout });

  const ids = idsByName(records);
  for (const { id, name, organization: owner, locked = false, vcsRepoIdentifier, run } of seed.workspaces ?? []) {
    const organization = organizationOf(records, owner, now);
    const workspaceId = id ?? ids.get(`${owner}/${name}`) ?? records.newId("ws");
    records.workspaces.set(workspaceId, {
      id: workspaceId,
      name,
      organization,
      locked,
      vcsRepoIdentifier,
      run: run && { id: run.id ?? records.newId("run"), status: run.status, createdAt: new Date(run.createdAt ?? now) },
      createdAt: now,
    });
    ids.set(`${owner}/${name}`, workspaceId);
  }

  for (const { namespace, name, provider, description = "", versions } of seed.modules ?? []) {
    const before = records.module(namespace, name, provider);
    records.modules = records.modules.filter((module) => module !== before);
    records.modules.push({
      organization: organizationOf(records, namespace, now),
      name,
      provider,
      description,
      versions: new Map(versions.map((version) => [version, before?.versions.get(version) ?? { id: records.number() }])),
    });
  }
}

/** The id of each workspace by `<organization>/<name>`. */
function idsByName(records: Records): Map<string, string> {
  return new Map([...records.workspaces.values()].map(({ id, name, organization }) => [`${organization.name}/${name}`, id]));
}

function organizationOf(records: Records, name: string, now: Date): Organization {
  const organization = records.organizations.get(name) ?? { name, email: `${name}@example.com`, owners: ["admin"], createdAt: now };
  records.organizations.set(name, organization);
  return organization;
}

/** The members of each kind of item, and those that it requires. */
const kinds = {
  seed: { members: ["organizations", "workspaces", "modules"], required: [] },
  organization: { members: ["name", "owners", "planTimeout", "applyTimeout"], required: ["name"] },
  workspace: { members: ["id", "name", "organization", "locked", "vcsRepoIdentifier", "run"], required: ["name", "organization"] },
  run: { members: ["id", "status", "createdAt"], required: [] },
  module: { members: ["namespace", "name", "provider", "description", "versions"], required: ["namespace", "name", "provider"] },
};

/** Rejects an invalid seed early: a misspelled property, an unknown status, two workspaces with one name. */
function check(seed: Seed, ids: Map<string, string>): void {
  checkMembers(seed, "seed");
  for (const organization of seed.organizations ?? []) checkMembers(organization, "organization");
  for (const workspace of seed.workspaces ?? []) {
    checkMembers(workspace, "workspace");
    const { id, name, organization, run } = workspace;
    if (run) checkMembers(run, "run");
    if (run && !runStatuses.includes(run.status))
      throw new TypeError(`Unknown run status "${run.status}". Known: ${runStatuses.join(", ")}.`);
    const holder = ids.get(`${organization}/${name}`) ?? id;
    if (id !== undefined && holder !== id) throw new TypeError(`${organization} has a workspace "${name}" with another id.`);
    if (id !== undefined) ids.set(`${organization}/${name}`, id);
  }
  for (const module of seed.modules ?? []) {
    checkMembers(module, "module");
    if (!Array.isArray(module.versions)) throw new TypeError('Each module of the seed requires "versions".');
  }
}

function checkMembers(item: object, kind: keyof typeof kinds): void {
  const { members, required } = kinds[kind];
  const fields = item as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => !members.includes(name));
  if (unknown !== undefined) throw new TypeError(`Unknown member "${unknown}" of a ${kind}. Known: ${members.join(", ")}.`);
  const missing = required.find((name) => typeof fields[name] !== "string" || fields[name] === "");
  if (missing !== undefined) throw new TypeError(`Each ${kind} of the seed requires "${missing}".`);
}
