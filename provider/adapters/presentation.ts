import { Definition, Finding } from "../definition";
import { StewardError } from "../errors";
import { pathOf } from "../inputs";
import { holdsShortSecret, redact } from "../redaction";
import { Properties, unknown, valueAt } from "./properties";

// Puts problems of inputs, and errors, into the form that the engine expects.

/** @internal */
export const located = (path: string, reason: string): string => (path ? `${path}: ${reason}` : reason);

/** Checks the known inputs against the schema. @internal */
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
 * Makes an error one sentence without a stack, because the engine would print the stack. The engine stores kept properties as "created, but not
 * initialised", and the next `up` updates the resource.
 * @internal
 */
export function presented(known: StewardError, task: string, kept: Kept | undefined): StewardError {
  const error = known.with({ task });
  const forEngine = { stack: "", ...(kept ? { ...kept, reasons: [error.message] } : {}) };
  // Not enumerable: a logger that prints the error object would print the state, secrets included.
  for (const [name, value] of Object.entries(forEngine)) Object.defineProperty(error, name, { value, enumerable: false });
  leaveToEngine(error);
  return error;
}

const left = new Set<string>();

/** Pulumi's dynamic provider prints an error of diff, read and delete, with an empty stack, before it returns it to the engine, which prints it as well. */
function leaveToEngine(error: Error): void {
  if (left.size === 0) {
    const { error: print } = console;
    console.error = (...line) => {
      if (!left.has(String(line[0]))) print.apply(console, line);
    };
  }
  left.add(`${error}: ${error.stack}`);
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
    advice: "This is a fault of the package: please report it.",
  });
}

/** Errors that may come from a configuration that was changed since the last `up`. */
const stale: readonly StewardError["code"][] = ["ERR_FORBIDDEN", "ERR_MOVED", "ERR_UNREACHABLE", "ERR_REDIRECTED", "ERR_NO_CONNECTION"];

/**
 * Adds a hint to an error of `refresh` or `destroy`. They use the configuration that the last `up` recorded, so a correction made since has no effect. A 404
 * that does not prove the object gone keeps it in the state.
 * @internal
 */
export function withStaleConfiguration(error: StewardError): StewardError {
  const hints = [error.facts.advice];
  if (error.code === "ERR_NOT_FOUND") hints.push("If it no longer exists, remove it from the state: `pulumi state delete <URN>`.");
  if (stale.includes(error.code)) {
    const advice =
      "`pulumi refresh` and `pulumi destroy` use the configuration of the last `pulumi up`: if it was changed since, run `pulumi up` or add --run-program";
    hints.push(error.code === "ERR_FORBIDDEN" ? `${advice}; what tokenEnv or tokenFile names is read anew each time.` : `${advice}.`);
  }
  return error.with({ advice: hints.filter(Boolean).join(" ") || undefined });
}
