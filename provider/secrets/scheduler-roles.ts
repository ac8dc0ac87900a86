import { z } from "zod";
import { Adopt, adoptField, Found, takeOver } from "../adoption";
import { Comparison, unordered } from "../comparison";
import { Connection } from "../connection";
import { Definition, DeleteRequest, OutcomeUnknown, PlanNote, ReadRequest, UpdateRequest } from "../definition";
import { PartialState, StewardError } from "../errors";
import { bool, ConnectionArgs, connectionField, strictObject } from "../inputs";
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

/** What a program declares of a set of roles. */
export interface SchedulerRolesInputs extends ConnectionArgs, MountArgs {
  /** The roles by name. Changing this writes the roles that differ and removes those that left. */
  roles: Record<string, RoleAttributes>;
  /**
   * Whether no other role may exist at this mount. Then `pulumi refresh` shows each undeclared role, and the next `pulumi up` removes
   * those that were shown. Changing this updates, and removes nothing by itself.
   * @default false
   */
  exclusive?: boolean;
  /**
   * Take over declared roles that exist already; without it that is an error. true prints each attribute that this changes, old -> new, and overwrites
   * it; "unchanged" fails with `ERR_ALREADY_EXISTS`, and lists the differences, where there are any. Holds for roles that join later, too. Changing
   * this does nothing.
   * @default false
   */
  adopt?: Adopt;
}

/** What the service holds of a set of roles. */
export interface SchedulerRolesState extends Required<MountArgs> {
  /** The roles by name; in an exclusive set, and after `get`, undeclared ones too. */
  roles: Record<string, RoleState>;
}

/** What we remember beyond that. */
interface StoredState extends SchedulerRolesState, Pick<OutcomeUnknown, "unanswered"> {
  exclusive?: boolean;
  /** Roles in the state that the program never declared: shown by a refresh, removed by an update, left alone by a destroy. */
  undeclared?: string[];
}

type Roles = Record<string, RoleAttributes>;

const { policies, global, type } = roleAttributes;
const role: z.ZodType<RoleAttributes> = strictObject({ policies: policies.optional(), global: global.optional(), type: type.optional() });

/** The role of that name; a plain object has a `constructor` and more besides. */
const own = <Role>(roles: Record<string, Role> | undefined, name: string): Role | undefined =>
  roles && Object.hasOwn(roles, name) ? roles[name] : undefined;

const complete = (role: RoleAttributes): Required<RoleAttributes> => ({ ...roleDefaults, ...role });

/** What the set holds of a role: its lease is not declared, and a thousand of them would only make the state larger. */
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
  // What was never answered is settled by the list: there it is ours, and elsewhere it is not.
  const ours = isGet ? listed : without([...Object.keys(previous.roles), ...(previous.unanswered ?? [])], previous.undeclared);
  const known = new Set(ours);
  const wanted = exclusive ? listed : listed.filter((name) => known.has(name));
  refuseUnstorable(connection, mount, wanted);
  const undeclared = exclusive ? without(listed, ours) : undefined;
  const hidden = (undeclared ?? []).filter(isHidden);
  if (hidden.length > 0) connection.say(`warning: ${rolesOf(mount)}: undeclared roles that Pulumi does not show: ${shortList(hidden)}`);
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

/** A role that the state cannot hold would be invisible, and so would what its tokens may do. */
function refuseUnstorable(connection: Connection, mount: string, names: readonly string[]): void {
  const unstorable = names.filter((name) => roleNameFindings(connection, name, "").length > 0);
  if (unstorable.length === 0) return;
  throw new StewardError({
    code: "ERR_UNEXPECTED_RESPONSE",
    rule: "unstorable",
    reason: `the mount "${mount}" holds roles whose names Pulumi cannot hold: ${shortList(unstorable.map((name) => JSON.stringify(name)))}`,
    hint: "Delete them there, or declare the set without exclusive.",
  });
}

/** Pulumi shows no change of a key that begins so. */
const isHidden = (name: string): boolean => name.startsWith("__");

function planNotes({ inputs: { roles }, last }: { inputs: SchedulerRolesInputs; last?: StoredState }): PlanNote[] {
  if (!last) return [];
  const names = [...new Set([...Object.keys(roles), ...Object.keys(last.roles)])];
  const changed = names.filter((name) => isHidden(name) && !sameRole(own(last.roles, name), own(roles, name)));
  if (changed.length === 0) return [];
  return [
    { path: "roles", text: `${shortList(changed)} will be written or removed; Pulumi shows no change of a name that begins with __` },
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
  // The role that may be taken over is named first.
  if (found && !inputs.adopt) return found;
  if (exclusive && others.length > 0)
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      rule: "undeclared-roles",
      reason: `the mount "${mount}" holds roles that the program does not declare: ${shortList(others)}`,
      hint: "Declare them (with adopt: true), delete them, or begin without exclusive and turn it on in a later update.",
    });
  return found;
}

/** Which of the declared roles exist; each is read once more where it is adopted, to say what that changes. */
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
    reason: `the mount "${mount}" holds roles of these names already: ${shortList(taken)}`,
    hint: `${hint} adopt: true to take them over and manage them from here on, or choose other names.`,
    differences: read.flatMap(([name, role]) => (role ? roleDifferences(role, complete(own(roles, name) ?? {}), `roles.${name}.`) : [])),
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
  // An earlier run has removed some of them and could not write them again.
  const isInDoubt = Boolean(last.outcomeUnknown) && !paths.some((path) => isRemoved(connection, path));
  return apply(connection, inputs, isInDoubt ? { ...previous, unanswered: Object.keys(previous.roles) } : previous);
}

/** Writes what differs from the state and removes what the state holds and the program does not; what fails leaves the rest done. */
async function apply(connection: Connection, inputs: SchedulerRolesInputs, previous: StoredState): Promise<StoredState> {
  const { mount, roles, exclusive } = inputs as SchedulerRolesInputs & { mount: string };
  const unanswered = previous.unanswered ?? [];
  const undeclared = without(previous.undeclared ?? [], Object.keys(roles));
  // A set that is exclusive no longer lets go of them.
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
  // Nothing done and nothing in doubt: the plain reason says it all.
  const hasOthers = failures.length < steps.length;
  if (!hasOthers && state.unanswered.length === 0) throw first.error;
  // Pulumi encrypts on a refresh what it has encrypted before: a role that may be there is in the state from now on.
  for (const name of state.unanswered) if (own(roles, name) && !own(state.roles, name)) state.roles[name] = complete(roles[name] ?? {});
  state.undeclared = undeclared.filter((name) => own(state.roles, name));
  throw new PartialState(state, {
    ...first.error.details,
    reason: `${failures.length} of ${steps.length} roles failed: ${shortList(failures.map(({ name }) => name))}. The first, "${first.name}": ${first.error.details.reason}`,
    hint: [
      first.error.details.hint,
      hasOthers ? "The others are done; the next `pulumi up` goes on from there." : "The next `pulumi up` tries again.",
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
  say(`warning: ${resource}: roles left in place, because other resources of this program now manage them: ${shortList(names)}.`);
}

const without = (names: readonly string[], excluded: readonly string[] = []): string[] => {
  const out = new Set(excluded);
  return names.filter((name) => !out.has(name));
};

const rolesOf = (mount: string): string => `scheduler roles of mount "${mount}"`;

const shortList = (names: readonly string[]): string => shortened(names).join(", ");

/**
 * Many roles of one Nomad secrets engine, faster than one resource for each: `POST`, `GET` and `DELETE <mount>/role/<name>`,
 * and `GET <mount>/role?list=true`. Its id is `<mount>/role`.
 *
 * Writes that fail leave the others done: the error names them, and the next `pulumi up` goes on. With `exclusive` the set is all
 * there may be at the mount; only roles that a `pulumi refresh` has shown are ever removed, and `pulumi destroy` removes declared ones alone.
 *
 * ```ts
 * new secrets.SchedulerRoles("teams", {
 *   roles: { web: { policies: ["deploy"] }, operators: { type: "management", global: true } },
 *   exclusive: true,
 * });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 list, and 1 `POST` for each role; with `adopt` 1 `GET` more for each role that exists. Update: 1 `POST` or `DELETE` for each
 * role that differs; where roles join, after 1 list, and with `adopt` 1 `GET` for each of them that exists. Refresh: 1 list, and 1 `GET` for each role. Delete: 1 `DELETE` for each declared role. In the standard dialect a list
 * answered 404 costs one read more, at most once in a run: the OpenAPI document, which has to show the path to the token.
 * @unreadable `global` of each role, in the standard dialect; after `get` it is undefined there. The `lease` of a role is no output of the set:
 * `SchedulerRole.get` reads it.
 * @internal
 */
export const schedulerRoles: Definition<SchedulerRolesInputs, SchedulerRolesState, StoredState> = {
  system,
  token: "secrets:SchedulerRoles",
  displayName: "scheduler roles of mount",
  name: "<mount>",
  id: "<mount>/role",
  readById: true,
  fields: {
    roles: { input: z.record(z.string(), role, "must be an object of roles by name"), required: true, output: true, compare: rolesByName },
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
          ...roleNameFindings(connection, name, `roles.${name}`),
          ...rolePolicyFindings(connection, role, `roles.${name}.policies`),
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
          return names.length > 0 ? [{ state: { mount }, called: `${mount}-roles` }] : [];
        })
      : [],
  diagnose: explainRefusal,
};
