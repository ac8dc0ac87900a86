import { Connection, System } from "./connection";
import { Schema } from "./inputs";

// A function that reads: a Node program calls it, and the native plugin answers to its name for programs of other languages.

/** The properties that every function of the package declares. @internal */
export interface Asking<Own extends object = object> {
  /** The beginning of its errors: `Cannot list the scheduler roles`. */
  operation: string;
  system: System<Own>;
  options: Schema;
}

/** `Options` and `Result` are those that a program of another language sees. @internal */
export interface ReadFunction<Options extends object, Result, Own extends object = object> extends Asking<Own> {
  /** `secrets:listSchedulerRoles`; the second part is the name of the function. */
  token: string;
  /** The property that holds the result of a function whose result is no object: `names`. */
  property?: string;
  /** Properties of the result that are secrets. */
  secrets?: readonly string[];
  run(connection: Connection & Own, options: Options): Promise<Result>;
}

/** @internal */
export type AnyReadFunction = Omit<ReadFunction<object, unknown>, "run"> & { run(connection: never, options: never): Promise<unknown> };
