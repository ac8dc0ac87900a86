import { AsyncLocalStorage } from "node:async_hooks";
import type * as Program from "./adapters/program";
import { ConfigurationSources, Connection, connect, noEngine } from "./connection";
import { invalidInput, StewardError } from "./errors";
import { checkFailures, Schema } from "./inputs";
import { Asking, ReadFunction } from "./read-function";

// The functions of the package, as a Node program calls them.

/** Sources that replace the program's own in the calls within: tests give limits of theirs. @internal */
export const programSources: AsyncLocalStorage<Partial<ConfigurationSources>> = new AsyncLocalStorage();

/** The native plugin knows the functions as well, and loads nothing of Pulumi's SDK. */
const program = (): typeof Program => require("./adapters/program");

/** Says of an error what could not be done. @internal */
export async function withOperation<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation }) : error;
  }
}

/** Refuses options that a function does not know. @internal */
export function assertOptions(options: Schema, given: object): void {
  const { error } = options.safeParse(given);
  if (error) throw invalidInput(checkFailures(error, given));
}

/**
 * What every function of the package does, in the program itself: refuses unknown options, finds the connection, and says of an error
 * what could not be done.
 * @internal
 */
export function invoke<T, Own extends object>(
  asking: Asking<Own>,
  given: { connection?: string },
  question: (connection: Connection & Own) => Promise<T>,
): Promise<T> {
  const { assertDefaultSpelled, getConfig, hideResponses, say } = program();
  // A program may pass what it reads to a resource of another package.
  hideResponses();
  return withOperation(asking.operation, async () => {
    assertOptions(asking.options, given);
    assertDefaultSpelled(given.connection);
    return question(
      connect(asking.system, given.connection ?? "default", {
        config: getConfig,
        environment: process.env,
        cache: new Map(),
        engine: noEngine,
        say,
        ...programSources.getStore(),
      }),
    );
  });
}

/** Calls a function that only reads. @internal */
export const read = <Options extends { connection?: string }, Result, Own extends object>(
  called: ReadFunction<Options, Result, Own>,
  options: Options,
): Promise<Result> => invoke(called, options, (connection) => called.run(connection, options));

/** The result with its secrets as secret outputs. @internal */
export function secretsAsOutputs<Result extends object>({ secrets = [] }: { secrets?: readonly string[] }, result: Result): object {
  const { secret } = program();
  const isSecret = (field: string, value: unknown): boolean => value !== undefined && secrets.includes(field);
  return Object.fromEntries(Object.entries(result).map(([field, value]) => [field, isSecret(field, value) ? secret(value) : value]));
}

/** The same for an iteration, which has one connection for all its requests. @internal */
export async function* invokeEach<T, Own extends object>(
  asking: Asking<Own>,
  given: { connection?: string },
  questions: (connection: Connection & Own) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const connection = await invoke(asking, given, async (connected) => connected);
  try {
    yield* questions(connection);
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation: asking.operation }) : error;
  }
}
