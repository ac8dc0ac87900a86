import { getConfig } from "@pulumi/pulumi/runtime/config";
import { hideResponses } from "./adapters/debug-log";
import { assertDefaultSpelled } from "./adapters/default-connection";
import { Connection, connect, System, withoutEngine } from "./connection";
import { Schema } from "./definition";
import { StewardError } from "./errors";
import { described } from "./inputs";

/**
 * What every function of the package does, in the program itself: refuses unknown options, finds the connection, and says of an error
 * what could not be done.
 * @internal
 */
export async function ask<T, Own extends object>(
  task: string,
  system: System<Own>,
  options: { schema: Schema; given: { connection?: string } },
  question: (connection: Connection & Own) => Promise<T>,
): Promise<T> {
  // A program may pass what it reads to a resource of another package.
  hideResponses();
  try {
    const { error } = options.schema.safeParse(options.given);
    if (error) throw new StewardError({ code: "ERR_INVALID_INPUT", reason: described(error) });
    assertDefaultSpelled(options.given.connection);
    return await question(
      connect(system, options.given.connection ?? "default", {
        config: getConfig,
        environment: process.env,
        memory: new Map(),
        engine: withoutEngine,
      }),
    );
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    throw error.with({ task });
  }
}
