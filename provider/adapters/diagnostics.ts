import { StewardError } from "../errors";
import { OperationFailed } from "../lifecycle/failure";

/**
 * The error of a failed operation as the dynamic engine takes it: one sentence without a stack, because the engine would print the stack. It stores kept
 * properties as "created, but not initialised", and the next `up` updates the resource.
 * @internal
 */
export function toEngineError({ error, partial: kept }: OperationFailed): StewardError {
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
