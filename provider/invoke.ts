import { AsyncLocalStorage } from "node:async_hooks";
import { info } from "@pulumi/pulumi/log";
import { getConfig } from "@pulumi/pulumi/runtime/config";
import { hideResponses } from "./adapters/debug-log";
import { assertDefaultSpelled } from "./adapters/default-connection";
import { print } from "./adapters/print";
import { ConfigurationSources, Connection, connect, noEngine, System } from "./connection";
import { invalidInput, StewardError } from "./errors";
import { checkFailures, Schema } from "./inputs";
import { printable } from "./log";

/** Sources that replace the program's own in the calls within: tests give limits of theirs. @internal */
export const programSources: AsyncLocalStorage<Partial<ConfigurationSources>> = new AsyncLocalStorage();

/** Prints a line of a function: information in Pulumi's own log, a warning in the program's output. The program stays until its log is written. */
function say(line: string): void {
  if (line.startsWith("warning:")) print(line);
  else void info(printable(line));
}

/** Says of an error what could not be done. @internal */
export async function withOperation<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation }) : error;
  }
}

/**
 * What every function of the package does, in the program itself: refuses unknown options, finds the connection, and says of an error
 * what could not be done.
 * @internal
 */
export function invoke<T, Own extends object>(
  operation: string,
  system: System<Own>,
  options: { schema: Schema; given: { connection?: string } },
  question: (connection: Connection & Own) => Promise<T>,
): Promise<T> {
  // A program may pass what it reads to a resource of another package.
  hideResponses();
  return withOperation(operation, async () => {
    const { error } = options.schema.safeParse(options.given);
    if (error) throw invalidInput(checkFailures(error, options.given));
    assertDefaultSpelled(options.given.connection);
    return question(
      connect(system, options.given.connection ?? "default", {
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

/** The same for an iteration, which has one connection for all its requests. @internal */
export async function* invokeEach<T, Own extends object>(
  operation: string,
  system: System<Own>,
  options: { schema: Schema; given: { connection?: string } },
  questions: (connection: Connection & Own) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const connection = await invoke(operation, system, options, async (connected) => connected);
  try {
    yield* questions(connection);
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation }) : error;
  }
}
