import { Schema } from "./inputs";
import { assertDialect, Operation, System } from "./operation";

// A function that reads. Node programs call it directly, and programs in other languages through the native plugin.

/** The properties of every function. */
export interface FunctionSpec<Own extends object = object> {
  /** The operation in error messages: `Cannot list roles`. */
  operation: string;
  system: System<Own>;
  options: Schema;
}

/** `Options` and `Result` are the types that a program in another language sees. */
export interface ReadFunction<Options extends object, Result, Own extends object = object> extends FunctionSpec<Own> {
  /** `secrets:listSchedulerRoles`. The second part is the name of the function. */
  token: string;
  /** The dialects of the system that have it. If omitted, all have it. */
  dialects?: readonly string[];
  /** The property for a result that is not an object: `names`. */
  property?: string;
  /** Properties of the result that are secrets. */
  secrets?: readonly string[];
  run(operation: Operation<Own>, options: Options): Promise<Result>;
}

/** Runs a function. Throws if the dialect of the connection does not have it. */
export function call<Options extends object, Result, Own extends object>(
  called: ReadFunction<Options, Result, Own>,
  operation: Operation<Own>,
  options: Options,
): Promise<Result> {
  assertDialect(called, operation);
  return called.run(operation, options);
}

export type AnyReadFunction = Omit<ReadFunction<object, unknown>, "run"> & { run(connection: never, options: never): Promise<unknown> };
