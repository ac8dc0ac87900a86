import { Command, InvalidArgumentError, Option } from "commander";
import type { Options } from "../sandbox/index";
import { print, Terminal } from "./terminal";

/** `pulumi-steward sandbox`; it runs until `stopped`. */
export function addSandbox(program: Command, terminal: Terminal, stopped: () => Promise<unknown>): void {
  program
    .command("sandbox")
    .description("Run the three services on this machine, in memory, until Ctrl-C.")
    .addOption(new Option("--dialect <dialect>", "whose names and answers").choices(["standard", "hashicorp"]).default("standard"))
    .option("--port <port>", "the first of four ports (secrets, platform, scheduler, page); 0 takes free ones", port, 0)
    .addHelpText(
      "after",
      `
Prints the variables that point a program at the sandbox, and the shares that unseal it; paste them into another terminal:

  $ pulumi-steward sandbox --port 4700
  # http://127.0.0.1:4703 shows what they hold, as it changes
  export SECRETS_ADDR=http://127.0.0.1:4700
  …`,
    )
    .action(async (options: Pick<Options, "dialect" | "port">) => {
      // Loaded here: whoever gives a share needs none of it.
      const { start } = require("../sandbox/index") as typeof import("../sandbox/index");
      const sandbox = await start({ dialect: options.dialect, port: options.port }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EADDRINUSE") throw error;
        throw new Error(`One of the four ports from ${options.port} on is in use. Choose another --port, or 0 for free ones.`);
      });
      const stop = stopped();
      try {
        await print(terminal, `# ${sandbox.page} shows what they hold, as it changes`);
        for (const [name, value] of Object.entries(sandbox.env)) await print(terminal, `export ${name}=${value}`);
        for (const [index, share] of sandbox.secrets.shares.entries()) await print(terminal, `export SHARE_${index + 1}=${share}`);
        await stop;
      } finally {
        await sandbox.close();
      }
    });
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65_532) throw new InvalidArgumentError("It is a number from 0 to 65532.");
  return number;
}
