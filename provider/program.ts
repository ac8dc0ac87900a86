import { getConfig } from "@pulumi/pulumi/runtime/config";
import { Connection, connect, Engine, System } from "./connection";
import { Schema } from "./definition";
import { StewardError } from "./errors";

/** A program saves nothing: whoever asks has the answer. */
const ourselves: Engine = { assertAlive: async () => {}, savesEachStep: true };

/**
 * What every function of the package does, in the program itself: refuses unknown options, finds the connection, and says of an error
 * what could not be done.
 * @internal
 */
export async function ask<T>(
  task: string,
  system: System,
  options: { schema: Schema; given: { connection?: string } },
  question: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    const { error } = options.schema.safeParse(options.given);
    if (error) {
      const reason = error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": ")).join("; ");
      throw new StewardError({ code: "ERR_INVALID_INPUT", reason });
    }
    return await question(
      connect(system, options.given.connection ?? "default", {
        config: getConfig,
        environment: process.env,
        memory: new Map(),
        engine: ourselves,
      }),
    );
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const told = error.with({ task });
    // Where a program does not catch it, Pulumi prints the stack.
    told.stack = `${told.name}: ${told.message}`;
    throw told;
  }
}
