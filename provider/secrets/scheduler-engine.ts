import { z } from "zod";
import { Duration, duration, seconds } from "../contract/comparison";
import { Claim, Definition, ExistingObject, FindRequest, PlanNote, UpdateRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { differencesOf } from "../contract/fields";
import { Adopt, bool, ConnectionArgs, durationInput, str } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { Json } from "../text/json";
import { apiPath, call, dialectOf, invalidResponse, readData, remove, replaceHint, system } from "./client";
import { MountArgs, mountedFields } from "./mount";
import { normalizeMount } from "./mount-path";
import { atEachMount } from "./scheduler-mounts";

/** Inputs of {@link SchedulerEngine}. */
export interface SchedulerEngineInputs extends ConnectionArgs, MountArgs {
  /**
   * The description in the list of mounts.
   * @example "Nomad of the platform team"
   */
  description?: string;
  /**
   * The TTL of generated tokens if the engine has no `SchedulerLease`. 0 selects Vault's default.
   * @example "1h"
   */
  defaultLeaseTtl?: Duration;
  /**
   * The maximum TTL of generated tokens, which limits that of a `SchedulerLease`. 0 selects Vault's maximum.
   * @example "8h"
   */
  maxLeaseTtl?: Duration;
  /**
   * Adopts an existing engine. `true` prints the changes as old -> new and overwrites the declared attributes. `"unchanged"` fails with
   * `ERR_ALREADY_EXISTS` and lists the differences if a value differs, and `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
  /**
   * True if destroying this resource disables the engine, which revokes every token of this mount and deletes its roles and configuration.
   * Otherwise the engine stays, and a warning says so. Setting it to true prints a warning in the preview and in `pulumi up`. If you rename
   * the resource, use an alias: with `--target` or `--exclude`, Pulumi may delete the old resource without checking the new one.
   * @change updates only the state
   * @default false
   */
  destroyOnDelete?: boolean;
}

/** Outputs of {@link SchedulerEngine}. */
export interface SchedulerEngineState {
  /** The mount path, for the `mount` of the engine's other resources. */
  mount: string;
  /** The description, or an empty string. */
  description: string;
  /** The TTL of generated tokens, in seconds. 0: Vault's default. */
  defaultLeaseTtl: number;
  /** The maximum TTL of generated tokens, in seconds. 0: Vault's maximum. */
  maxLeaseTtl: number;
}

type StoredState = SchedulerEngineState & Pick<SchedulerEngineInputs, "destroyOnDelete">;

const path = (mount = ""): string => apiPath(`sys/mounts/${normalizeMount(mount)}`);

const responses = z.object({
  type: z.string(),
  description: z.string(),
  config: z.object({ default_lease_ttl: z.number(), max_lease_ttl: z.number() }),
});

/** Throws if another kind of engine has the path. */
async function read(operation: Operation, { mount = "" }: MountArgs): Promise<SchedulerEngineState | undefined> {
  const found = await readData(operation, path(mount)).catch((error) => {
    // The server's response for a path without a mount is no 404.
    if (!(error instanceof StewardError && error.status === 400 && /^No secret engine mount at /.test(error.details.reason))) throw error;
  });
  if (!found) return undefined;
  const { success, data } = responses.safeParse(found);
  if (!success) throw invalidResponse(operation, path(mount));
  const { type, description, config } = data;
  if (type === dialectOf(operation).mountType)
    return { mount, description, defaultLeaseTtl: config.default_lease_ttl, maxLeaseTtl: config.max_lease_ttl };
  throw new StewardError({
    code: "ERR_REJECTED",
    rule: "other-engine",
    reason: `the mount "${mount}" is a secrets engine of the type "${type}"`,
    hint: "Nothing was changed. Choose another `mount`.",
  });
}

async function find({ operation, inputs }: FindRequest<SchedulerEngineInputs>): Promise<ExistingObject<StoredState> | undefined> {
  const state = await read(operation, inputs);
  const remedy = `set adopt: true to manage it, with its roles and tokens as they are. ${replaceHint}`;
  return state && { refusal: { reason: "it already exists", remedy }, state };
}

const attributes = ["description", "defaultLeaseTtl", "maxLeaseTtl"] as const;
const wireTime = (time: Duration | undefined): string | undefined => (time === undefined ? undefined : `${seconds(time)}s`);

/** Enables the engine, or writes the declared attributes of the `current` one, whose others stay. */
async function write(operation: Writer, inputs: SchedulerEngineInputs, current?: SchedulerEngineState): Promise<SchedulerEngineState> {
  const { mount = "", description, defaultLeaseTtl, maxLeaseTtl } = inputs;
  const post = (at: string, body: Json): Promise<unknown> => call(operation, { method: "POST", path: at, body, retry: "idempotent" });
  const config = { default_lease_ttl: wireTime(defaultLeaseTtl), max_lease_ttl: wireTime(maxLeaseTtl) };
  const declared = attributes.filter((field) => inputs[field] !== undefined);
  if (!current) await post(path(mount), { type: dialectOf(operation).mountType, description, config });
  else if (differencesOf(schedulerEngine.fields, declared, current, inputs).length > 0)
    await post(`${path(mount)}/tune`, { description, ...config });
  return {
    mount,
    description: description ?? current?.description ?? "",
    defaultLeaseTtl: seconds(defaultLeaseTtl) ?? current?.defaultLeaseTtl ?? 0,
    maxLeaseTtl: seconds(maxLeaseTtl) ?? current?.maxLeaseTtl ?? 0,
  };
}

type Update = UpdateRequest<SchedulerEngineInputs, StoredState>;

async function update({ operation, inputs, last, declared, adopt }: Update): Promise<SchedulerEngineState> {
  const current = last.outcomeUnknown ? await read(operation, inputs) : last;
  const joining = attributes.filter((field) => !declared.includes(field));
  if (current) adopt({ differences: differencesOf(schedulerEngine.fields, joining, current, { ...current, ...inputs }) });
  return write(operation, inputs, current);
}

/** Reads the mount first, since another kind of engine may have its path now. */
async function disable({ mount }: StoredState, claim: Claim): Promise<void> {
  if (!(await read(claim.operation, { mount }))) return;
  const { service, scheduler } = dialectOf(claim.operation).words;
  const hint = `The mount no longer responds. Try again when ${service} reaches ${scheduler}. If the access configuration is gone, first run \`vault lease revoke -force -prefix ${mount}/\`, after which its tokens stay valid in ${scheduler}.`;
  await remove(claim).catch((error) => {
    throw error instanceof StewardError && error.details.reason.startsWith("failed to revoke") ? error.with({ hint }) : error;
  });
}

const destroys: PlanNote = {
  path: "destroyOnDelete",
  reason: "destroying this resource will revoke every token of this mount at once, and delete its roles and configuration",
};

/**
 * The Nomad secrets engine itself, enabled at its mount.
 *
 * The access configuration, the lease and the roles depend on the engine if they take its output `mount`. If an engine already exists at
 * the path, creating the resource fails with `ERR_ALREADY_EXISTS` unless you set `adopt`. If it is another kind of engine, every operation
 * fails with `ERR_REJECTED` and names its type. If you declare only some attributes, the provider does not compare the others. An attribute
 * that you remove from the program keeps its value on the server.
 *
 * **Disabling an engine revokes every token of its mount**, which logs out each job and person that uses one. So destroying the resource
 * does that only with `destroyOnDelete`, and otherwise leaves the engine as it is. To revoke the tokens, Vault needs the access configuration.
 * Declare that one with `deletedWith: engine`, as in the last example, or Pulumi deletes it first, and Vault then cannot disable the engine
 * while a token has a lease. Without `destroyOnDelete`, do not set `deletedWith`, which would leave the management token in Vault.
 *
 * OpenBao needs [the plugin of this engine](../../reference/compatibility.md#openbao) in its catalog.
 *
 * @example An engine whose tokens live for eight hours at most
 * ```ts
 * new secrets.SchedulerEngine("engine", { description: "Nomad", maxLeaseTtl: "8h" });
 * ```
 * @example The engine, its connection to Nomad, and a role
 * ```ts
 * const engine = new secrets.SchedulerEngine("engine", { description: "Nomad" });
 * const access = new secrets.SchedulerAccess("access", {
 *   address: "https://nomad.example.com:4646",
 *   token: { env: "NOMAD_MANAGEMENT_TOKEN" },
 *   mount: engine.mount,
 * });
 * new secrets.SchedulerRole("web", { name: "web", policies: ["deploy"], mount: engine.mount }, { dependsOn: access });
 * ```
 * @example An engine that is disabled when it is destroyed
 * ```ts
 * const engine = new secrets.SchedulerEngine("trial", { mount: "team/trial", destroyOnDelete: true });
 * new secrets.SchedulerAccess(
 *   "access",
 *   { address: "https://nomad.example.com:4646", token: { env: "NOMAD_MANAGEMENT_TOKEN" }, mount: engine.mount },
 *   { deletedWith: engine },
 * );
 * ```
 * @see [Vault: secrets engines](https://developer.hashicorp.com/vault/api-docs/system/mounts)
 * @requests An update sends nothing if it only changes `destroyOnDelete`. A delete sends requests only with `destroyOnDelete`.
 * @unreadable Nothing, because Vault returns all attributes.
 */
export const schedulerEngine: Definition<SchedulerEngineInputs, SchedulerEngineState, StoredState> = {
  system,
  dialects: ["hashicorp", "openbao"],
  token: "secrets:SchedulerEngine",
  displayName: "<engine> secrets engine",
  name: "<mount>",
  id: "<mount>",
  readById: true,
  fields: {
    description: { input: str, output: true },
    defaultLeaseTtl: { input: durationInput, output: true, compare: duration },
    maxLeaseTtl: { input: durationInput, output: true, compare: duration },
    destroyOnDelete: { input: bool, stored: true },
    ...mountedFields,
  },
  rules: [
    {
      fields: ["defaultLeaseTtl", "maxLeaseTtl"],
      check: ({ defaultLeaseTtl, maxLeaseTtl }) => {
        const [usual, longest] = [seconds(defaultLeaseTtl), seconds(maxLeaseTtl)];
        return usual && longest && usual > longest
          ? [{ path: "defaultLeaseTtl", rule: "longer-than-max", reason: "must not be longer than maxLeaseTtl" }]
          : [];
      },
    },
  ],
  objects: {
    fields: ["mount"],
    paths: ({ mount }) => [path(mount)],
    isIrreversible: true,
    async remove({ operation, state }, claims) {
      if (state.destroyOnDelete) return claims.each(path(state.mount), (claim) => disable(state, claim));
      operation.run.log.warn(`${operation.resource}: not disabled, because destroyOnDelete is not set. The engine stays, with its tokens.`);
    },
  },
  // The engine is disabled only after the provider knows that no other resource declares it.
  deleteBeforeReplace: false,
  planNotes: ({ inputs, last }) => (inputs.destroyOnDelete && !last?.destroyOnDelete ? [destroys] : []),
  read: ({ operation, state }) => read(operation, state),
  find,
  create: ({ operation, inputs, existing }) => write(operation, inputs, existing?.state),
  update,
  discover: (request) =>
    atEachMount(request, "the engine", async (mount) => {
      const state = await read(request.operation, { mount });
      return state ? [{ state, isRead: true, suggestedName: `${mount}-engine` }] : [];
    }),
};
