import { Command, InvalidArgumentError } from "commander";
import { part } from "../../provider/platform/module-version";
import { isMountPath } from "../../provider/secrets/mount-path";
import { Terminal } from "../terminal";
import { DiscoverOptions, discover } from "./search";

const collect = (value: string, values: string[]): string[] => [...values, value];

function mount(value: string, values: string[]): string[] {
  if (!isMountPath(value)) throw new InvalidArgumentError("Write it as a path such as team/nomad.");
  return collect(value, values);
}

function module(value: string, values: string[]): string[] {
  const parts = value.split("/");
  if (parts.length !== 3 || !parts.every((each) => part.safeParse(each).success))
    throw new InvalidArgumentError("Write it as <organization>/<name>/<provider>.");
  return collect(value, values);
}

/** Adds `pulumi-steward discover`, for an installation that has no program yet. */
export function addDiscover(program: Command, terminal: Terminal): void {
  program
    .command("discover")
    .description("List the objects on the servers, and write a file for `pulumi import --file`. It changes nothing.")
    .option("--stack <stack>", "the stack whose configuration names the servers", undefined)
    .option("--connection <name>", "the connection of the configuration, steward:<name>", "default")
    .option("--mount <path>", "a mount of the Nomad secrets engine to search besides those that Vault lists; repeatable", mount, [])
    .option("--module <module>", "a module to search for deprecated versions, as <organization>/<name>/<provider>; repeatable", module, [])
    .option("--workspaces", "also search for workspaces, each as an AdminWorkspace")
    .option("--as-set", "the roles of a mount as one SchedulerRoles instead of one SchedulerRole each")
    .option("--output <file>", "the file to write", "import.json")
    .option("--overwrite", "overwrite the file if it exists")
    .addHelpText(
      "after",
      `
Two commands turn a running installation into a program:

  $ pulumi-steward discover
  $ pulumi import --file import.json --out imported.txt

The connection in the configuration of the selected stack, or of --stack, names the servers. Otherwise, the environment does:
  SECRETS_ADDR, SECRETS_TOKEN, PLATFORM_ADDR, PLATFORM_TOKEN  services that implement the API documents
  BAO_ADDR, BAO_TOKEN          OpenBao; without BAO_TOKEN the token of \`bao login\`
  VAULT_ADDR, VAULT_TOKEN      Vault; without VAULT_TOKEN the token of \`vault login\`
  TFE_ADDRESS, TFE_TOKEN       Terraform Enterprise

It finds the access and lease configurations and the roles of each Nomad secrets engine, all settings of the platform, and the deprecated
versions of private modules. It lists the objects that the token cannot read, and writes the rest to the file.

Exit code: 0 success, 1 failed or nothing could be searched, 2 usage error.`,
    )
    .action((options: DiscoverOptions) => discover(terminal, options));
}
