import { StewardError } from "../contract/errors";
import { containsShortSecret, redact } from "../http/redaction";
import { describe, Resource, secretsIn } from "./context";
import { Properties } from "./properties";

/** A resource that the engine stores although the operation failed. */
export interface PartialResource {
  id: string;
  properties: Properties;
}

/** The error of a failed operation, with the resource to store, if any. */
export class OperationFailed extends Error {
  constructor(
    readonly error: StewardError,
    readonly partial: PartialResource | undefined,
  ) {
    super(error.message);
  }
}

/** The error of an operation, with the verb and the resource. */
export const failure = (resource: Resource, verb: string, fields: Properties, error: StewardError, partial?: PartialResource) =>
  new OperationFailed(error.with({ operation: `Cannot ${verb} ${describe(resource, fields)}` }), partial);

/** Runs an operation on a resource. Its error names the verb and the resource. Throws {@link OperationFailed}. */
export async function attempt<T>(
  resource: Resource,
  verb: string,
  fields: Properties,
  operation: () => Promise<T>,
  explain = (error: StewardError): StewardError => error,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw failure(resource, verb, fields, explain(asStewardError(error, resource, fields)));
  }
}

/** The thrown error. Any other than a StewardError is a bug of this package. */
export const asStewardError = (thrown: unknown, resource: Resource, fields: Properties): StewardError =>
  thrown instanceof StewardError ? thrown : unexpected(thrown, secretsIn(resource, fields));

export function unexpected(error: unknown, secrets: readonly string[]): StewardError {
  // One source line is enough for a bug report.
  const [, place] = /\b(provider[\\/][\w\\/.-]{1,200}:\d+):\d+/.exec((error as Error | undefined)?.stack ?? "") ?? [];
  const message = String(error);
  const safe = containsShortSecret(message, secrets) ? "the message contains a secret" : redact(message, secrets);
  return new StewardError({
    code: "ERR_INTERNAL",
    reason: `internal error in pulumi-steward: ${safe}${place ? ` (${place})` : ""}`,
    hint: "This is a bug in the package: please report it.",
  });
}

/** The error without the secrets in the options of a function. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): StewardError {
  if (!(error instanceof StewardError)) return unexpected(error, secrets);
  const { reason, hint, path } = error.details;
  return error.with({ reason: redact(reason, secrets), hint: hint && redact(hint, secrets), path: path && redact(path, secrets) });
}

/** Errors that a change of the configuration after the last `up` may cause. */
const stale: readonly string[] = ["ERR_FORBIDDEN", "ERR_SERVER_MISMATCH", "ERR_UNREACHABLE", "ERR_REDIRECTED", "ERR_NO_CONNECTION"];

/**
 * Adds hints to the error of a read or a delete. Both use the configuration that the last `up` recorded, so a later correction has no effect. The state
 * keeps an object whose 404 does not prove that it is gone.
 */
export function hintStaleConfig(error: StewardError): StewardError {
  const hints = [error.details.hint];
  // After a failed deletion, Pulumi keeps the former state.
  if (error.details.outcomeUnknown)
    hints.push("The state may no longer match the server: run `pulumi refresh` before the next `pulumi up`.");
  if (error.code === "ERR_NOT_FOUND") hints.push("If it no longer exists, remove it from the state: `pulumi state delete <URN>`.");
  if (stale.includes(error.code)) {
    const hint =
      "`pulumi refresh` and `pulumi destroy` use the configuration of the last `pulumi up`: if you have changed it since, run `pulumi up` or add --run-program";
    hints.push(error.code === "ERR_FORBIDDEN" ? `${hint}. Each run reads tokenEnv or tokenFile anew.` : `${hint}.`);
  }
  return error.with({ hint: hints.filter(Boolean).join(" ") || undefined });
}
