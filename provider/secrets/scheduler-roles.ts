import { z } from "zod";
import { Adopt, adoptField, Found, takeOver } from "../adoption";
import { Comparison, unordered } from "../comparison";
import { Connection } from "../connection";
import { Definition, DeleteRequest, OutcomeUnknown, PlanNote, ReadRequest, UpdateRequest } from "../definition";
import { PartialState, StewardError } from "../errors";
import { bool, ConnectionArgs, connectionField, pathOf, strictObject } from "../inputs";
import { shortened } from "../log";
import { isRemoved, renamedHint } from "../ownership";
import { withProgress } from "../progress";
import { system } from "./client";
import { MountArgs, mountField } from "./mount";
import { explainRefusal } from "./refusal";
import { atEachMount } from "./scheduler-mounts";
import {
  deleteRole,
  listRoleNames,
  RoleAttributes,
  RoleState,
  readRole,
  roleAttributes,
  roleDefaults,
  roleDifferences,
  roleNameFindings,
  rolePath,
  rolePolicyFindings,
  unreadOf,
  writeRole,
} from "./scheduler-role";

/** Inputs of {@link SchedulerRoles}. */
export interface SchedulerRolesInputs extends ConnectionArgs, MountArgs {
  /**
   * The roles by name.
   * @change updates: writes the roles that differ, and deletes removed ones
   * @example { web: { policies: ["deploy"] }, operator: { type: "management" } }
   */
  roles: Record<string, RoleAttributes>;
  /**
   * Makes this resource own every role at the mount. If true, creating the resource fails with `ERR_ALREADY_EXISTS` while undeclared roles exist.
   * `pulumi refresh` adds undeclared roles to the state, and the next `pulumi up` deletes them.
   * @change updates only the state
   * @default false
   */
  exclusive?: boolean;
  /**
   * Adopts declared roles that already exist, including roles that are added later. `true` prints the changes, old -> new, and overwrites the
   * roles. `"unchanged"` fails with `ERR_ALREADY_EXISTS` if an attribute differs, and lists the differences. `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link SchedulerRoles}. */
export interface SchedulerRolesState extends Required<MountArgs> {
  /** The roles by name. With `exclusive`, and after `get`, also undeclared roles. */
  roles: Record<string, RoleState>;
}

interface StoredState extends SchedulerRolesState, Pick<OutcomeUnknown, "unanswered"> {
  exclusive?: boolean;
  /** Roles in the state that the program never declared. An update deletes them, and a destroy does not. */
  undeclared?: string[];
}

type Roles = Record<string, RoleAttributes>;

const { policies, global, type } = roleAttributes;
const role: z.ZodType<RoleAttributes> = strictObject({ policies: policies.optional(), global: global.optional(), type: type.optional() });

/** The role with this name. A plain object also inherits a `constructor`. */
const own = <Role>(roles: Record<string, Role> | undefined, name: string): Role | undefined =>
  roles && Object.hasOwn(roles, name) ? roles[name] : undefined;

const complete = (role: RoleAttributes): Required<RoleAttributes> => ({ ...roleDefaults, ...role });

/** The attributes without `lease`, which would only enlarge the state. */
const attributesOf = ({ policies, global, type }: RoleState): RoleState => ({ policies, global, type });

const sameRole = (a: RoleAttributes | undefined, b: RoleAttributes | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  unordered.equal(complete(a).policies, complete(b).policies) &&
  complete(a).global === complete(b).global &&
  complete(a).type === complete(b).type;

const rolesByName: Comparison = {
  normalize: (value) =>
    Object.fromEntries(
      Object.entries(value as Roles).map(([name, role]) => [
        name,
        { ...complete(role), policies: unordered.normalize?.(complete(role).policies) },
      ]),
    ),
  equal: (a, b) =>
    [...Object.keys(a ?? {}), ...Object.keys(b ?? {})].every((name) => sameRole(own(a as Roles, name), own(b as Roles, name))),
};

async function read({ connection, state: previous, declared }: ReadRequest<StoredState>): Promise<StoredState> {
  const { mount, exclusive } = previous;
  const listed = await listRoleNames(connection, mount);
  const isGet = declared.length === 0;
  // A role whose write got no response belongs to the set if it is in the list.
  const ours = isGet ? listed : without([...Object.keys(previous.roles), ...(previous.unanswered ?? [])], previous.undeclared);
  const known = new Set(ours);
  const wanted = exclusive ? listed : listed.filter((name) => known.has(name));
  refuseUnstorable(connection, mount, wanted);
  const undeclared = exclusive ? without(listed, ours) : undefined;
  const hidden = (undeclared ?? []).filter(isHidden);
  if (hidden.length > 0)
    connection.say(`warning: Pulumi does not show undeclared ${rolesOf(mount)} whose names begin with __: ${shortList(hidden)}`);
  const reads = wanted.map(async (name) => [name, await readRole(connection, { mount, name }, own(previous.roles, name))] as const);
  const found = await Promise.all(withProgress(connection, reads, rolesOf(mount), "read"));
  return {
    mount,
    roles: Object.fromEntries(found.flatMap(([name, role]) => (role ? [[name, attributesOf(role)]] : []))),
    exclusive,
    undeclared,
    unanswered: undefined,
  };
}

/** Throws if Pulumi cannot store a role's name. Otherwise the role, and the access it grants, would be hidden. */
function refuseUnstorable(connection: Connection, mount: string, names: readonly string[]): void {
  const unstorable = names.filter((name) => roleNameFindings(connection, name, "").length > 0);
  if (unstorable.length === 0) return;
  throw new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule: "unstorable",
    reason: `the mount "${mount}" has roles whose names Pulumi cannot store: ${shortList(unstorable.map((name) => JSON.stringify(name)))}`,
    hint: "Delete these roles. For a declared set, you can also remove `exclusive`.",
  });
}

/** Pulumi hides the changes of keys with this prefix. */
const isHidden = (name: string): boolean => name.startsWith("__");

function planNotes({ inputs: { roles }, last }: { inputs: SchedulerRolesInputs; last?: StoredState }): PlanNote[] {
  if (!last) return [];
  const names = [...new Set([...Object.keys(roles), ...Object.keys(last.roles)])];
  const changed = names.filter((name) => isHidden(name) && !sameRole(own(last.roles, name), own(roles, name)));
  if (changed.length === 0) return [];
  return [
    {
      path: "roles",
      text: `${shortList(changed)} will be written or deleted. Pulumi does not show changes to roles whose names begin with __`,
    },
  ];
}

async function find({
  connection,
  inputs,
}: {
  connection: Connection;
  inputs: SchedulerRolesInputs;
}): Promise<Found<StoredState> | undefined> {
  const { mount, roles, exclusive } = inputs as SchedulerRolesInputs & { mount: string };
  const listed = await listRoleNames(connection, mount);
  const others = without(listed, Object.keys(roles));
  const found = await existing(connection, inputs, listed, `${renamedHint} Otherwise set`);
  // Report the roles that can be adopted first.
  if (found && !inputs.adopt) return found;
  if (exclusive && others.length > 0)
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      rule: "undeclared-roles",
      reason: `the mount "${mount}" has roles that the program does not declare: ${shortList(others)}`,
      hint: "Declare them with adopt: true, delete them, or set exclusive in a later update.",
    });
  return found;
}

/** Finds the declared roles that already exist. Reads each that is adopted, to print its changes. */
async function existing(
  connection: Connection,
  { roles, adopt, mount = "" }: SchedulerRolesInputs,
  listed: readonly string[],
  hint: string,
): Promise<Found<StoredState> | undefined> {
  const taken = listed.filter((name) => own(roles, name));
  if (taken.length === 0) return undefined;
  const reads =
    adopt || connection.previewReads
      ? taken.map(async (name) => [name, await readRole(connection, { mount, name }, undefined, true)] as const)
      : [];
  const read = await Promise.all(withProgress(connection, reads, rolesOf(mount), "read"));
  return {
    reason: `the mount "${mount}" already has roles with these names: ${shortList(taken)}`,
    hint: `${hint} adopt: true to adopt them, or choose other names.`,
    differences: read.flatMap(([name, role]) =>
      role ? roleDifferences(role, complete(own(roles, name) ?? {}), `${pathOf(["roles", name])}.`) : [],
    ),
    unreadable: unreadOf(read.flatMap(([, role]) => role ?? [])).map((field) => `${field} of each role`),
  };
}

async function update({
  connection,
  inputs,
  state: previous,
  last,
}: UpdateRequest<SchedulerRolesInputs, StoredState>): Promise<StoredState> {
  const known = without([...Object.keys(previous.roles), ...(previous.unanswered ?? [])], previous.undeclared);
  const added = without(Object.keys(inputs.roles), known);
  if (added.length > 0) {
    const listed = without(await listRoleNames(connection, previous.mount), known);
    takeOver(connection, inputs.adopt, await existing(connection, inputs, listed, "Set"));
  }
  const paths = Object.keys(inputs.roles).map((name) => rolePath({ mount: previous.mount, name }));
  // An earlier run lost a response, or deleted roles and failed to write them again: write every role.
  const isInDoubt = Boolean(last.outcomeUnknown) && !paths.some((path) => isRemoved(connection, path));
  return apply(connection, inputs, isInDoubt ? { ...previous, unanswered: Object.keys(previous.roles) } : previous);
}

/** Writes the roles that differ from the state, and deletes those that the program does not declare. A failure does not stop the others. */
async function apply(connection: Connection, inputs: SchedulerRolesInputs, previous: StoredState): Promise<StoredState> {
  const { mount, roles, exclusive } = inputs as SchedulerRolesInputs & { mount: string };
  const unanswered = previous.unanswered ?? [];
  const undeclared = without(previous.undeclared ?? [], Object.keys(roles));
  // A set that is no longer exclusive drops them from the state.
  const held = Object.entries(previous.roles).filter(([name]) => exclusive || !undeclared.includes(name));
  const state: StoredState = { mount, roles: Object.fromEntries(held), exclusive };
  const mustWrite = (name: string): boolean => unanswered.includes(name) || isRemoved(connection, rolePath({ mount, name }));
  const writes = Object.keys(roles).filter((name) => mustWrite(name) || !sameRole(own(previous.roles, name), roles[name]));
  const removals = without([...new Set([...Object.keys(state.roles), ...unanswered])], Object.keys(roles));
  const failures: { name: string; error: StewardError }[] = [];
  const left: string[] = [];
  const step = async (name: string, request: () => Promise<void>): Promise<void> => {
    try {
      await request();
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      failures.push({ name, error });
    }
  };
  const steps = [
    ...writes.map((name) =>
      step(name, async () => {
        state.roles[name] = await writeRole(connection, { mount, name, ...roles[name] });
      }),
    ),
    ...removals.map((name) =>
      step(name, async () => {
        if (!(await deleteRole(connection, { mount, name }, { isQuiet: true }))) left.push(name);
        delete state.roles[name];
      }),
    ),
  ];
  await Promise.all(withProgress(connection, steps, rolesOf(mount), "written"));
  warnLeft(connection, left);
  const [first] = failures;
  if (!first) return state;
  state.unanswered = failures.filter(({ error }) => error.details.outcomeUnknown).map(({ name }) => name);
  const hasOthers = failures.length < steps.length;
  // No role was written, and no outcome is unknown.
  if (!hasOthers && state.unanswered.length === 0) throw first.error;
  // A refresh encrypts only keys that were encrypted before, so the state keeps roles that may have been written.
  for (const name of state.unanswered) if (own(roles, name) && !own(state.roles, name)) state.roles[name] = complete(roles[name] ?? {});
  state.undeclared = undeclared.filter((name) => own(state.roles, name));
  throw new PartialState(state, {
    ...first.error.details,
    reason: `could not write or delete ${failures.length} of ${steps.length} roles: ${shortList(failures.map(({ name }) => name))}. First error ("${first.name}"): ${first.error.details.reason}`,
    hint: [
      first.error.details.hint,
      hasOthers ? "The others succeeded. The next `pulumi up` continues from there." : "The next `pulumi up` tries again.",
    ]
      .filter(Boolean)
      .join(" "),
  });
}

async function removeAll({ connection, state }: DeleteRequest<StoredState>): Promise<void> {
  const { mount, roles, undeclared, unanswered } = state;
  const names = without([...new Set([...Object.keys(roles), ...(unanswered ?? [])])], undeclared);
  const removals = names.map((name) => deleteRole(connection, { mount, name }, { isQuiet: true }));
  const outcomes = await Promise.allSettled(withProgress(connection, removals, rolesOf(mount), "deleted"));
  warnLeft(
    connection,
    names.filter((_, index) => (outcomes[index] as { value?: boolean }).value === false),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

function warnLeft({ resource, say }: Connection, names: readonly string[]): void {
  if (names.length === 0) return;
  say(`warning: ${resource}: left in place, since other resources of this program now manage them (${shortList(names)}).`);
}

const without = (names: readonly string[], excluded: readonly string[] = []): string[] => {
  const out = new Set(excluded);
  return names.filter((name) => !out.has(name));
};

const rolesOf = (mount: string): string => `scheduler roles at mount "${mount}"`;

const shortList = (names: readonly string[]): string => shortened(names).join(", ");

/**
 * Many roles of one Nomad secrets engine, faster than one resource per role.
 *
 * If some writes fail, the others still run. The error names the failed roles, and the next `pulumi up` continues from there. With `exclusive`, an
 * update also deletes undeclared roles, but only those that a `pulumi refresh` has recorded. `pulumi destroy` deletes only declared roles.
 *
 * @example Two roles
 * ```ts
 * new secrets.SchedulerRoles("teams", { roles: { web: { policies: ["deploy"] }, search: { policies: ["deploy"] } } });
 * ```
 * @example All roles of a mount, from a file
 * ```ts
 * const teams: Record<string, string[]> = JSON.parse(fs.readFileSync("teams.json", "utf8"));
 * const roles = Object.fromEntries(Object.entries(teams).map(([team, policies]) => [team, { policies }]));
 * new secrets.SchedulerRoles(
 *   "teams",
 *   { roles: { ...roles, operator: { type: "management", global: true } }, exclusive: true },
 *   { dependsOn: access },
 * );
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests One `GET`, `POST` or `DELETE` for each role. An update writes only the roles that differ, and reads the list only if roles were added.
 * With `adopt`, a create or update also reads each new role that already exists.
 * In the standard dialect, after the first 404 of a run, the provider also reads the OpenAPI document. It must list the path for the token.
 * @unreadable `global` of each role, in the standard dialect; after `get` it is undefined there. The set has no output `lease`, which
 * `SchedulerRole.get` reads.
 * @internal
 */
export const schedulerRoles: Definition<SchedulerRolesInputs, SchedulerRolesState, StoredState> = {
  system,
  token: "secrets:SchedulerRoles",
  displayName: "scheduler roles at mount",
  name: "<mount>",
  id: "<mount>/role",
  readById: true,
  fields: {
    roles: {
      input: z.record(z.string(), role, "must be an object of roles by name"),
      required: true,
      output: true,
      essential: true,
      compare: rolesByName,
    },
    exclusive: { input: bool, stored: true },
    undeclared: { stored: true },
    unanswered: { stored: true },
    mount: mountField,
    adopt: adoptField,
    connection: connectionField,
  },
  rules: [
    {
      fields: ["roles"],
      check: ({ roles }, connection) =>
        Object.entries(roles).flatMap(([name, role]) => [
          ...roleNameFindings(connection, name, pathOf(["roles", name])),
          ...rolePolicyFindings(connection, role, pathOf(["roles", name, "policies"])),
        ]),
    },
  ],
  objects: {
    fields: ["mount", "roles"],
    paths: (fields) => {
      const { mount, roles = {}, unanswered = [] } = fields as Partial<SchedulerRolesInputs> & Pick<StoredState, "unanswered">;
      const declared = Object.keys(roles).filter((name) => roles[name] !== undefined);
      return [...new Set([...declared, ...unanswered])].map((name) => rolePath({ mount: mount as string, name }));
    },
  },
  deleteBeforeReplace: true,
  planNotes,
  read,
  find,
  create: ({ connection, inputs }) => apply(connection, inputs, { mount: inputs.mount as string, roles: {} }),
  update,
  delete: removeAll,
  discover: async (request) =>
    request.asSet
      ? atEachMount(request, "role", async (mount) => {
          const names = await listRoleNames(request.connection, mount);
          refuseUnstorable(request.connection, mount, names);
          return names.length > 0 ? [{ state: { mount }, suggestedName: `${mount}-roles` }] : [];
        })
      : [],
  diagnose: explainRefusal,
};
