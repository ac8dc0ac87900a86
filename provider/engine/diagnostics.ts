import { StewardError } from "../contract/errors";
import { OperationFailed } from "../lifecycle/failure";

/**
 * Converts the error of a failed operation for the engine: its message without a stack, which the engine would print. The engine stores a partial
 * resource as "created, but not initialized", and the next `up` updates it.
 */
export function toEngineError({ error, partial: kept }: OperationFailed): StewardError {
  const forEngine = { stack: "", ...(kept ? { ...kept, reasons: [error.message] } : {}) };
  // Not enumerable, since a logger that prints the error would print the secrets in the state.
  for (const [name, value] of Object.entries(forEngine)) Object.defineProperty(error, name, { value, enumerable: false });
  leaveToEngine(error);
  return error;
}

const left = new Set<string>();

/** Pulumi's dynamic provider prints errors of diff, read and delete before it returns them. The engine prints them again, so this hides the first print. */
function leaveToEngine(error: Error): void {
  if (left.size === 0) {
    const { error: print } = console;
    console.error = (...line) => {
      if (!left.has(String(line[0]))) print.apply(console, line);
    };
  }
  left.add(`${error}: ${error.stack}`);
}
