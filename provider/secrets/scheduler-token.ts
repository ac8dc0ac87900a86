import { z } from "zod";
import { Claims, CreateRequest, Definition, DeleteRequest, ReadRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { ConnectionArgs, connectionField, str } from "../contract/inputs";
import { Operation } from "../contract/operation";
import { secretOf, WithSecrets } from "../contract/secret";
import { unexpectedResponse } from "../http/failure";
import { apiPath, call, callWithoutClaim, dialectOf, isLeaseGone, keepToken, system } from "./client";
import { MountArgs, mountField } from "./mount";
import { roleNameFindings } from "./scheduler-role";

/** Inputs of {@link SchedulerToken}. */
export interface SchedulerTokenInputs extends ConnectionArgs, MountArgs {
  /**
   * The role from which Vault generates the token.
   * @example "deploy"
   */
  role: string;
  /**
   * Arbitrary strings. Changing any of them generates a new token and revokes the old one, so include the month to rotate the token
   * monthly.
   * @example { month: "2026-01" }
   * @default {}
   */
  keepers?: Record<string, string>;
}

/** Outputs of {@link SchedulerToken}. */
export interface SchedulerTokenState {
  /** The accessor ID, which identifies the token in Nomad's API and is not a secret. */
  accessorId: string;
  /** The token, which is a secret. */
  secretId: string;
  /** The ID of the token's lease, or undefined if the server returns none. */
  leaseId: string | undefined;
  /** The initial duration of the lease in seconds, or undefined without a lease. */
  leaseDuration: number | undefined;
  /**
   * The expiration time of the token in RFC 3339 format, such as `2026-01-31T12:00:00.000Z`, or undefined without a lease. It is the time
   * at which the lease or the token that requested it expires, whichever comes first. A refresh corrects a time that differs from Vault's
   * clock.
   */
  expiresAt: string | undefined;
}

interface StoredState extends WithSecrets<SchedulerTokenState, "secretId"> {
  /** The remaining TTL of the token that requested this one, in seconds, if it was shorter than the lease. */
  requesterTtl?: number;
}

/** The parts of the responses that the provider reads. */
const responses = {
  generated: z.object({
    data: z.object({ accessor_id: z.string().min(1), secret_id: z.string().min(1) }),
    lease_id: z.string().nullish(),
    lease_duration: z.number().nullish(),
  }),
  lease: z.object({
    data: z.object({
      issue_time: z.string().nullish(),
      expire_time: z.string(),
      last_renewal: z.string().nullish(),
      ttl: z.number().nullish(),
    }),
  }),
  self: z.object({ data: z.object({ ttl: z.number() }) }),
};

const leases = (action: "lookup" | "revoke" | "revoke-force"): string => apiPath("sys", "leases", action);

/** The earliest valid time in RFC 3339 format, or undefined without one. */
function earliest(...times: number[]): string | undefined {
  const time = Math.min(...times.filter((each) => !Number.isNaN(new Date(each).getTime())));
  return time === Number.POSITIVE_INFINITY ? undefined : new Date(time).toISOString();
}

/** Retried only after a 429, since each response contains a new token. */
async function create({ operation, inputs }: CreateRequest<SchedulerTokenInputs, unknown>): Promise<StoredState> {
  const { role, mount } = inputs;
  const path = apiPath(mount as string, "creds", role);
  // Read before the token is generated, which a failure would lose.
  const connectionTtl = dialectOf(operation).tokensHaveLeases ? await connectionTokenTtl(operation) : undefined;
  await operation.run.engine.assertAlive();
  const requestedAt = Date.now();
  const response = await generate(operation, path).catch((error) => {
    throw explainFailure(operation, error);
  });
  keepToken(operation);
  const { accessor_id: accessorId, secret_id: secretId } = response.data;
  const leaseId = response.lease_id || undefined;
  const leaseDuration = (leaseId && response.lease_duration) || undefined;
  const requesterTtl = connectionTtl && leaseDuration && connectionTtl < leaseDuration ? connectionTtl : undefined;
  if (requesterTtl)
    operation.run.log.warn(
      `${operation.resource}: its lease of ${leaseDuration} s expires with the token that requested it, in ${requesterTtl} s unless that token is renewed`,
    );
  // A lease without a duration can still be looked up and revoked.
  const expiresAt = earliest(requestedAt + (requesterTtl ?? leaseDuration ?? Number.NaN) * 1000);
  return { accessorId, secretId: secretOf(secretId), leaseId, leaseDuration, requesterTtl, expiresAt };
}

async function generate(operation: Operation, path: string): Promise<z.infer<typeof responses.generated>> {
  const { success, data } = responses.generated.safeParse(await call(operation, { method: "GET", path, retry: "only429" }));
  if (success) return data;
  throw unexpectedResponse(
    "GET",
    path,
    `the response is not a ${dialectOf(operation).words.engine} token`,
    "Check the address and the mount.",
  );
}

/** The remaining TTL of the connection's token, in seconds. 0 if it never expires, undefined if the lookup fails. */
async function connectionTokenTtl(operation: Operation): Promise<number | undefined> {
  const path = apiPath("auth", "token", "lookup-self");
  const token = await call(operation, { method: "GET", path, retry: "never" }).catch(() => undefined);
  return responses.self.safeParse(token).data?.data.ttl;
}

function explainFailure(operation: Operation, error: unknown): unknown {
  if (!(error instanceof StewardError) || error.details.nothingSent) return error;
  if (error.code === "ERR_NO_RESPONSE" || error.code === "ERR_UNEXPECTED_RESPONSE")
    return error.with({
      rule: "token-perhaps-generated",
      hint: `${error.code === "ERR_UNEXPECTED_RESPONSE" ? `${error.details.hint} ` : ""}A token may have been generated and lost${dialectOf(operation).tokensHaveLeases ? ", which expires with its lease" : ""}. The next \`pulumi up\` generates a new one.`,
    });
  if (error.code === "ERR_REJECTED" || error.code === "ERR_NOT_FOUND")
    return error.with({
      rule: "role-missing",
      hint: "Check the mount. Declare the role first, and pass its name as an output: `role: role.name`.",
    });
  if (error.code === "ERR_SERVER")
    return error.with({
      hint: `Check the secrets engine's connection to ${dialectOf(operation).words.scheduler} (SchedulerAccess), and make the token depend on it (\`dependsOn\`).`,
    });
  return error;
}

/** A smaller difference between the clocks of the create and of the server changes nothing, in milliseconds. */
const clockTolerance = 60_000;

/** Looks up the lease, if there is one. The token cannot be read again. */
async function read({ operation, state: previous }: ReadRequest<StoredState>): Promise<StoredState | undefined> {
  const { leaseId, requesterTtl = Number.NaN } = previous;
  if (!leaseId) return previous;
  const path = leases("lookup");
  try {
    const { data: lease } = responses.lease.safeParse(
      await callWithoutClaim(operation, { method: "PUT", path, body: { lease_id: leaseId }, retry: "idempotent" }),
    );
    // An expired lease remains until Nomad has revoked the token.
    if ((lease?.data.ttl ?? 0) < 0) return undefined;
    if (!lease) return previous;
    const { issue_time: issued, expire_time: expires, last_renewal: renewed } = lease.data;
    const expiresAt = earliest(Date.parse(expires), Date.parse(issued ?? "") + requesterTtl * 1000) ?? previous.expiresAt;
    const isClose = Math.abs(Date.parse(expiresAt ?? "") - Date.parse(previous.expiresAt ?? "")) < clockTolerance;
    return isClose && !renewed ? previous : { ...previous, expiresAt };
  } catch (error) {
    if (isLeaseGone(error)) return undefined;
    throw error;
  }
}

const revokePath = leases("revoke");

async function revoke({ operation, state: { accessorId, leaseId } }: DeleteRequest<StoredState>, claims: Claims): Promise<unknown> {
  const { service, scheduler, engine } = dialectOf(operation).words;
  if (!leaseId)
    return operation.run.log.warn(
      `${engine} token ${accessorId}: ${service} returned no lease, so Pulumi cannot revoke it, and it stays valid until it expires`,
    );
  // `sync` waits for Nomad. Otherwise success would only mean that the server will try.
  const body = { lease_id: leaseId, sync: true };
  return claims.each(`${revokePath}/${leaseId}`, (claim) =>
    call(claim.operation, { method: "PUT", path: revokePath, body, retry: "idempotent" }).catch((error) => {
      if (isLeaseGone(error)) return;
      if (!(error instanceof StewardError) || error.code !== "ERR_REJECTED") throw error;
      const byForce = `PUT ${leases("revoke-force")}/${leaseId}`;
      // The token was deleted in Nomad: the server would retry forever.
      if (error.details.reason.includes(`nonexistent tokens: ${accessorId}`))
        return operation.run.log.warn(
          `${engine} token ${accessorId}: it no longer exists in ${scheduler}, so its lease must be force-revoked (${byForce})`,
        );
      throw error.with({
        hint: `The secrets engine must reach ${scheduler}: correct its access configuration, and try again. If that is impossible, delete the token ${accessorId} in ${scheduler}, force-revoke its lease (${byForce}), and try again.`,
      });
    }),
  );
}

/**
 * A Nomad token that Vault generates from a role.
 *
 * **A lease expires with the token that requested it**, so a Nomad token that a pipeline generates with a short-lived login expires with
 * that login. Run the program with a Vault token that lives longer than the lease: the provider warns if it does not, and nothing renews
 * the lease.
 *
 * The provider generates the token once, on create, and never in a preview or a refresh. It retries the request only after a 429, because
 * each response contains a new token. Changing `role`, `mount` or `keepers` generates a new token, then revokes the old one. When the lease
 * has expired, `pulumi refresh` detects it, and the next `pulumi up` generates a new token. The state contains the token, encrypted.
 *
 * @example A token of an existing role
 * ```ts
 * new secrets.SchedulerToken("deploy", { role: "deploy" });
 * ```
 * @example A token that is replaced each month
 * ```ts
 * const role = new secrets.SchedulerRole("deploy", { name: "deploy", policies: ["deploy"] }, { dependsOn: access });
 * const month = new Date().toISOString().slice(0, 7);
 * const token = new secrets.SchedulerToken("deploy", { role: role.name, keepers: { month } });
 * export const nomadToken = token.secretId;
 * ```
 * @see [Vault: Nomad secrets engine](https://developer.hashicorp.com/vault/api-docs/secret/nomad) and
 * [leases](https://developer.hashicorp.com/vault/api-docs/system/leases)
 * @unreadable The token.
 * @permissions Vault's policy `default` also permits `auth/token/lookup-self`. Without it, the provider cannot warn that the lease expires
 * with the token of the connection, and `expiresAt` may be too late.
 */
export const schedulerToken: Definition<SchedulerTokenInputs, WithSecrets<SchedulerTokenState, "secretId">, StoredState> = {
  system,
  token: "secrets:SchedulerToken",
  displayName: "<engine> token",
  name: "<role>",
  // Unique for each token: the old one is revoked after the new one exists.
  id: "<accessorId>",
  fields: {
    role: { input: z.string("must be the name of the role"), required: true, replaces: true },
    // The default makes missing and removed keepers equal.
    keepers: { input: z.record(z.string(), str, "must be an object of strings by name"), default: () => ({}), replaces: true },
    accessorId: { output: true },
    secretId: { output: true, secret: true },
    leaseId: { output: true },
    leaseDuration: { output: true },
    expiresAt: { output: true },
    requesterTtl: { stored: true },
    mount: { ...mountField, output: undefined },
    connection: connectionField,
  },
  rules: [{ fields: ["role"], check: ({ role }, operation) => roleNameFindings(operation, role, "role") }],
  objects: { fields: [], paths: () => [], remove: revoke },
  deleteBeforeReplace: false,
  read,
  create,
  update: async ({ state }) => state,
  discover: "a token is returned only when it is generated. Declare a new one",
};
