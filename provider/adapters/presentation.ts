import { Definition, Finding } from "../definition";
import { StewardError } from "../errors";
import { pathOf } from "../inputs";
import { holdsShortSecret, redact } from "../redaction";
import { Properties, unknown, valueAt } from "./properties";

// What the engine is told of what does not fit, and of what failed.

/** @internal */
export const located = (path: string, reason: string): string => (path ? `${path}: ${reason}` : reason);

/** What the schema says of the inputs that are known. @internal */
export function schemaFindings(definition: Definition<Properties, Properties>, inputs: Properties): Finding[] {
  const { error } = definition.inputs.safeParse(inputs);
  return (error?.issues ?? [])
    .filter(({ path }) => !path.some((_, depth) => valueAt(inputs, path.slice(0, depth + 1)) === unknown))
    .map(({ path, message }) => ({
      path: pathOf({ path, message }),
      reason: valueAt(inputs, path) === undefined ? `is missing; ${message}` : message,
    }));
}

/** A resource that the engine is to store although the operation failed. @internal */
export interface Kept {
  id: string;
  properties: Properties;
}

/**
 * Whatever an operation threw as one sentence without a stack, since the engine would print that. What is kept, the engine stores as "created, but not
 * initialised", and the next `up` updates it.
 * @internal
 */
export function presented(known: StewardError, task: string, kept: Kept | undefined): StewardError {
  const error = known.with({ task });
  const forEngine = { stack: "", ...(kept ? { ...kept, reasons: [error.message] } : {}) };
  // Not enumerable: what prints an error object would print the state, secrets included.
  for (const [name, value] of Object.entries(forEngine)) Object.defineProperty(error, name, { value, enumerable: false });
  return error;
}

/** @internal */
export function unexpected(error: unknown, secrets: readonly string[]): StewardError {
  // Where, for whoever reads the report; a whole stack is nothing for a terminal.
  const [, place] = /\b(provider[\\/][\w\\/.-]{1,200}:\d+):\d+/.exec((error as Error | undefined)?.stack ?? "") ?? [];
  const message = String(error);
  const shown = holdsShortSecret(message, secrets) ? "with a message that contains a secret" : redact(message, secrets);
  return new StewardError({
    code: "ERR_INTERNAL",
    reason: `pulumi-steward itself failed (${shown}${place ? `, in ${place}` : ""})`,
    advice: "This is a fault of the package: please report it.",
  });
}

/** `refresh` and `destroy` see the configuration that the last `up` recorded: without a word of it, a token renewed since is a riddle. @internal */
export function withStaleConfiguration(error: unknown): unknown {
  if (!(error instanceof StewardError) || error.code !== "ERR_FORBIDDEN") return error;
  return error.with({
    advice:
      `${error.facts.advice ?? ""} \`pulumi refresh\` and \`pulumi destroy\` use the configuration of the last \`pulumi up\`: if it was changed since, run \`pulumi up\` or add --run-program; what tokenEnv or tokenFile names is read anew each time.`.trim(),
  });
}
