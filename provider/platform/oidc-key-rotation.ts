import { isDeepStrictEqual } from "node:util";
import { isPast, seconds } from "../contract/comparison";
import { Definition, OutcomeUnknown, PlanNote, WriteRequest } from "../contract/definition";
import { StewardError } from "../contract/errors";
import { bool, connectionField, strList } from "../contract/inputs";
import { Operation, Writer } from "../contract/operation";
import { ActionInputs, ActionState, perform } from "./action";
import { adminPath, callAsAdministrator, dialectOf, generalPath, ResourceObject, resourceOf, system } from "./client";
import { trimKey } from "./oidc-key-trim";
import { readAll } from "./pages";

/** Inputs of {@link OidcKeyRotation}. */
export interface OidcKeyRotationInputs extends ActionInputs {
  /**
   * True if a later `pulumi up` trims the old keys, once the tokens that they signed have expired. The time is in `trimAt`. Each `pulumi up`
   * before it prints the time and sends nothing.
   * @change updates; true sets the time, and false drops it
   * @default false
   */
  trimLater?: boolean;
}

/** Outputs of {@link OidcKeyRotation}. */
export interface OidcKeyRotationState extends ActionState {
  /**
   * The time from which `pulumi up` trims the old keys, in RFC 3339 format. It is the rotation plus the longest `plan-timeout` or `apply-timeout`
   * of the general settings and of all organizations. A missing or invalid one counts as 24 hours. The wait is 30 days at most. Undefined if no
   * trim is scheduled.
   */
  trimAt: string | undefined;
}

const rotateKey = { path: (): string[] => ["oidc-settings", "actions", "rotate-key"] };

const hour = 3_600_000;
/** The default of the apply timeout, which is the longer one. */
const defaultTimeout = 24 * hour;
/** Terraform Enterprise itself trims the keys this long after its own rotation. */
const longestWait = 30 * 24 * hour;

/** The longest time for which a run in progress can use its token, in milliseconds. */
async function tokenLifetime(operation: Operation): Promise<number> {
  const { runTimeouts } = dialectOf(operation);
  if (runTimeouts.length === 0) return defaultTimeout;
  const request = { method: "GET", path: generalPath, retry: "idempotent" } as const;
  const general = resourceOf(await callAsAdministrator(operation, request), request);
  const organizations = await readAll(operation, adminPath("organizations"), callAsAdministrator);
  const timeoutsOf = ({ attributes }: ResourceObject): unknown[] => runTimeouts.map((name) => attributes[name]);
  // An organization whose timeout is null has that of the general settings.
  const timeouts = [...timeoutsOf(general), ...organizations.flatMap(timeoutsOf).filter((timeout) => timeout !== null)];
  const lifetimes = timeouts.map((timeout) => (seconds(timeout) ?? 0) * 1000 || defaultTimeout);
  return Math.min(Math.max(...lifetimes), longestWait);
}

const later = (time: string): string =>
  `not trimmed yet: \`pulumi up\` after ${time} trims the old keys, whose tokens have expired by then`;

function schedule(operation: Operation, performedAt: string, lifetime: number): OidcKeyRotationState {
  // The state may be damaged. A later time is safe.
  const rotatedAt = Date.parse(performedAt) || Date.now();
  const trimAt = new Date(rotatedAt + lifetime).toISOString();
  operation.run.log.info(`${operation.resource}: ${later(trimAt)}`);
  return { performedAt, trimAt };
}

async function rotate({ operation, inputs }: WriteRequest<OidcKeyRotationInputs>): Promise<OidcKeyRotationState> {
  // Read first: nothing may fail between the rotation and its record in the state.
  const lifetime = inputs.trimLater ? await tokenLifetime(operation) : undefined;
  const { performedAt } = await perform(rotateKey, { operation, inputs });
  return lifetime === undefined ? { performedAt, trimAt: undefined } : schedule(operation, performedAt, lifetime);
}

async function trim(operation: Writer): Promise<void> {
  try {
    await perform(trimKey, { operation, inputs: {} });
  } catch (error) {
    // A trim may run twice. Only a rotation whose outcome is unknown has to be repeated.
    throw error instanceof StewardError ? error.with({ outcomeUnknown: false }) : error;
  }
}

type Last = OidcKeyRotationInputs & OidcKeyRotationState & OutcomeUnknown;

const rotates = ({ triggers }: OidcKeyRotationInputs, last: Last): boolean =>
  Boolean(last.outcomeUnknown) || !isDeepStrictEqual(triggers, last.triggers);

/** True if an update trims. Not after a rotation with an unknown outcome: the key before it may be too young. */
const trims = ({ trimLater }: OidcKeyRotationInputs, { trimAt, outcomeUnknown }: Last): boolean =>
  trimLater === true && isPast(trimAt) && !outcomeUnknown;

async function update(operation: Writer, inputs: OidcKeyRotationInputs, last: Last): Promise<OidcKeyRotationState> {
  const isTrimmed = trims(inputs, last);
  if (isTrimmed) await trim(operation);
  if (rotates(inputs, last)) return rotate({ operation, inputs });
  const { performedAt, trimAt } = last;
  if (!inputs.trimLater || isTrimmed) return { performedAt, trimAt: undefined };
  return last.trimLater ? { performedAt, trimAt } : schedule(operation, performedAt, await tokenLifetime(operation));
}

function planNotes(inputs: OidcKeyRotationInputs, last: Last): PlanNote[] {
  const note = (text: string): PlanNote[] => [{ path: "", reason: text, isInformation: true }];
  if (trims(inputs, last)) return note("trims the old keys, whose tokens have expired");
  return inputs.trimLater && last.trimAt && !rotates(inputs, last) ? note(later(last.trimAt)) : [];
}

/**
 * Rotates the key that signs the workload identity tokens of runs.
 *
 * Clouds accept tokens of the old keys until these are trimmed. The token of a run expires at the end of the timeout of its plan or apply. By
 * default, this is 2 hours for a plan and 24 hours for an apply, and HashiCorp supports no more than 24 hours. The general settings and each
 * organization can set other timeouts.
 *
 * After a leak, trim at once with {@link OidcKeyTrim}, because the leaked key can sign tokens until then. Runs in progress may lose their access.
 * [More steps follow a leak](../../guides/settings.md#rotate-the-oidc-signing-key).
 *
 * HashiCorp recommends a rotation only if you suspect a leak, because Terraform Enterprise rotates the key automatically every 90 days. If a
 * policy requires more, set `trimLater`, so that `pulumi up` only rotates the key. The first `pulumi up` after `trimAt` trims the old keys, and
 * its preview shows an update. If `triggers` have changed as well, it trims first and then rotates. A refresh does not report the trim as drift.
 * Nothing happens between two runs of `pulumi up`, so rotate on a schedule with a scheduled pipeline.
 *
 * A timeout that an administrator extends after the rotation does not change `trimAt`. The time is that of the machine that runs Pulumi. A trim
 * removes all keys except the newest: if another client rotates shortly before it, runs in progress fail.
 *
 * A rotation restarts the 90 days, and does not change when Terraform Enterprise trims old keys automatically. That trim may come before
 * `trimAt`, and runs in progress then lose their access.
 *
 * Before release v202407-1, do not rotate routinely: after nine rotations in total, automatic ones included, runs with dynamic credentials
 * [fail](https://support.hashicorp.com/hc/en-us/articles/31715716966419).
 *
 * Pulumi rotates the key on create and on each change of `triggers`, never in a preview. The request is retried only after a 429. Destroying
 * the resource sends nothing, and drops a scheduled trim.
 *
 * @example Rotate each month, and trim later
 * ```ts
 * new platform.OidcKeyRotation("monthly", { triggers: [new Date().toISOString().slice(0, 7)], trimLater: true });
 * ```
 * @example Respond to a leak
 * ```ts
 * const rotation = new platform.OidcKeyRotation("leak", { triggers: ["incident 42"] });
 * new platform.OidcKeyTrim("leak", { triggers: [rotation.performedAt] });
 * ```
 * @see [Terraform Enterprise: settings](https://developer.hashicorp.com/terraform/enterprise/api-docs/admin/settings)
 * @requests With `trimLater`, each rotation first reads the timeouts with `GET /api/v2/admin/general-settings` and one
 * `GET /api/v2/admin/organizations` for each 100 organizations. If these fail, nothing is rotated. An update after `trimAt` sends
 * `POST /api/v2/admin/oidc-settings/actions/trim-key`.
 * @unreadable Everything: the admin API does not report the action, so the resource never shows drift. The public keys are at `/.well-known/jwks`.
 */
export const oidcKeyRotation: Definition<OidcKeyRotationInputs, OidcKeyRotationState> = {
  system,
  token: "platform:OidcKeyRotation",
  displayName: "OIDC key rotation",
  id: "oidc-key-rotation",
  objects: undefined,
  fields: {
    triggers: { input: strList },
    trimLater: { input: bool },
    performedAt: { output: true },
    trimAt: { output: true },
    connection: connectionField,
  },
  work: ({ trimAt }) => (trimAt ? new Date(trimAt) : "none"),
  planNotes: ({ inputs, last }) => (last ? planNotes(inputs, last) : []),
  read: async ({ state }) => state,
  create: rotate,
  update: ({ operation, inputs, last }) => update(operation, inputs, last),
};
