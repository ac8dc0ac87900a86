import { Command, InvalidArgumentError } from "commander";
import { Terminal } from "../terminal";
import { DiscoverOptions, discover } from "./search";

const collect = (value: string, values: string[]): string[] => [...values, value];

function module(value: string, values: string[]): string[] {
  if (!/^[^/\s]+\/[^/\s]+\/[^/\s]+$/.test(value)) throw new InvalidArgumentError("Write it as <organization>/<name>/<provider>.");
  return collect(value, values);
}

/** `pulumi-steward discover`, for an installation that has no program yet. */
export function addDiscover(program: Command, terminal: Terminal): void {
  program
    .command("discover")
    .description("List what exists on the servers, and write the file that `pulumi import --file` takes. It changes nothing.")
    .option("--stack <stack>", "the stack whose configuration names the servers", undefined)
    .option("--connection <name>", "the connection of the configuration, steward:<name>", "default")
    .option("--mount <path>", "a mount of the scheduler engine to search beside those that the server lists; repeatable", collect, [])
    .option("--module <module>", "a module, <organization>/<name>/<provider>, to search for deprecated versions; repeatable", module, [])
    .option("--workspaces", "search for workspaces as well, each as an AdminWorkspace")
    .option("--as-set", "the roles of a mount as one SchedulerRoles, not as a SchedulerRole each")
    .option("--output <file>", "the file to write", "import.json")
    .option("--overwrite", "write it although it exists")
    .addHelpText(
      "after",
      `
A running installation becomes a program in two commands:

  $ pulumi-steward discover
  $ pulumi import --file import.json

The servers are those of the connection in the configuration of the selected stack, or of --stack. Without one, the environment names them:
  SECRETS_ADDR, SECRETS_TOKEN, PLATFORM_ADDR, PLATFORM_TOKEN  services with the names of the API documents
  BAO_ADDR, BAO_TOKEN          OpenBao; without BAO_TOKEN the token of \`bao login\`
  VAULT_ADDR, VAULT_TOKEN      Vault; without VAULT_TOKEN the token of \`vault login\`
  TFE_ADDRESS, TFE_TOKEN       Terraform Enterprise

It finds the access and lease configurations and the roles of each scheduler engine, all settings of the platform, and the deprecated versions of
private modules. It lists the objects that the token may not read, and writes the rest.

Exit code: 0 done, 1 failed or nothing could be searched, 2 wrong usage.`,
    )
    .action((options: DiscoverOptions) => discover(terminal, options));
}
