import { StewardError } from "../errors";
import { holdsShortSecret, redact } from "../redaction";
import { Properties } from "./properties";

// How an operation fails: with one error, and perhaps with a resource that is stored all the same.

/** A resource that the engine is to store although the operation failed. @internal */
export interface PartialResource {
  id: string;
  properties: Properties;
}

/** The error of a failed operation, with the resource to store, if any. @internal */
export class OperationFailed {
  constructor(
    readonly error: StewardError,
    readonly partial: PartialResource | undefined,
  ) {}
}

/** @internal */
export function unexpected(error: unknown, secrets: readonly string[]): StewardError {
  // A report needs the place of the fault, and a terminal needs no whole stack.
  const [, place] = /\b(provider[\\/][\w\\/.-]{1,200}:\d+):\d+/.exec((error as Error | undefined)?.stack ?? "") ?? [];
  const message = String(error);
  const shown = holdsShortSecret(message, secrets) ? "with a message that contains a secret" : redact(message, secrets);
  return new StewardError({
    code: "ERR_INTERNAL",
    reason: `pulumi-steward itself failed (${shown}${place ? `, in ${place}` : ""})`,
    hint: "This is a fault of the package: please report it.",
  });
}

/** The error of a function whose options hold these secrets. @internal */
export function withoutSecrets(error: unknown, secrets: readonly string[]): StewardError {
  if (!(error instanceof StewardError)) return unexpected(error, secrets);
  const { reason, hint, path } = error.details;
  return error.with({
    reason: redact(reason, secrets),
    hint: hint && redact(hint, secrets),
    path: path && redact(path, secrets),
  });
}

/** Errors that may come from a configuration that was changed since the last `up`. */
const stale: readonly StewardError["code"][] = [
  "ERR_FORBIDDEN",
  "ERR_SERVER_MISMATCH",
  "ERR_UNREACHABLE",
  "ERR_REDIRECTED",
  "ERR_NO_CONNECTION",
];

/**
 * Adds a hint to an error of `refresh` or `destroy`. They use the configuration that the last `up` recorded, so a correction made since has no effect. A 404
 * that does not prove the object gone keeps it in the state.
 * @internal
 */
export function hintStaleConfig(error: StewardError): StewardError {
  const hints = [error.details.hint];
  if (error.code === "ERR_NOT_FOUND") hints.push("If it no longer exists, remove it from the state: `pulumi state delete <URN>`.");
  if (stale.includes(error.code)) {
    const hint =
      "`pulumi refresh` and `pulumi destroy` use the configuration of the last `pulumi up`: if it was changed since, run `pulumi up` or add --run-program";
    hints.push(error.code === "ERR_FORBIDDEN" ? `${hint}; what tokenEnv or tokenFile names is read anew each time.` : `${hint}.`);
  }
  return error.with({ hint: hints.filter(Boolean).join(" ") || undefined });
}
