import { z } from "zod";
import { Comparison, unordered } from "../contract/comparison";
import {
  Claiming,
  Claims,
  Definition,
  DeleteRequest,
  ExistingObject,
  FindRequest,
  OutcomeUnknown,
  PlanNote,
  ReadRequest,
  UpdateRequest,
} from "../contract/definition";
import { PartialState, StewardError } from "../contract/errors";
import { ReadFunction } from "../contract/function";
import { Adopt, bool, ConnectionArgs, connectionInput, pathOf, strictObject } from "../contract/inputs";
import { Operation, Writer, withProgress } from "../contract/operation";
import { read as readIn } from "../program/invoke";
import { shortened } from "../text/printable";
import { apiPath, defaultMount, dialectOf, doubtedIn, invalidResponse, Reading, remove, system } from "./client";
import { MountArgs, mountedFields, mountInput } from "./mount";
import { normalizeMount } from "./mount-path";
import { atEachMount } from "./scheduler-mounts";
import {
  attributesOf,
  listRoleNames,
  RoleAttributes,
  RoleState,
  readRole,
  roleAttributes,
  roleDifferences,
  roleNameFindings,
  rolePath,
  rolePolicyFindings,
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
   * Makes this resource own every role at the mount, so creating it fails with `ERR_ALREADY_EXISTS` while undeclared roles exist. Later,
   * `pulumi refresh` records undeclared roles in the state, and the next `pulumi up` deletes them.
   * @change updates only the state
   * @default false
   */
  exclusive?: boolean;
  /**
   * Adopts declared roles that already exist, including roles that you add later. `true` prints the changes as old -> new and overwrites
   * the roles. `"unchanged"` fails with `ERR_ALREADY_EXISTS` and lists the differences if an attribute differs, and `false` always fails
   * with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link SchedulerRoles}. */
export interface SchedulerRolesState extends Required<MountArgs> {
  /** The declared roles by name or, after `get`, all roles of the mount. */
  roles: Record<string, RoleState>;
}

interface StoredState extends SchedulerRolesState, Pick<SchedulerRolesInputs, "exclusive">, Pick<OutcomeUnknown, "unanswered"> {
  /** With `exclusive`, the names of other roles that the last refresh found. The next update deletes them, and a destroy does not. */
  undeclared?: string[];
}

type Roles = Record<string, RoleAttributes>;

const { policies, global, type } = roleAttributes;
const role: z.ZodType<RoleAttributes> = strictObject({ policies: policies.optional(), global: global.optional(), type: type.optional() });

/** The role with this name. A plain object also inherits a `constructor`. */
const roleNamed = <Role>(roles: Record<string, Role> | undefined, name: string): Role | undefined =>
  roles && Object.hasOwn(roles, name) ? roles[name] : undefined;

const sameRole = (a: RoleAttributes | undefined, b: RoleAttributes | undefined): boolean =>
  a !== undefined && b !== undefined && roleDifferences(attributesOf(a), attributesOf(b)).length === 0;

const rolesByName: Comparison = {
  normalize: (value) =>
    Object.fromEntries(
      Object.entries(value as Roles).map(([name, role]) => [
        name,
        { ...attributesOf(role), policies: unordered.normalize?.(attributesOf(role).policies) },
      ]),
    ),
  equal: (a, b) =>
    [...Object.keys(a ?? {}), ...Object.keys(b ?? {})].every((name) => sameRole(roleNamed(a as Roles, name), roleNamed(b as Roles, name))),
};

async function read({ operation, state: previous, declared }: ReadRequest<StoredState>): Promise<StoredState> {
  const { mount, exclusive } = previous;
  const isGet = declared.length === 0;
  const ours = namesIn(previous);
  const listed = await listRoleNames(operation, mount, { mayBeMissing: ours.size === 0 });
  const [one] = ours;
  // A gateway may route the roles, but not their list.
  if (listed.length === 0 && one !== undefined && (await existingOf(operation, mount, [one])).length > 0)
    throw invalidResponse(operation, apiPath(mount, "role"));
  const names = isGet ? listed : listed.filter((name) => ours.has(name));
  refuseUnstorable(operation, mount, exclusive ? listed : names);
  const undeclared = exclusive && !isGet ? listed.filter((name) => !ours.has(name)) : [];
  // Pulumi shows an update without a property.
  if (undeclared.length > 0) operation.run.log.info(`${operation.resource}: found other roles on the server (${shortList(undeclared)})`);
  const reads = names.map(async (name) => [name, await readRole(operation, { mount, name }, roleNamed(previous.roles, name))] as const);
  const states = await Promise.all(withProgress(operation, rolesOf(operation, mount), reads, "read"));
  return {
    mount,
    // Without `lease`, which would only enlarge the state.
    roles: Object.fromEntries(states.flatMap(([name, role]) => (role ? [[name, attributesOf(role)]] : []))),
    exclusive,
    undeclared: unlessEmpty(undeclared),
    unanswered: undefined,
  };
}

/** The roles of the set, including those whose write got no response. */
const namesIn = ({ roles = {}, unanswered = [] }: Partial<StoredState>): Set<string> => new Set([...Object.keys(roles), ...unanswered]);

/** Throws if Pulumi cannot store a role's name. Otherwise the role, and the access it grants, would be hidden. */
function refuseUnstorable(operation: Operation, mount: string, names: readonly string[]): void {
  const unstorable = names.filter((name) => roleNameFindings(operation, name, "").length > 0);
  if (unstorable.length === 0) return;
  throw new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule: "unstorable",
    reason: `the mount "${mount}" has roles whose names Pulumi cannot store: ${shortList(unstorable.map((name) => JSON.stringify(name)))}`,
    hint: "Delete these roles. For a declared set, you can also remove `exclusive`.",
  });
}

function planNotes({ inputs: { roles, exclusive, mount }, last }: { inputs: SchedulerRolesInputs; last?: StoredState }): PlanNote[] {
  if (!last || last.mount !== mount) return [];
  const names = [...new Set([...Object.keys(roles), ...Object.keys(last.roles)])];
  // Pulumi hides the changes of keys with this prefix.
  const hidden = names.filter((name) => name.startsWith("__") && !sameRole(roleNamed(last.roles, name), roleNamed(roles, name)));
  const undeclared = exclusive ? without(last.undeclared ?? [], Object.keys(roles)) : [];
  const notes = [
    { names: hidden, text: "will be written or deleted. Pulumi does not show changes to roles whose names begin with __" },
    { names: undeclared, text: "will be deleted, since the program does not declare them", isInformation: true },
  ];
  return notes.flatMap(({ names, text, ...note }) =>
    names.length > 0 ? [{ ...note, path: "roles", reason: `${shortList(names)} ${text}` }] : [],
  );
}

async function find({
  operation,
  inputs,
  claims,
}: FindRequest<SchedulerRolesInputs> & Claiming): Promise<ExistingObject<StoredState> | undefined> {
  const { mount, roles, exclusive } = inputs as SchedulerRolesInputs & { mount: string };
  const found = await listRoleNames(operation, mount, { mayBeMissing: true });
  const isDoubted = doubtedIn(operation).has(apiPath(mount, "role"));
  const listed = isDoubted ? await existingOf(operation, mount, Object.keys(roles)) : found;
  const others = without(listed, Object.keys(roles));
  const adoptable = await existing(operation, inputs, listed);
  // Report the roles that can be adopted first.
  if (adoptable && !inputs.adopt) return adoptable;
  // A replacement has just deleted the roles of this set, and must write them again. The next refresh lists the others.
  const isReplacement = Object.keys(roles).some((name) => claims.isRemoved(rolePath({ mount, name })));
  if (exclusive && others.length > 0 && !isReplacement)
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      rule: "undeclared-roles",
      reason: `the mount "${mount}" has roles that the program does not declare: ${shortList(others)}`,
      hint: "Declare them with adopt: true, delete them, or set exclusive in a later update.",
    });
  return adoptable;
}

/** Those of these roles that the server has, although a list of an unknown form has none. Empty if its form is known. */
async function existingOf(operation: Operation, mount: string, names: readonly string[]): Promise<string[]> {
  if (dialectOf(operation).formsAreKnown) return [];
  const reads = await Promise.all(names.map((name) => readRole(operation, { mount, name }, undefined, { mayBeMissing: true })));
  return names.filter((_, index) => reads[index]);
}

/** Finds the declared roles that already exist. Reads each that is adopted, to print its changes. */
async function existing(
  operation: Operation,
  { roles, adopt, mount = "" }: SchedulerRolesInputs,
  listed: readonly string[],
): Promise<ExistingObject<StoredState> | undefined> {
  const taken = listed.filter((name) => roleNamed(roles, name));
  if (taken.length === 0) return undefined;
  const reads =
    adopt || operation.server.previewReads
      ? taken.map(
          async (name) => [name, await readRole(operation, { mount, name }, undefined, { anyNotFound: adopt !== "unchanged" })] as const,
        )
      : [];
  const read = await Promise.all(withProgress(operation, rolesOf(operation, mount), reads, "read"));
  return {
    refusal: {
      reason: `the mount "${mount}" already has roles with these names: ${shortList(taken)}`,
      remedy: "set adopt: true to adopt them, or choose other names.",
    },
    differences: read.flatMap(([name, role]) => {
      const differences = role ? roleDifferences(role, attributesOf(roleNamed(roles, name) ?? {})) : [];
      return differences.map((each) => ({ ...each, path: pathOf(["roles", name, each.path]) }));
    }),
    unreadable: read.some(([, role]) => role && role.global === undefined) ? ["global of each role"] : [],
  };
}

async function update(request: UpdateRequest<SchedulerRolesInputs, StoredState>): Promise<StoredState> {
  const { operation, inputs, state: previous, last, claims } = request;
  const managed = [...namesIn(previous)];
  const added = without(Object.keys(inputs.roles), managed);
  if (added.length > 0) {
    const listed = without(await listRoleNames(operation, previous.mount, { mayBeMissing: managed.length === 0 }), managed);
    const found = await existing(operation, inputs, listed);
    if (found) request.adopt(found);
  }
  const paths = Object.keys(inputs.roles).map((name) => rolePath({ mount: previous.mount, name }));
  // An earlier run lost a response, or deleted roles and failed to write them again: write every role.
  const isInDoubt = Boolean(last.outcomeUnknown) && !paths.some((path) => claims.isRemoved(path));
  return apply(operation, inputs, isInDoubt ? { ...previous, unanswered: Object.keys(previous.roles) } : previous, claims);
}

/** Writes the roles that differ from the state, and deletes those that the program does not declare. */
async function apply(operation: Writer, inputs: SchedulerRolesInputs, previous: StoredState, claims: Claims): Promise<StoredState> {
  const { mount, roles, exclusive } = inputs as SchedulerRolesInputs & { mount: string };
  const undeclared = exclusive ? without(previous.undeclared ?? [], Object.keys(roles)) : [];
  const state: StoredState = { mount, roles: { ...previous.roles }, exclusive };
  /** The server may not have the role that the state has. */
  const isInDoubt = (name: string): boolean =>
    Boolean(previous.unanswered?.includes(name) || (roleNamed(previous.roles, name) && claims.isRemoved(rolePath({ mount, name }))));
  const writes = Object.keys(roles).filter((name) => isInDoubt(name) || !sameRole(roleNamed(previous.roles, name), roles[name]));
  const removals = without([...namesIn(previous), ...undeclared], Object.keys(roles));
  const send = async (name: string): Promise<unknown> => {
    const role = roleNamed(roles, name);
    if (role) {
      state.roles[name] = await writeRole(operation, { mount, name, ...role });
      return undefined;
    }
    const isDeleted = await removal(operation, claims, mount, name);
    delete state.roles[name];
    return isDeleted;
  };
  const failure = await sendAll(operation, mount, ["write or delete", "written or deleted"], [...writes, ...removals], send);
  if (!failure) return state;
  const { names, unanswered, error, hasOthers } = failure;
  // No role was written, and no outcome is unknown.
  if (!hasOthers && unanswered.length === 0) throw error;
  state.undeclared = unlessEmpty(undeclared.filter((name) => names.includes(name)));
  // A rejected retry does not tell whether an earlier request was applied.
  const inDoubt = names.filter((name) => unanswered.includes(name) || isInDoubt(name));
  state.unanswered = unlessEmpty(without(inDoubt, undeclared));
  // A refresh encrypts only keys that were encrypted before, so the state keeps roles that may have been written.
  for (const name of inDoubt)
    if (roleNamed(roles, name) && !roleNamed(state.roles, name)) state.roles[name] = attributesOf(roles[name] ?? {});
  throw new PartialState(state, {
    ...error.details,
    hint: [error.details.hint, "The next `pulumi up` continues from there."].filter(Boolean).join(" "),
  });
}

/** Deletes a role. Returns false if another resource of the program now manages it. */
async function removal(operation: Operation, claims: Claims, mount: string, name: string): Promise<boolean> {
  const isGone = async (reading: Reading): Promise<boolean> => !(await readRole(operation, { mount, name }, undefined, reading));
  return !(await claims.each(rolePath({ mount, name }), (claim) => remove(claim, isGone), true));
}

async function removeAll({ operation, state }: DeleteRequest<StoredState>, claims: Claims): Promise<void> {
  const { mount } = state;
  const remove = (name: string): Promise<boolean> => removal(operation, claims, mount, name);
  const failure = await sendAll(operation, mount, ["delete", "deleted"], [...namesIn(state)], remove);
  if (!failure) return;
  const { error, unanswered, hasOthers } = failure;
  throw error.with({ outcomeUnknown: hasOthers || unanswered.length > 0 });
}

/**
 * Sends a request for each name, even if some fail. A request that resolves to false has left its role in place. Returns the failures, or undefined if there
 * are none.
 */
async function sendAll(
  operation: Operation,
  mount: string,
  [verb, done]: readonly [verb: string, done: string],
  all: readonly string[],
  send: (name: string) => Promise<unknown>,
) {
  const outcomes = await Promise.allSettled(withProgress(operation, rolesOf(operation, mount), all.map(send), done));
  const left = all.filter((_, index) => (outcomes[index] as { value?: unknown }).value === false);
  if (left.length > 0)
    operation.run.log.warn(
      `${operation.resource}: not deleted, because other resources of this program now manage them (${shortList(left)}).`,
    );
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.status === "rejected" ? [{ name: all[index] as string, error: outcome.reason as StewardError }] : [],
  );
  const [first] = failures;
  if (!first) return undefined;
  if (!(first.error instanceof StewardError)) throw first.error;
  const names = failures.map(({ name }) => name);
  const hasOthers = names.length + left.length < all.length;
  const others = hasOthers ? ` The others were ${done}.` : "";
  const reason = `could not ${verb} ${names.length} of ${all.length} roles (${names.join(", ")}).${others} First error ("${first.name}"): ${first.error.details.reason}`;
  return {
    names,
    /** The names without a response. */
    unanswered: failures.filter(({ error }) => error.details.outcomeUnknown).map(({ name }) => name),
    /** Lists the names, with the cause of the first failure. */
    error: all.length === 1 ? first.error : first.error.with({ reason }),
    /** Some requests succeeded. */
    hasOthers,
  };
}

const without = (names: readonly string[], excluded: readonly string[] = []): string[] => {
  const out = new Set(excluded);
  return names.filter((name) => !out.has(name));
};

const unlessEmpty = (names: string[]): string[] | undefined => (names.length > 0 ? names : undefined);

const rolesOf = (operation: Operation, mount: string): string => `${dialectOf(operation).words.engine} roles at mount "${mount}"`;

const shortList = (names: readonly string[]): string => shortened(names).join(", ");

/**
 * Many roles of one Nomad secrets engine, faster than one resource per role.
 *
 * If some writes fail, the others still run, and the error lists the failed roles, so that the next `pulumi up` continues from there. With
 * `exclusive`, an update also deletes undeclared roles, but only those that a `pulumi refresh` has recorded. `pulumi destroy` deletes only
 * declared roles.
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
 * @requests The provider sends one `GET`, `POST` or `DELETE` for each role. An update writes only the roles that differ, and reads the list
 * only if you added roles. With `adopt`, a create or update also reads each new role that already exists.
 * @unreadable Nothing, because Vault returns all attributes of each role.
 * @permissions A token that can also read the `creds` path of a role is [as powerful as a Nomad management
 * token](../../getting-started/vault.md#1-create-two-policies).
 */
export const schedulerRoles: Definition<SchedulerRolesInputs, SchedulerRolesState, StoredState> = {
  system,
  token: "secrets:SchedulerRoles",
  displayName: "<engine> roles at mount",
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
    ...mountedFields,
  },
  rules: [
    {
      fields: ["roles"],
      check: ({ roles }, operation) =>
        Object.entries(roles).flatMap(([name, role]) => [
          ...roleNameFindings(operation, name, pathOf(["roles", name])),
          ...rolePolicyFindings(operation, role, pathOf(["roles", name, "policies"])),
        ]),
    },
  ],
  objects: {
    fields: ["mount", "exclusive", "roles"],
    paths: (fields) => {
      const { mount, exclusive, roles = {}, unanswered = [] } = fields as Partial<SchedulerRolesInputs> & Pick<StoredState, "unanswered">;
      const declared = Object.keys(roles).filter((name) => roles[name] !== undefined);
      // The empty name stands for all roles of the mount.
      const names = new Set([...declared, ...unanswered, ...(exclusive ? [""] : [])]);
      return [...names].map((name) => rolePath({ mount: mount as string, name }));
    },
    remove: removeAll,
  },
  deleteBeforeReplace: true,
  work: ({ undeclared }) => (undeclared ? "now" : "none"),
  planNotes,
  read,
  find,
  create: ({ operation, inputs, claims }) => apply(operation, inputs, { mount: inputs.mount as string, roles: {} }, claims),
  update,
  discover: async (request) =>
    request.asSet
      ? atEachMount(request, "role", async (mount) => {
          const names = await listRoleNames(request.operation, mount, { mayBeMissing: true });
          refuseUnstorable(request.operation, mount, names);
          return names.length > 0 ? [{ state: { mount }, suggestedName: `${mount}-roles` }] : [];
        })
      : [],
};

/** Options of {@link listSchedulerRoles}. */
export interface ListSchedulerRolesOptions extends ConnectionArgs, MountArgs {}

const listOptions: z.ZodType<ListSchedulerRolesOptions> = strictObject({ connection: connectionInput, mount: mountInput });

export const schedulerRoleNames: ReadFunction<ListSchedulerRolesOptions, string[]> = {
  token: "secrets:listSchedulerRoles",
  operation: "Cannot list roles",
  system,
  options: listOptions,
  property: "names",
  run: (operation, { mount }) => listRoleNames(operation, normalizeMount(mount ?? defaultMount(operation)), { mayBeMissing: true }),
};

/**
 * Lists the names of all roles at a mount, in the order of the response to `GET <mount>/role?list=true`. The function also runs in
 * previews, and throws a {@link StewardError} if the request fails.
 */
export function listSchedulerRoles(options: ListSchedulerRolesOptions = {}): Promise<string[]> {
  return readIn(schedulerRoleNames, options);
}
