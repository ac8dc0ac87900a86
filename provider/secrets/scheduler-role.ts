import { z } from "zod";
import { Adopt, adoptField, Difference, differencesOf, Found } from "../adoption";
import { exact, unordered } from "../comparison";
import { Connection } from "../connection";
import { Definition } from "../definition";
import { CheckFailure, StewardError } from "../errors";
import { bool, ConnectionArgs, connectionField, isStorableKey, str } from "../inputs";
import { isTexts } from "../json";
import { removeObject, renamedHint } from "../ownership";
import { apiPath, call, dialectOf, Evidence, readData, readExisting, remove, replaceHint, system, unexpectedAnswer } from "./client";
import { MountArgs, mountField } from "./mount";
import { normalizeMount } from "./mount-path";
import { explainRefusal } from "./refusal";
import { atEachMount } from "./scheduler-mounts";

/** What the tokens of a role are: `client` ones have its policies, `management` ones may do everything. */
export type RoleType = "client" | "management";
// `pulumi import` writes `secrets.RoleType.Client` into a program, not the string.
export const RoleType = { Client: "client", Management: "management" } as const;

/** What a role is, apart from its name. */
export interface RoleAttributes {
  /**
   * Policies of the scheduler that a generated token gets; whether they exist is not checked. Their order means nothing. A management
   * role has none. Changing this updates.
   * @default []
   */
  policies?: string[];
  /**
   * Whether a generated token is valid in all regions. Not every service shows it when the role is read: there its drift cannot be seen.
   * Changing this updates.
   * @default false
   */
  global?: boolean;
  /**
   * What a generated token may do: what its policies say, or everything. Changing this updates.
   * @default "client"
   */
  type?: RoleType;
}

/** What a program declares of a role. */
export interface SchedulerRoleInputs extends RoleAttributes, ConnectionArgs, MountArgs {
  /** The role's name. Changing this replaces the role. */
  name: string;
  /**
   * Take over a role that exists already; without it that is an error. true prints each attribute that this changes, old -> new, and overwrites it;
   * "unchanged" fails with `ERR_ALREADY_EXISTS`, and lists the differences, where there are any. Changing this does nothing.
   * @default false
   */
  adopt?: Adopt;
}

/** What the service holds of a role, apart from its name. */
export interface RoleState {
  /** Policies of the scheduler that a generated token gets. */
  policies: string[];
  /** Whether a generated token is valid in all regions. Undefined after `get` where the service does not show it: in the standard dialect. */
  global: boolean | undefined;
  /** What a generated token may do: what its policies say, or everything. */
  type: RoleType;
}

/** What the service holds of a role. */
export interface SchedulerRoleState extends RoleState, Required<MountArgs> {
  /** The role's name. */
  name: string;
  /**
   * How long a generated token lives, as the service shows it to `SchedulerRole.get`: `1h0m0s`. Undefined in the hashicorp dialect, where it is not
   * shown, and for a role that the program declares: a creation reads nothing back, and the next refresh would show a change that nobody made.
   */
  lease: string | undefined;
}

/** @internal */
export const roleDefaults: Required<RoleAttributes> = { policies: [], global: false, type: "client" };

/** @internal */
export const roleAttributes: {
  policies: z.ZodType<string[]>;
  global: z.ZodType<boolean>;
  type: z.ZodType<RoleType>;
} = {
  policies: z.array(str.regex(/^[^\s,]+$/, "must be the name of one policy, without commas or blanks"), "must be a list of policy names"),
  global: bool,
  type: z.enum(["client", "management"], 'must be "client" or "management"'),
};

/** What the product would refuse of a role's name. @internal */
export function roleNameFindings(connection: Connection, name: string, path: string): CheckFailure[] {
  const { pattern, reason } = dialectOf(connection).roleName;
  if (!isStorableKey(name)) return [{ path, rule: "unstorable", reason: "is a name that Pulumi cannot hold" }];
  return pattern.test(name) ? [] : [{ path, rule: "role-name", reason }];
}

/** What the product would refuse of a role's type and policies together. @internal */
export function rolePolicyFindings(
  connection: Connection,
  { type = "client", policies = [] }: RoleAttributes,
  path: string,
): CheckFailure[] {
  if (!dialectOf(connection).policiesByType) return [];
  if (type === "client" && policies.length === 0)
    return [{ path, rule: "client-without-policies", reason: "a client role needs at least one policy" }];
  if (type === "management" && policies.length > 0)
    return [{ path, rule: "management-with-policies", reason: "a management role has no policies: its tokens may do everything" }];
  return [];
}

/** Where a role is on the server. @internal */
export const rolePath = ({ mount, name }: { mount: string; name: string }): string => apiPath(normalizeMount(mount), "role", name);

/** The names of all roles at a mount; an engine without roles answers 404. @internal */
export async function listRoleNames(connection: Connection, mount: string): Promise<string[]> {
  const path = apiPath(mount, "role");
  const data = await readData(connection, path, { query: { list: "true" } });
  if (!data) return [];
  const { keys } = data;
  if (!isTexts(keys)) throw unexpectedAnswer(path);
  return keys;
}

/** The list of all roles is the evidence that one does not exist. */
const isUnlisted =
  (connection: Connection, { mount, name }: { mount: string; name: string }): Evidence =>
  async () =>
    !(await listRoleNames(connection, mount)).includes(name);

/** What the server holds of a role; `global`, where it does not show it, is what we last wrote. @internal */
export async function readRole(
  connection: Connection,
  role: { mount: string; name: string },
  written: RoleAttributes | undefined,
  anyNotFound = false,
): Promise<(RoleState & Pick<SchedulerRoleState, "lease">) | undefined> {
  const data = await readData(connection, rolePath(role), { evidence: isUnlisted(connection, role), anyNotFound });
  if (!data) return undefined;
  // The API document calls it token_type, the product type.
  const { policies, token_type: type = data.type, lease } = data;
  if (typeof type !== "string" || !(policies === null || isTexts(policies))) throw unexpectedAnswer(rolePath(role));
  return {
    policies: policies ?? [],
    global: (data.global ?? written?.global) as boolean | undefined,
    type: type as "client" | "management",
    lease: typeof lease === "string" ? lease : undefined,
  };
}

/** Returns whether a role exists. Reads the list where a 404 of the role proves nothing. Without permission to list, the role itself still proves that it exists. */
async function roleExists(connection: Connection, role: { mount: string; name: string }): Promise<boolean> {
  const path = rolePath(role);
  if (dialectOf(connection).provesAbsence) return (await readData(connection, path)) !== undefined;
  try {
    return (await listRoleNames(connection, role.mount)).includes(role.name);
  } catch (error) {
    if (!(error instanceof StewardError) || error.status !== 403) throw error;
    return (await readData(connection, path, { evidence: () => Promise.reject(error) })) !== undefined;
  }
}

/** Creates or overwrites. All attributes are sent, an empty list of policies too: what is omitted may keep its old value. @internal */
export async function writeRole(
  connection: Connection,
  role: { mount: string; name: string } & RoleAttributes,
): Promise<Required<RoleAttributes>> {
  const { policies, global, type } = { ...roleDefaults, ...role };
  await call(connection, {
    method: "POST",
    path: rolePath(role),
    body: { policies: policies.join(","), global, type },
    retry: "idempotent",
  });
  return { policies, global, type };
}

/** Deletes a role, unless another resource of the program holds it: then it returns false. @internal */
export const deleteRole = (
  connection: Connection,
  role: { mount: string; name: string },
  options?: { isQuiet: boolean },
): Promise<boolean> => removeObject(connection, rolePath(role), () => remove(connection, rolePath(role)), options);

/** After defaults have been filled in. */
type Complete = SchedulerRoleInputs & { mount: string };

/** A creation, or an update. */
interface Request {
  connection: Connection;
  inputs: SchedulerRoleInputs;
}

async function write({ connection, inputs }: Request): Promise<SchedulerRoleState> {
  const { name, mount } = inputs as Complete;
  return { name, mount, lease: undefined, ...(await writeRole(connection, inputs as Complete)) };
}

/** What the adoption of a role changes. Where the server does not show `global`, it is no difference. @internal */
export const roleDifferences = (from: RoleAttributes, to: RoleAttributes, prefix?: string): Difference[] =>
  differencesOf(
    { ...from, global: from.global ?? to.global },
    to,
    { policies: unordered.equal, global: exact.equal, type: exact.equal },
    prefix,
  );

/** What an adoption overwrites without having seen it. @internal */
export const unreadOf = (roles: readonly RoleAttributes[]): string[] =>
  roles.some(({ global }) => global === undefined) ? ["global"] : [];

async function find({ connection, inputs }: Request): Promise<Found<SchedulerRoleState> | undefined> {
  const role = inputs as Complete;
  const { mount, adopt } = role;
  const existing: RoleAttributes | undefined =
    adopt || connection.previewReads
      ? await readExisting(adopt, (anyNotFound) => readRole(connection, role, undefined, anyNotFound))
      : (await readExisting(adopt, () => roleExists(connection, role)))
        ? role
        : undefined;
  return (
    existing && {
      reason: `a role of this name exists already at the mount "${mount}"`,
      hint: `${renamedHint} Otherwise set adopt: true to take it over and manage it from here on, or choose another name. ${replaceHint}`,
      differences: roleDifferences(existing, role),
      unreadable: unreadOf([existing]),
    }
  );
}

/**
 * A role of the Nomad secrets engine, from which Vault generates Nomad tokens: `POST`, `GET` and `DELETE <mount>/role/<name>`.
 * Its id is `<mount>/role/<name>`.
 *
 * A role that exists already is never taken over silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set, which prints what
 * it changes.
 *
 * ```ts
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy", "read-logs"] });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`. Refresh: 1 `GET`. Delete: 1 `DELETE`. In the standard dialect the list, which must not
 * hold the role, takes the place of the `GET` of a creation without `adopt`. There a refresh that gets a 404 reads the list as well.
 * Where the list is a 404 too, the OpenAPI document is read, once in a run.
 * @unreadable `global`, in the standard dialect; after `get` it is undefined there.
 * @internal
 */
export const schedulerRole: Definition<SchedulerRoleInputs, SchedulerRoleState> = {
  system,
  token: "secrets:SchedulerRole",
  displayName: "scheduler role",
  name: "<name>",
  id: "<mount>/role/<name>",
  readById: true,
  fields: {
    name: { input: z.string("must be the role's name"), required: true, output: true, replaces: true },
    policies: { input: roleAttributes.policies, default: () => [], output: true, compare: unordered },
    global: { input: roleAttributes.global, default: () => false, output: true },
    type: { input: roleAttributes.type, default: () => "client", output: true },
    lease: { output: true },
    mount: mountField,
    adopt: adoptField,
    connection: connectionField,
  },
  rules: [
    { fields: ["name"], check: ({ name }, connection) => roleNameFindings(connection, name, "name") },
    { fields: ["type", "policies"], check: (inputs, connection) => rolePolicyFindings(connection, inputs, "policies") },
  ],
  objects: { fields: ["mount", "name"], paths: (fields) => [rolePath(fields as Complete)] },
  read: async ({ connection, state: { name, mount, global }, declared }) => {
    const role = await readRole(connection, { mount, name }, { global });
    return role && { name, mount, ...role, lease: declared.length === 0 ? role.lease : undefined };
  },
  find,
  create: write,
  update: write,
  delete: ({ connection, state }) => deleteRole(connection, state),
  discover: async (request) =>
    request.asSet
      ? []
      : atEachMount(request, "role", async (mount) =>
          (await listRoleNames(request.connection, mount)).map((name) => ({ state: { mount, name } })),
        ),
  diagnose: explainRefusal,
};
