import { Duration, duration, seconds } from "../contract/comparison";
import { Definition, UpdateRequest } from "../contract/definition";
import { differencesOf } from "../contract/fields";
import { Adopt, ConnectionArgs, durationInput } from "../contract/inputs";
import { apiObject } from "./api-object";
import { system } from "./client";
import { MountArgs, mountedFields } from "./mount";

/** Inputs of {@link SchedulerLease}. At least one of `ttl` and `maxTtl` is required. */
export interface SchedulerLeaseInputs extends ConnectionArgs, MountArgs {
  /**
   * The TTL of generated tokens, after which a token expires unless it is renewed. 0 selects Vault's default.
   * @example "30m"
   */
  ttl?: Duration;
  /**
   * The maximum TTL of generated tokens, including renewals. 0 selects Vault's default.
   * @example "8h"
   */
  maxTtl?: Duration;
  /**
   * Adopts an existing lease configuration. `true` prints the changes as old -> new and overwrites it. `"unchanged"` fails with
   * `ERR_ALREADY_EXISTS` and lists the differences if a value differs, and `false` always fails with that code.
   * @default false
   */
  adopt?: Adopt;
}

/** Outputs of {@link SchedulerLease}. */
export interface SchedulerLeaseState {
  /** The TTL of generated tokens, in seconds. */
  ttl: number;
  /** The maximum TTL of generated tokens, in seconds. */
  maxTtl: number;
  /** The mount path of the Nomad secrets engine. */
  mount: string;
}

type Times = Omit<SchedulerLeaseState, "mount">;

/** An undeclared time keeps its value. */
const timesOf = (inputs: SchedulerLeaseInputs, current: Times | undefined): Times => ({
  ttl: seconds(inputs.ttl) ?? current?.ttl ?? 0,
  maxTtl: seconds(inputs.maxTtl) ?? current?.maxTtl ?? 0,
});

const lease = apiObject<SchedulerLeaseInputs, SchedulerLeaseState>({
  path: "<mount>/config/lease",
  // Both times, since the server sets an omitted one to 0. The API specification has strings.
  toWire: ({ ttl, maxTtl }) => ({ ttl: `${ttl}s`, max_ttl: `${maxTtl}s` }),
  fromWire(data) {
    const [ttl, maxTtl] = [seconds(data.ttl), seconds(data.max_ttl)];
    // An adoption would overwrite an undeclared time with 0.
    return ttl === undefined || maxTtl === undefined ? undefined : { ttl, maxTtl };
  },
  shows: (state, { ttl, maxTtl }) => state.ttl === seconds(ttl) && state.maxTtl === seconds(maxTtl),
  isBlank: (state, fields) => !state.ttl && !state.maxTtl && Boolean(seconds(fields.ttl) || seconds(fields.maxTtl)),
  exists: () => ({
    reason: "the secrets engine already has a lease configuration",
    remedy: "set adopt: true to overwrite it. Deleting the resource then restores the defaults.",
  }),
});

async function update(request: UpdateRequest<SchedulerLeaseInputs, SchedulerLeaseState>): Promise<SchedulerLeaseState> {
  const { operation, inputs, last, declared } = request;
  const times: Partial<Times> = request.state;
  const { ttl = times.ttl, maxTtl = times.maxTtl } = inputs;
  // A time is unknown after a create without a response, and after it was removed from the program.
  const isKnown = ttl !== undefined && maxTtl !== undefined;
  // After a create without a response, the server may have no lease configuration.
  const mayBeMissing = last.ttl === undefined || last.maxTtl === undefined;
  const current = isKnown ? (times as Times) : await lease.read(operation, inputs, { mayBeMissing });
  const after = timesOf(inputs, current);
  const joining = ["ttl", "maxTtl"].filter((field) => !declared.includes(field));
  if (current) request.adopt({ differences: differencesOf(schedulerLease.fields, joining, current, after) });
  return lease.write(operation, { ...inputs, ...after });
}

/**
 * The TTL and the maximum TTL of generated Nomad tokens.
 *
 * Each engine has one lease configuration. If it already exists, creating the resource fails with `ERR_ALREADY_EXISTS` unless you set
 * `adopt`. Deleting the resource restores Vault's defaults, not the previous values. If you declare only one value, the provider leaves the
 * other as the last refresh read it and does not compare it. A value that you remove from the program stays on the server, and the state
 * keeps it encrypted, so the output is empty until Vault returns a different value.
 *
 * @example A TTL
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m" });
 * ```
 * @example Both values, which overwrite an existing configuration
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m", maxTtl: "8h", adopt: true }, { dependsOn: access });
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests If you removed a value from the program, the update first sends the `GET` to keep that value.
 * @unreadable Nothing, because Vault returns both values.
 */
export const schedulerLease: Definition<SchedulerLeaseInputs, SchedulerLeaseState> = {
  system,
  token: "secrets:SchedulerLease",
  displayName: "<engine> lease configuration",
  name: "<mount>",
  id: "<mount>/config/lease",
  readById: true,
  fields: {
    ttl: { input: durationInput, output: true, compare: duration },
    maxTtl: { input: durationInput, output: true, compare: duration },
    ...mountedFields,
  },
  rules: [
    {
      fields: ["ttl", "maxTtl"],
      check: ({ ttl, maxTtl }) => {
        if (ttl === undefined && maxTtl === undefined)
          return [{ path: "", rule: "empty", reason: "at least one of ttl and maxTtl is required" }];
        const [lease, longest] = [seconds(ttl), seconds(maxTtl)];
        return lease && longest && lease > longest
          ? [{ path: "ttl", rule: "longer-than-max", reason: "is longer than maxTtl, which limits it", warning: true }]
          : [];
      },
    },
  ],
  deleteBeforeReplace: true,
  ...lease.operations,
  create: ({ operation, inputs, existing }) => lease.write(operation, { ...inputs, ...timesOf(inputs, existing?.state) }),
  update,
};
