import { AsyncLocalStorage } from "node:async_hooks";
import type { Input, Output } from "@pulumi/pulumi/output";
import { ConfigurationSources, connect, sourcesOf } from "../connection";
import { invalidInput, StewardError } from "../contract/errors";
import { call, FunctionSpec, ReadFunction } from "../contract/function";
import { checkFailures, issuesOf, Schema } from "../contract/inputs";
import { Operation } from "../contract/operation";
import type * as Program from "./program";

/** Sources that override the program's in nested calls, such as the limits of a test. */
export const programSources: AsyncLocalStorage<Partial<ConfigurationSources>> = new AsyncLocalStorage();

/** Loaded on demand, since the native plugin uses this file without Pulumi's SDK. */
const program = (): typeof Program => require("./program");

/** Adds the operation to an error. */
export async function withOperation<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation }) : error;
  }
}

/** `withOperation` for an iteration. */
export async function* eachWithOperation<T>(operation: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation }) : error;
  }
}

/** Throws if the options of a function are invalid. */
export function assertOptions(options: Schema, values: object): void {
  const issues = issuesOf(options, values);
  if (issues.length > 0) throw invalidInput(checkFailures({ issues }, values));
}

/** The options that select a server. Only the functions of Nomad have more than `connection`. */
interface ServerOptions {
  connection?: string;
  token?: Input<string>;
  address?: Input<string>;
}

const inputs: readonly string[] = ["token", "address"];
/** The options that may be outputs. */
const inputsOf = (values: ServerOptions): Output<object> =>
  program().output(
    Object.fromEntries(Object.entries(values ?? {}).filter(([name, value]) => inputs.includes(name) && value !== undefined)),
  );

/**
 * Without a listener, Node warns of a rejection that is handled late. Pulumi handles those of exported promises late, after it has reported their errors.
 */
const ignore = (): void => {};

/**
 * Runs a function in the program: checks its options, finds its connection, and adds the operation to an error. Does not run it in a preview that does not
 * know its options, and returns `unknown`.
 */
export function invoke<T, Own extends object>(
  spec: FunctionSpec<Own>,
  given: ServerOptions,
  run: (operation: Operation<Own>) => Promise<T>,
  unknown?: T,
): Promise<T> {
  const { getConfig, hideResponses, log } = program();
  // The program may pass the result to a resource of another package.
  hideResponses();
  if (!process.listeners("rejectionHandled").includes(ignore)) process.on("rejectionHandled", ignore);
  return withOperation(spec.operation, async () => {
    // These members are not in the declarations of the SDK.
    const resolved = inputsOf(given) as unknown as { isKnown: Promise<boolean>; promise(): Promise<object> };
    if (!(await resolved.isKnown)) {
      const action = spec.operation.replace("Cannot ", "");
      log.info(`pulumi-steward: this preview does not ${action}, since it does not know the token or the address yet.`);
      return unknown as T;
    }
    // An output of nothing is no reason to use the token or the address of the connection.
    const known = Object.entries(await resolved.promise()).map(([name, value]) => [name, value ?? ""] as const);
    const values = given && { ...given, ...Object.fromEntries(known) };
    assertOptions(spec.options, values);
    const sources = { ...sourcesOf(getConfig, log), server: values as object, ...programSources.getStore() };
    return run(connect(spec.system, values.connection ?? "default", sources));
  });
}

/** Calls a function that only reads. In a preview that does not know its options, the result is Pulumi's unknown value. */
export const read = <Options extends ServerOptions, Result, Own extends object>(
  called: ReadFunction<Options, Result, Own>,
  options: Options,
): Promise<Result> => invoke(called, options, (operation) => call(called, operation, options), program().unknown as Result);

/** The result as an output, which is secret if an option is. */
export const readAsOutput = <Options extends ServerOptions, Result, Own extends object>(
  called: ReadFunction<Options, Result, Own>,
  options: Options,
): Output<Result> => inputsOf(options).apply(() => read(called, options)) as Output<Result>;

/** The result with its secrets as outputs. */
export function secretsAsOutputs<Result extends object>({ secrets = [] }: { secrets?: readonly string[] }, result: Result): object {
  const { secret } = program();
  const isSecret = (field: string, value: unknown): boolean => value !== undefined && secrets.includes(field);
  return Object.fromEntries(Object.entries(result).map(([field, value]) => [field, isSecret(field, value) ? secret(value) : value]));
}

/** `invoke` for an iteration, which has one connection for all its requests. */
export async function* invokeEach<T, Own extends object>(
  spec: FunctionSpec<Own>,
  values: ServerOptions,
  run: (operation: Operation<Own>) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const operation = await invoke<Operation<Own> | undefined, Own>(spec, values, async (connected) => connected);
  if (!operation) return;
  yield* eachWithOperation(spec.operation, run(operation));
}
