import { z } from "zod";
import { unordered } from "../contract/comparison";
import { Definition, Difference } from "../contract/definition";
import { CheckFailure } from "../contract/errors";
import { differencesOf } from "../contract/fields";
import { Adopt, bool, ConnectionArgs, isStorableKey, str } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { isStringList } from "../text/json";
import { apiObject, listNames } from "./api-object";
import { apiPath, dialectOf, Reading, system } from "./client";
import { MountArgs, mountedFields } from "./mount";

/** The type of the tokens of a role: `client` tokens have the role's policies, and `management` tokens have all permissions. */
export type RoleType = "client" | "management";
// `pulumi import` writes `secrets.RoleType.Client` into a program, not the string.
export const RoleType = { Client: "client", Management: "management" } as const;

/** Attributes of a role. */
export interface RoleAttributes {
  /**
   * The Nomad policies of generated tokens, in any order. Vault does not check that they exist, and a management role has none.
   * @example ["deploy", "read-logs"]
   * @default []
   */
  policies?: string[];
  /**
   * Makes generated tokens valid in all regions.
   * @default false
   */
  global?: boolean;
  /**
   * The type of generated tokens.
   * @default "client"
   */
  type?: RoleType;
}

/** Inputs of {@link SchedulerRole}. */
export interface SchedulerRoleInputs extends RoleAttributes, ConnectionArgs, MountArgs {
  /**
   * The name of the role.
   * @example "web"
   */
  name: string;
  /**
   * Adopts an existing role. `true` prints the changes as old -> new and overwrites the role. `"unchanged"` fails with `ERR_ALREADY_EXISTS`
   * and lists the differences if an attribute differs, and `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Attributes of a role on the server. */
export interface RoleState {
  /** The Nomad policies of generated tokens. */
  policies: string[];
  /** True if generated tokens are valid in all regions, or undefined if the server does not return it. */
  global: boolean | undefined;
  /** The type of generated tokens. */
  type: RoleType;
}

/** Outputs of {@link SchedulerRole}. */
export interface SchedulerRoleState extends RoleState, Required<MountArgs> {
  /** The name of the role. */
  name: string;
  /**
   * The lease duration of generated tokens after `SchedulerRole.get`, such as `1h0m0s`. It is undefined for a declared role, and for Vault
   * and OpenBao, which do not return it.
   */
  lease: string | undefined;
}

const roleDefaults: Required<RoleAttributes> = { policies: [], global: false, type: "client" };

export const roleAttributes: { [Name in keyof RoleAttributes]-?: z.ZodType<Required<RoleAttributes>[Name]> } = {
  policies: z.array(str.regex(/^[^\s,]+$/, "must be the name of one policy, without commas or spaces"), "must be a list of policy names"),
  global: bool,
  type: z.enum(RoleType, 'must be "client" or "management"'),
};

/** Check failures for a role name that the server would reject. */
export function roleNameFindings(operation: Operation, name: string, path: string): CheckFailure[] {
  const { pattern, reason } = dialectOf(operation).roleName;
  if (!isStorableKey(name)) return [{ path, rule: "unstorable", reason: "is a name that Pulumi cannot store" }];
  return pattern.test(name) ? [] : [{ path, rule: "role-name", reason }];
}

/** Check failures for a combination of type and policies that the server would reject. */
export function rolePolicyFindings(operation: Operation, { type = "client", policies = [] }: RoleAttributes, path: string): CheckFailure[] {
  if (!dialectOf(operation).policiesByType) return [];
  if (type === "client" && policies.length === 0)
    return [{ path, rule: "client-without-policies", reason: "a client role needs at least one policy" }];
  if (type === "management" && policies.length > 0)
    return [{ path, rule: "management-with-policies", reason: "a management role has no policies: its tokens have all rights" }];
  return [];
}

/** The attributes of a role, with defaults for missing ones. */
export const attributesOf = (role: RoleAttributes): Required<RoleAttributes> => {
  const { policies, global, type } = { ...roleDefaults, ...role };
  return { policies, global, type };
};

const role = apiObject<SchedulerRoleInputs, SchedulerRoleState>({
  path: "<mount>/role/<name>",
  // All attributes, since an omitted one may keep its value.
  toWire: (inputs) => ({ ...attributesOf(inputs), policies: attributesOf(inputs).policies.join(",") }),
  fromWire(data) {
    // `token_type` in the API specification, `type` in Vault.
    const { policies, global, token_type: type = data.type, lease } = data;
    if (typeof type !== "string" || !(policies === null || isStringList(policies))) return undefined;
    return {
      policies: policies ?? [],
      global: global as boolean | undefined,
      type: type as RoleType,
      lease: typeof lease === "string" ? lease : undefined,
    };
  },
  shows: (state, inputs) => roleDifferences(state, attributesOf(inputs)).length === 0,
  exists: ({ mount }) => ({
    reason: `a role with this name already exists at the mount "${mount}"`,
    remedy: "set adopt: true to adopt it, or choose another name.",
  }),
});

/** The mount and the name of a role. */
type Place = { mount: string; name: string };

/** The API path of a role. */
export const rolePath: (role: Place) => string = role.pathOf;

/** The names of all roles at a mount. An engine without roles responds with 404. */
export const listRoleNames = (operation: Operation, mount: string, reading: Reading = {}): Promise<string[]> =>
  listNames(operation, apiPath(mount, "role"), { mount, ...reading });

/** Reads a role. If the server does not return `global`, it is the last written value. */
export async function readRole(
  operation: Operation,
  fields: Place,
  written: RoleAttributes | undefined,
  reading: Reading = {},
): Promise<SchedulerRoleState | undefined> {
  const state = await role.read(operation, fields, reading);
  return state && { ...state, global: state.global ?? written?.global };
}

/** Creates or overwrites a role. */
export async function writeRole(operation: Writer, inputs: Place & RoleAttributes): Promise<Required<RoleAttributes>> {
  await role.write(operation, inputs);
  return attributesOf(inputs);
}

/** The differences that adopting a role overwrites. A `global` that the server does not return is not compared. */
export const roleDifferences = (from: RoleAttributes, to: RoleAttributes): Difference[] =>
  differencesOf(schedulerRole.fields, Object.keys(roleDefaults), { ...from, global: from.global ?? to.global }, to);

/**
 * A role of the Nomad secrets engine, from which Vault generates Nomad tokens.
 *
 * If the role already exists, creating the resource fails with `ERR_ALREADY_EXISTS` unless you set `adopt`.
 *
 * @example A role with two policies
 * ```ts
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy", "read-logs"] });
 * ```
 * @example Roles of an engine that the same program configures, at its own mount
 * ```ts
 * const mount = "team/nomad";
 * const access = new secrets.SchedulerAccess("access", {
 *   mount,
 *   address: "https://nomad.example.com:4646",
 *   token: { env: "NOMAD_MANAGEMENT_TOKEN" },
 * });
 * const opts = { dependsOn: access };
 * new secrets.SchedulerRole("deploy", { mount, name: "deploy", policies: ["deploy"], adopt: true }, opts);
 * new secrets.SchedulerRole("operator", { mount, name: "operator", type: "management", global: true }, opts);
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @unreadable Nothing, because Vault returns all attributes.
 * @permissions A token that can also read the `creds` path of a role is [as powerful as a Nomad management
 * token](../../getting-started/vault.md#1-create-two-policies).
 */
export const schedulerRole: Definition<SchedulerRoleInputs, SchedulerRoleState> = {
  system,
  token: "secrets:SchedulerRole",
  displayName: "<engine> role",
  name: "<name>",
  id: "<mount>/role/<name>",
  readById: true,
  fields: {
    name: { input: z.string("must be the name of the role"), required: true, output: true, replaces: true },
    policies: { input: roleAttributes.policies, default: () => [], output: true, compare: unordered },
    global: { input: roleAttributes.global, default: () => false, output: true },
    type: { input: roleAttributes.type, default: () => "client", output: true },
    lease: { output: true },
    ...mountedFields,
  },
  rules: [
    { fields: ["name"], check: ({ name }, operation) => roleNameFindings(operation, name, "name") },
    { fields: ["type", "policies"], check: (inputs, operation) => rolePolicyFindings(operation, inputs, "policies") },
  ],
  ...role.operations,
  read: async ({ operation, state, declared }) => {
    const isGet = declared.length === 0;
    const current = await readRole(operation, state, state, { mayBeMissing: isGet });
    return current && { ...current, lease: isGet ? current.lease : undefined };
  },
  discover: async (request) => (request.asSet ? [] : role.operations.discover(request)),
};
