import { z } from "zod";
import { Connection } from "../connection";
import { CreateRequest, Definition, DeleteRequest, ReadRequest } from "../definition";
import { StewardError } from "../errors";
import { unexpectedResponse } from "../failure";
import { ConnectionArgs, connectionField, str } from "../inputs";
import { apiPath, call, dialectOf, isLeaseGone, system } from "./client";
import { MountArgs, mountField } from "./mount";
import { explainRefusal } from "./refusal";
import { roleNameFindings } from "./scheduler-role";

/** What a program declares of a generated token. */
export interface SchedulerTokenInputs extends ConnectionArgs, MountArgs {
  /** The role that the token is generated from, which says what it may do. Changing this replaces the token. */
  role: string;
  /**
   * Arbitrary texts; when one changes, a new token is generated and the old one revoked. For a monthly rotation, put the month here. Changing
   * this replaces the token.
   * @default {}
   */
  keepers?: Record<string, string>;
}

/** What the service gave. */
export interface SchedulerTokenState {
  /** The public half: it names the token in the scheduler's own API. */
  accessorId: string;
  /** The token itself, as a secret. */
  secretId: string;
  /** The lease that the token ends with; undefined where the service shows none. */
  leaseId: string | undefined;
  /** Seconds that the lease was given for; undefined where the service does not say. */
  leaseDuration: number | undefined;
  /**
   * When the token ends, as RFC 3339: `2026-01-31T12:00:00.000Z`. That is the end of its lease, or of the token that asked for it, which ends the lease:
   * whichever comes first. Undefined where the service does not say.
   */
  expiresAt: string | undefined;
}

/** What the service answers, as far as it is of that form. */
const answers = {
  generated: z.object({
    data: z.object({ accessor_id: z.string().min(1), secret_id: z.string().min(1) }),
    lease_id: z.string().nullish(),
    lease_duration: z.number().nullish(),
  }),
  lease: z.object({ data: z.object({ expire_time: z.string(), last_renewal: z.string().nullish(), ttl: z.number().nullish() }) }),
  self: z.object({ data: z.object({ ttl: z.number() }) }),
};

const leases = (action: "lookup" | "revoke" | "revoke-force"): string => apiPath("sys", "leases", action);

/** As RFC 3339; undefined for what no calendar has. */
function dated(time: string | number): string | undefined {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Never sent again but after a 429: each answer is another token. */
async function create({ connection, inputs }: CreateRequest<SchedulerTokenInputs, unknown>): Promise<SchedulerTokenState> {
  const { role, mount } = inputs;
  const path = apiPath(mount as string, "creds", role);
  // Asked before there is a token that could be lost.
  const ownLife = dialectOf(connection).tokensHaveLeases ? await lifeOfOwnToken(connection) : undefined;
  await connection.engine.assertAlive();
  const asked = Date.now();
  const answer = await generate(connection, path).catch((error) => {
    throw explainFailure(connection, error);
  });
  const { data, lease_id: leaseId } = answer;
  const leaseDuration = answer.lease_duration || undefined;
  const token = { accessorId: data.accessor_id, secretId: data.secret_id };
  if (!leaseId) return { ...token, leaseId: undefined, leaseDuration: undefined, expiresAt: undefined };
  // Without its duration it can still be looked up and revoked.
  if (!leaseDuration) return { ...token, leaseId, leaseDuration, expiresAt: undefined };
  if (ownLife && ownLife < leaseDuration)
    connection.say(
      `warning: scheduler token "${role}": its lease lasts ${leaseDuration} s, but ends with the token that asked for it, which lives ${ownLife} s more unless it is renewed`,
    );
  const life = Math.min(leaseDuration, ownLife || leaseDuration);
  return { ...token, leaseId, leaseDuration, expiresAt: dated(asked + life * 1000) };
}

async function generate(connection: Connection, path: string): Promise<z.infer<typeof answers.generated>> {
  const { success, data } = answers.generated.safeParse(await call(connection, { method: "GET", path, retry: "only429" }));
  if (success) return data;
  throw unexpectedResponse("GET", path, "the server's answer is not a scheduler token", "Check the address and the mount.");
}

/** Seconds that are left to the token that we are; 0 is for ever, and undefined what it must not ask. */
async function lifeOfOwnToken(connection: Connection): Promise<number | undefined> {
  const path = apiPath("auth", "token", "lookup-self");
  const own = await call(connection, { method: "GET", path, retry: "never" }).catch(() => undefined);
  return answers.self.safeParse(own).data?.data.ttl;
}

function explainFailure(connection: Connection, error: unknown): unknown {
  if (!(error instanceof StewardError) || error.details.nothingSent) return error;
  if (error.code === "ERR_NO_RESPONSE" || error.code === "ERR_UNEXPECTED_RESPONSE")
    return error.with({
      rule: "token-perhaps-generated",
      hint: `${error.code === "ERR_UNEXPECTED_RESPONSE" ? `${error.details.hint} ` : ""}A token that nobody has may have been generated${dialectOf(connection).tokensHaveLeases ? ", which ends with its lease" : ""}; the next \`pulumi up\` generates another one.`,
    });
  if (error.code === "ERR_REJECTED" || error.code === "ERR_NOT_FOUND")
    return error.with({
      rule: "role-missing",
      hint: "Declare the role before, and give the token its name as an output: `role: role.name`.",
    });
  if (error.code === "ERR_SERVER")
    return error.with({
      hint: "Check how the engine reaches the scheduler (SchedulerAccess), and let the token depend on it (`dependsOn`).",
    });
  return error;
}

/** The token itself is never read again; its lease is, where there is one. */
async function read({ connection, state: previous }: ReadRequest<SchedulerTokenState>): Promise<SchedulerTokenState | undefined> {
  const { leaseId } = previous;
  if (!leaseId) return previous;
  const path = leases("lookup");
  try {
    const { data: lease } = answers.lease.safeParse(
      await call(connection, { method: "PUT", path, body: { lease_id: leaseId }, retry: "idempotent" }),
    );
    // It is over, and stays only until the scheduler does what the service asks of it.
    if ((lease?.data.ttl ?? 0) < 0) return undefined;
    // Nobody has renewed it: it ends when it was said to, if it was said.
    if (!lease || (previous.expiresAt && !lease.data.last_renewal)) return previous;
    return { ...previous, expiresAt: dated(lease.data.expire_time) ?? previous.expiresAt };
  } catch (error) {
    if (isLeaseGone(error)) return undefined;
    throw error;
  }
}

async function revoke({ connection, state: { accessorId, leaseId } }: DeleteRequest<SchedulerTokenState>): Promise<void> {
  if (!leaseId)
    return connection.say(
      `warning: scheduler token ${accessorId}: the service shows no lease, so it cannot be revoked here and works until it ends by itself`,
    );
  // Waits for the scheduler: otherwise success would only mean that somebody will try.
  const body = { lease_id: leaseId, sync: true };
  await call(connection, { method: "PUT", path: leases("revoke"), body, retry: "idempotent" }).catch((error) => {
    if (isLeaseGone(error)) return;
    if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
    const byForce = `PUT ${leases("revoke-force")}/${leaseId}`;
    // Somebody has deleted it there: the service would try in vain for ever.
    if (error.details.reason.includes(`nonexistent tokens: ${accessorId}`))
      return connection.say(
        `warning: scheduler token ${accessorId}: the scheduler does not hold it any more; its lease cannot end by itself, but by force: ${byForce}`,
      );
    throw error.with({
      hint: `The engine has to reach the scheduler: put its access configuration right, and do it again. Where it never will, delete the token ${accessorId} in the scheduler, end its lease by force (${byForce}), and do it again.`,
    });
  });
}

/**
 * A Nomad token, generated from a role: `GET <mount>/creds/<role>`, `PUT sys/leases/lookup` and `PUT sys/leases/revoke`.
 *
 * **Where tokens have leases, as in Vault, this one ends with the token that asked for it**: what a pipeline's login generates ends with that login.
 * Let a long-lived token run the program whose tokens are to last; a warning says when its own life is shorter than the lease. Nothing renews the lease.
 *
 * It is generated once, when the resource is created: never in a preview or a refresh, and the request is retried only after a 429. Another one is generated when
 * `role`, `mount` or `keepers` change, and only then is the old one revoked. `pulumi refresh` notices that the lease has ended, and the next `pulumi up`
 * generates another token. Where the service shows no lease (the API documents do not), it can neither notice that nor revoke the token. The token
 * itself is in the state, encrypted.
 *
 * ```ts
 * const role = new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["deploy"] }, { dependsOn: access });
 * const token = new secrets.SchedulerToken("deploy", { role: role.name, keepers: { month: "2026-01" } });
 * ```
 *
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad) and
 * [leases](https://developer.hashicorp.com/vault/api-docs/system/leases)
 * @requests Create: 1 `GET`, after 1 look at the own token where tokens have leases. Refresh: 1 `PUT` that looks the lease up. Delete: 1
 * `PUT` that revokes it. Where the service shows no lease, refresh and delete: none.
 * @unreadable The token; where the service shows no lease, also whether it still works.
 * @internal
 */
export const schedulerToken: Definition<SchedulerTokenInputs, SchedulerTokenState> = {
  system,
  token: "secrets:SchedulerToken",
  displayName: "scheduler token",
  name: "<role>",
  // Its own for each token: the old one is revoked after the new one exists.
  id: "<accessorId>",
  fields: {
    role: { input: z.string("must be the role's name"), required: true, replaces: true },
    // Given in any case: none and no longer any are the same.
    keepers: { input: z.record(z.string(), str, "must be texts by name"), default: () => ({}), replaces: true },
    accessorId: { output: true },
    secretId: { output: true, secret: true },
    leaseId: { output: true },
    leaseDuration: { output: true },
    expiresAt: { output: true },
    mount: { ...mountField, output: undefined },
    connection: connectionField,
  },
  rules: [{ fields: ["role"], check: ({ role }, connection) => roleNameFindings(connection, role, "role") }],
  deleteBeforeReplace: false,
  read,
  create,
  update: async ({ state }) => state,
  delete: revoke,
  discover: "the server shows a token only when it generates one; declare it to have a new one",
  diagnose: explainRefusal,
};
