import { AsyncLocalStorage } from "node:async_hooks";
import { ConfigurationSources, connect, noEngine, Operation } from "../connection";
import { invalidInput, StewardError } from "../errors";
import { checkFailures, issuesOf, Schema } from "../inputs";
import { FunctionSpec, ReadFunction } from "../read-function";
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

/** Runs a function in the program: checks its options, finds its connection, and adds the operation to an error. */
export function invoke<T, Own extends object>(
  spec: FunctionSpec<Own>,
  values: { connection?: string },
  run: (operation: Operation<Own>) => Promise<T>,
): Promise<T> {
  const { getConfig, hideResponses, log } = program();
  // The program may pass the result to a resource of another package.
  hideResponses();
  return withOperation(spec.operation, async () => {
    assertOptions(spec.options, values);
    return run(
      connect(spec.system, values.connection ?? "default", {
        config: getConfig,
        environment: process.env,
        cache: new Map(),
        engine: noEngine,
        log,
        ...programSources.getStore(),
      }),
    );
  });
}

/** Calls a function that only reads. */
export const read = <Options extends { connection?: string }, Result, Own extends object>(
  called: ReadFunction<Options, Result, Own>,
  options: Options,
): Promise<Result> => invoke(called, options, (operation) => called.run(operation, options));

/** The result with its secrets as outputs. */
export function secretsAsOutputs<Result extends object>({ secrets = [] }: { secrets?: readonly string[] }, result: Result): object {
  const { secret } = program();
  const isSecret = (field: string, value: unknown): boolean => value !== undefined && secrets.includes(field);
  return Object.fromEntries(Object.entries(result).map(([field, value]) => [field, isSecret(field, value) ? secret(value) : value]));
}

/** `invoke` for an iteration, which has one connection for all its requests. */
export async function* invokeEach<T, Own extends object>(
  spec: FunctionSpec<Own>,
  values: { connection?: string },
  run: (operation: Operation<Own>) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const operation = await invoke(spec, values, async (connected) => connected);
  yield* eachWithOperation(spec.operation, run(operation));
}
