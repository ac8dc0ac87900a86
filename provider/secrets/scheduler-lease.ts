import { z } from "zod";
import { Adopt, adoptField, differencesOf, Found } from "../adoption";
import { Duration, duration, exact, seconds } from "../comparison";
import { Connection } from "../connection";
import { Definition, UpdateRequest } from "../definition";
import { ConnectionArgs, connectionField, rule } from "../inputs";
import { removeObject, renamedHint } from "../ownership";
import { apiPath, call, readData, readExisting, readFirst, remove, replaceHint, system } from "./client";
import { MountArgs, mountField } from "./mount";
import { normalizeMount } from "./mount-path";
import { explainRefusal } from "./refusal";
import { atEachMount } from "./scheduler-mounts";

/** What a program declares of a lease configuration. At least one of `ttl` and `maxTtl`. */
export interface SchedulerLeaseInputs extends ConnectionArgs, MountArgs {
  /** How long a generated token lives before it must be renewed; 0 is the service's own default. Changing this updates. */
  ttl?: Duration;
  /** How long a generated token can be renewed to live in all; 0 is the service's own default. Changing this updates. */
  maxTtl?: Duration;
  /**
   * Take over a lease configuration that exists already; without it that is an error. true prints each value that this changes, old -> new, and
   * overwrites it; "unchanged" fails with `ERR_ALREADY_EXISTS`, and lists the differences, where there are any. Changing this does nothing.
   * @default false
   */
  adopt?: Adopt;
}

/** What the service holds. */
export interface SchedulerLeaseState {
  /** Seconds. */
  ttl: number;
  /** Seconds. */
  maxTtl: number;
  /** The mount of the engine. */
  mount: string;
}

const time = z
  .union([z.string(), z.number()], 'must be a duration such as "30s" or "1h30m", or a number of seconds')
  .refine((value) => seconds(value) !== undefined, rule("duration", 'must be whole seconds, at least 0: "30s", "1h30m", "1d" or a number'));

const path = (mount: string): string => apiPath(normalizeMount(mount), "config", "lease");

async function read(connection: Connection, { mount }: { mount: string }, anyNotFound = false): Promise<SchedulerLeaseState | undefined> {
  const data = await readData(connection, path(mount), { anyNotFound });
  return data && { mount, ttl: seconds(data.ttl) ?? 0, maxTtl: seconds(data.max_ttl) ?? 0 };
}

const declareBoth = "Or declare both ttl and maxTtl: then nothing is read first.";

type Times = Omit<SchedulerLeaseState, "mount">;

/** The one that nobody declares stays what it is. */
const timesOf = (inputs: SchedulerLeaseInputs, current: Times | undefined): Times => ({
  ttl: seconds(inputs.ttl) ?? current?.ttl ?? 0,
  maxTtl: seconds(inputs.maxTtl) ?? current?.maxTtl ?? 0,
});

/** A creation. */
interface Request {
  connection: Connection;
  inputs: SchedulerLeaseInputs;
}

async function find({ connection, inputs }: Request): Promise<Found<SchedulerLeaseState> | undefined> {
  const mount = inputs.mount as string;
  const state = await readExisting(inputs.adopt, (anyNotFound) => read(connection, { mount }, anyNotFound));
  return (
    state && {
      state,
      reason: "the engine has a lease configuration already",
      hint: `${renamedHint} Otherwise set adopt: true to overwrite it; destroying the resource then brings the service's defaults back. ${replaceHint}`,
      differences: differencesOf<Times>(state, timesOf(inputs, state), { ttl: exact.equal, maxTtl: exact.equal }),
    }
  );
}

async function update({
  connection,
  inputs,
  state,
}: UpdateRequest<SchedulerLeaseInputs, SchedulerLeaseState>): Promise<SchedulerLeaseState> {
  const known: Partial<Times> = state;
  const { ttl = known.ttl, maxTtl = known.maxTtl } = inputs;
  // Nothing is known of it after a creation whose reply was lost, and when it has just left the program.
  const isKnown = ttl !== undefined && maxTtl !== undefined;
  const mount = inputs.mount as string;
  return write(connection, inputs, isKnown ? (known as Times) : await readFirst(declareBoth, () => read(connection, { mount })));
}

/** The service sets what a write omits to 0, so both are always sent. The API document has them as strings. */
async function write(connection: Connection, inputs: SchedulerLeaseInputs, current: Times | undefined): Promise<SchedulerLeaseState> {
  const state = { mount: inputs.mount as string, ...timesOf(inputs, current) };
  const body = { ttl: `${state.ttl}s`, max_ttl: `${state.maxTtl}s` };
  await call(connection, { method: "POST", path: path(state.mount), body, retry: "idempotent" });
  return state;
}

/**
 * The TTL and the maximum TTL of generated Nomad tokens: `POST`, `GET` and `DELETE <mount>/config/lease`.
 *
 * An engine has one; its id is `<mount>/config/lease`. One that exists already is never overwritten silently: creating it fails with
 * `ERR_ALREADY_EXISTS` unless `adopt` is set. Deleting it brings the service's defaults back, not what was there before. A value that the program does not declare stays what the last refresh saw
 * and is not compared. One that leaves the program stays on the server too: the state keeps it encrypted, and the output is empty until the service
 * shows another value.
 *
 * ```ts
 * new secrets.SchedulerLease("lease", { ttl: "30m", maxTtl: "4h" });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad)
 * @requests Create: 1 `GET` and 1 `POST`. Update: 1 `POST`, after 1 `GET` where one of
 * them leaves the program. Refresh: 1 `GET`. Delete: 1 `DELETE`. In the standard dialect a 404 costs one read more, at most once in a run: the
 * OpenAPI document, which has to show the path to the token.
 * @unreadable Nothing: both are shown.
 * @internal
 */
export const schedulerLease: Definition<SchedulerLeaseInputs, SchedulerLeaseState> = {
  system,
  token: "secrets:SchedulerLease",
  displayName: "scheduler lease configuration",
  name: "<mount>",
  id: "<mount>/config/lease",
  readById: true,
  fields: {
    ttl: { input: time, output: true, compare: duration, stays: true },
    maxTtl: { input: time, output: true, compare: duration, stays: true },
    mount: mountField,
    adopt: adoptField,
    connection: connectionField,
  },
  rules: [
    {
      fields: ["ttl", "maxTtl"],
      check: ({ ttl, maxTtl }) => {
        if (ttl === undefined && maxTtl === undefined)
          return [{ path: "", rule: "empty", reason: "at least one of ttl and maxTtl is needed" }];
        const [lease, longest] = [seconds(ttl), seconds(maxTtl)];
        return lease && longest && lease > longest
          ? [{ path: "ttl", rule: "longer-than-max", reason: "is longer than maxTtl, which will cut it", warning: true }]
          : [];
      },
    },
  ],
  objects: { fields: ["mount"], paths: ({ mount }) => [path(mount as string)] },
  deleteBeforeReplace: true,
  read: ({ connection, state }) => read(connection, state),
  find,
  create: ({ connection, inputs, found }) => write(connection, inputs, found?.state),
  update,
  delete: ({ connection, state: { mount } }) => removeObject(connection, path(mount), () => remove(connection, path(mount))),
  discover: (request) =>
    atEachMount(request, "config/lease", async (mount) => {
      const state = await read(request.connection, { mount });
      return state ? [{ state, called: `${mount}-lease` }] : [];
    }),
  diagnose: explainRefusal,
};
