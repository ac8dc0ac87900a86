import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi";
import { z } from "zod";
import { ignored, set } from "../comparison";
import { Connection, trimMount } from "../connection";
import { Definition, Finding } from "../definition";
import { StewardError } from "../errors";
import { connectionInput, flag, strictObject } from "../inputs";
import { removeObject } from "../ownership";
import { Args, Connected, Getter, getter, Outputs, registration } from "../resource";
import { apiPath, call, defaultMount, dialectOf, explainRefusal, isTexts, readData, remove, unexpectedAnswer } from "./client";
import { Mounted, mountBefore, mountInput, mountPath } from "./mount";

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
  type?: "client" | "management";
}

/** What a program declares of a role. */
export interface SchedulerRoleInputs extends RoleAttributes, Connected, Mounted {
  /** The role's name. Changing this replaces the role. */
  name: string;
  /**
   * Take over a role that exists already. Without it that is an error. Changing this does nothing.
   * @default false
   */
  adopt?: boolean;
}

/** What the service holds of a role. */
export type SchedulerRoleState = Required<RoleAttributes & Mounted> & Pick<SchedulerRoleInputs, "name">;

/** @internal */
export const roleDefaults: Required<RoleAttributes> = { policies: [], global: false, type: "client" };

/** @internal */
export const roleAttributes: {
  policies: z.ZodOptional<z.ZodType<string[]>>;
  global: z.ZodOptional<z.ZodType<boolean>>;
  type: z.ZodOptional<z.ZodType<"client" | "management">>;
} = {
  policies: z
    .array(z.string().regex(/^[^\s,]+$/, "must be the name of one policy, without commas or blanks"), "must be a list of policy names")
    .optional(),
  global: flag.optional(),
  type: z.enum(["client", "management"], 'must be "client" or "management"').optional(),
};

const inputs: z.ZodType<SchedulerRoleInputs> = strictObject({
  name: z.string("must be the role's name"),
  ...roleAttributes,
  mount: mountInput,
  adopt: flag.optional(),
  connection: connectionInput,
});

/** What the product would refuse of a role's name. @internal */
export function roleNameFindings(connection: Connection, name: string, path: string): Finding[] {
  const { pattern, reason } = dialectOf(connection).roleName;
  // JavaScript objects, and with them Pulumi's inputs, cannot hold a field of that name.
  if (name === "__proto__") return [{ path, reason: "is a name that Pulumi cannot hold" }];
  return pattern.test(name) ? [] : [{ path, reason }];
}

/** What the product would refuse of a role's type and policies together. @internal */
export function rolePolicyFindings(connection: Connection, { type = "client", policies = [] }: RoleAttributes, path: string): Finding[] {
  if (!dialectOf(connection).policiesByType) return [];
  if (type === "client" && policies.length === 0) return [{ path, reason: "a client role needs at least one policy" }];
  if (type === "management" && policies.length > 0)
    return [{ path, reason: "a management role has no policies: its tokens may do everything" }];
  return [];
}

/** Where a role is on the server. @internal */
export const rolePath = ({ mount, name }: { mount: string; name: string }): string => apiPath(trimMount(mount), "role", name);

/** What the server holds of a role; `global`, where it does not show it, is what we last wrote. @internal */
export async function readRole(
  connection: Connection,
  role: { mount: string; name: string },
  written: RoleAttributes | undefined,
): Promise<Required<RoleAttributes> | undefined> {
  const data = await readData(connection, rolePath(role));
  if (!data) return undefined;
  // The API document calls it token_type, the product type.
  const { policies, token_type: type = data.type } = data;
  if (typeof type !== "string" || !(policies === null || isTexts(policies))) throw unexpectedAnswer(rolePath(role));
  return {
    policies: policies ?? [],
    global: (data.global ?? written?.global) as boolean,
    type: type as "client" | "management",
  };
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

/** Leaves a role that another resource of the program holds: false, which is said of `name`. @internal */
export const deleteRole = (connection: Connection, role: { mount: string; name: string }, name?: string): Promise<boolean> =>
  removeObject(connection, rolePath(role), { name }, () => remove(connection, rolePath(role)));

/** After defaults have been filled in. */
type Complete = SchedulerRoleInputs & { mount: string };

async function write(connection: Connection, inputs: SchedulerRoleInputs): Promise<SchedulerRoleState> {
  const { name, mount } = inputs as Complete;
  return { name, mount, ...(await writeRole(connection, inputs as Complete)) };
}

async function create(connection: Connection, inputs: SchedulerRoleInputs): Promise<SchedulerRoleState> {
  const { mount, adopt } = inputs as Complete;
  if (!adopt && (await readData(connection, rolePath(inputs as Complete))))
    throw new StewardError({
      code: "ERR_ALREADY_EXISTS",
      reason: `a role of this name exists already at the mount "${mount}"`,
      advice: "Set adopt: true to take it over and manage it from here on, or choose another name.",
    });
  return write(connection, inputs);
}

/** @internal */
export const schedulerRole: Definition<SchedulerRoleInputs, SchedulerRoleState> = {
  token: "secrets:SchedulerRole",
  noun: "scheduler role",
  name: ({ name }) => name,
  id: (inputs) => `${inputs.mount}/role/${inputs.name}`,
  idForm: "<mount>/role/<name>",
  parseId: (id) => {
    const [, mount, name] = /^(.+)\/role\/([^/]+)$/.exec(id) ?? [];
    return mount && name && mountBefore(id, /\/role\/[^/]+$/) ? { mount, name } : undefined;
  },
  inputs,
  state: ["name", "policies", "global", "type", "mount"],
  defaults: (connection) => ({ ...roleDefaults, mount: defaultMount(connection) }),
  rules: [
    { fields: ["name"], check: ({ name }, connection) => roleNameFindings(connection, name, "name") },
    { fields: ["type", "policies"], check: (inputs, connection) => rolePolicyFindings(connection, inputs, "policies") },
  ],
  compare: { policies: set, mount: mountPath, adopt: ignored },
  replaces: ["name", "mount"],
  objects: { fields: ["mount", "name"], paths: (fields) => [rolePath(fields as Complete)] },
  secrets: [],
  read: async (connection, previous) => {
    const role = await readRole(connection, previous, previous);
    return role && { name: previous.name, mount: previous.mount, ...role };
  },
  create,
  update: write,
  delete: async (connection, role) => void (await deleteRole(connection, role, `scheduler role "${role.name}"`)),
  explain: explainRefusal,
};

/** Arguments of {@link SchedulerRole}. */
export interface SchedulerRoleArgs extends Args<SchedulerRoleInputs> {}
export interface SchedulerRole extends Outputs<SchedulerRoleState> {}

/**
 * A named role, from which the secrets service generates tokens of the scheduler: `POST`, `GET` and `DELETE <mount>/role/<name>`.
 * Its id is `<mount>/role/<name>`.
 *
 * A role that exists already is never taken over silently: creating it fails with `ERR_ALREADY_EXISTS` unless `adopt` is set.
 *
 * ```ts
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy", "read-logs"] });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`; with `adopt` the `POST` alone. Update: 1 `POST`. Refresh: 1 `GET`. Delete: 1 `DELETE`.
 * @unreadable `global`, in the standard dialect.
 */
export class SchedulerRole extends CustomResource {
  /** Reads a role without managing it; the id is `<mount>/role/<name>`. */
  static readonly get: Getter<SchedulerRole> = getter(() => SchedulerRole);

  constructor(name: string, args: SchedulerRoleArgs, opts?: CustomResourceOptions) {
    super(...registration(schedulerRole, name, args, opts));
  }
}
