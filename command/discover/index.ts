import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { StewardError } from "../../provider/contract/errors";
import { noEngine, withProgress } from "../../provider/contract/operation";
import { OperationFailed } from "../../provider/lifecycle/failure";
import { part } from "../../provider/platform/module-versions";
import { nativeType } from "../../provider/program/dynamic";
import { projectFile } from "../../provider/program/project-file";
import { isMountPath } from "../../provider/secrets/mount-path";
import { logOf, print, say, Terminal } from "../terminal";
import { assertWritable, ImportEntry, write } from "./files";
import { configurationKey, escaped, programOf } from "./program";
import { nativeWarnings, operations, secretNotices, table } from "./report";
import { announce, attemptFor, connectionsOf, Found, Refused, SearchOptions, search } from "./search";
import { assertImportsState, Configuration, configure, encrypt, readConfiguration, stackFile } from "./stack";
import { declaredSecrets, entryOf, Imported, readFound } from "./state";

interface DiscoverOptions extends SearchOptions {
  stack?: string;
  native?: boolean;
  secrets?: boolean;
  output: string;
  program: string;
  overwrite?: boolean;
}

const collect = (value: string, values: string[]): string[] => [...values, value];

export function mount(value: string, values: string[]): string[] {
  if (!isMountPath(value)) throw new InvalidArgumentError("Write it as a path such as team/nomad.");
  return collect(value, values);
}

export function module(value: string, values: string[]): string[] {
  const parts = value.split("/");
  if (parts.length !== 3 || !parts.every((each) => part.safeParse(each).success))
    throw new InvalidArgumentError("Write it as <organization>/<name>/<provider>.");
  return collect(value, values);
}

/** Adds `pulumi-steward discover`, for an installation that has no program yet. */
export function addDiscover(program: Command, terminal: Terminal): void {
  program
    .command("discover")
    .description("List the objects on the servers, and write a file for `pulumi import` and the program. Nothing is changed on them.")
    .option("--stack <stack>", "the stack whose configuration contains the servers", undefined)
    .option("--connection <name>", "the connection of the configuration, steward:<name>", "default")
    .option("--mount <path>", "a mount of the Nomad secrets engine to search besides those that Vault lists; repeatable", mount, [])
    .option("--module <module>", "a module to search for deprecated versions, as <organization>/<name>/<provider>; repeatable", module, [])
    .option("--workspaces", "also search for workspaces, each as an AdminWorkspace")
    .option("--as-set", "the roles of a mount as one SchedulerRoles instead of one SchedulerRole each")
    .option("--native", "for the native plugin: write only ids, from which Pulumi writes the program in the language of the project")
    .option("--secrets", "include the secrets that a server returns, encrypted in the import file and in the stack's configuration")
    .option("--output <file>", "the import file to write", "import.json")
    .option("--program <file>", "the program to write", "index.ts")
    .option("--overwrite", "overwrite the files if they exist")
    .addHelpText(
      "after",
      `
These commands turn a running installation into a program:

  $ pulumi-steward discover
  $ pulumi import --file import.json --generate-code=false --yes
  $ pulumi up

The servers are those of the connection in the configuration of the selected stack, or of --stack. Otherwise, the environment sets them:
  SECRETS_ADDR, SECRETS_TOKEN, PLATFORM_ADDR, PLATFORM_TOKEN  servers of the dialect "standard"
  BAO_ADDR, BAO_TOKEN          OpenBao; without BAO_TOKEN the token of \`bao login\`
  VAULT_ADDR, VAULT_TOKEN      Vault; without VAULT_TOKEN the token of \`vault login\`
  TFE_ADDRESS, TFE_TOKEN       Terraform Enterprise

It finds the access and lease configurations and the roles of each Nomad secrets engine, all settings of Terraform Enterprise, and the deprecated
versions of private modules. It lists the objects that the token cannot read, and writes the rest.

Exit code: 0 success, 1 failed or nothing could be searched, 2 usage error.`,
    )
    .action((options: DiscoverOptions) => discover(terminal, options));
}

/** Searches the servers, prints the resources, and writes the files. */
async function discover(terminal: Terminal, options: DiscoverOptions): Promise<void> {
  const config = await readConfiguration(terminal, options.stack);
  const isNative = options.native || config("steward:native") === "true" || !isNodeProject();
  const isElsewhere = isNative && options.connection !== "default";
  if (!isElsewhere) assertWritable(isNative ? [options.output] : [options.output, options.program], options);
  if (!isNative) await assertImportsState(terminal);
  const limits = { progressInterval: 1000 };
  const sources = { config, environment: terminal.environment, cache: new Map(), engine: noEngine, log: logOf(terminal), limits };
  const connections = connectionsOf(sources, options.connection);
  announce(terminal, connections, config, options.connection);
  const refused: Refused[] = [];
  const objects = await search(connections, options, refused);
  const imported = isNative ? [] : await readAll(objects, sources, options, refused);
  const resources = isNative ? objects : imported;
  for (const line of table(resources)) await print(terminal, line);
  await print(terminal, "Cannot be imported:");
  for (const [what, reason] of [...refused, ...operations(connections)]) await print(terminal, `  ${what}: ${reason}`);
  if (isNative) for (const line of nativeWarnings(objects)) logOf(terminal).warn(line);
  if (resources.length === 0) {
    say(terminal, "There is nothing to import: no file was written.");
    if (refused.length === 0) return;
    throw new StewardError({ code: "ERR_FORBIDDEN", reason: "nothing was found, and some objects could not be read" });
  }
  if (isElsewhere) return say(terminal, explicitProvider(options.connection));
  if (isNative) await writeForPlugin(terminal, objects, options, config);
  else await writeForProgram(terminal, imported, options);
}

/** Resources are dynamic only in a Node.js program, whose project file has the runtime `nodejs`. */
function isNodeProject(): boolean {
  const file = projectFile();
  return !file || /\bnodejs\b/.test(readFileSync(file, "utf8"));
}

/** Reads each object. Adds those that the server rejects to `refused`. */
async function readAll(
  objects: readonly Found[],
  sources: Parameters<typeof connectionsOf>[0],
  { connection, secrets = false }: DiscoverOptions,
  refused: Refused[],
): Promise<Imported[]> {
  const reads = objects.map((each) =>
    attemptFor(each.definition, refused)(each.id, async () => {
      try {
        const imported = await readFound(each, { definition: each.definition, mechanism: sources }, connection, secrets);
        for (const { path, reason } of imported.rejected) refused.push([`${nativeType(each.definition.token)} ${each.id} ${path}`, reason]);
        return [imported];
      } catch (error) {
        throw error instanceof OperationFailed ? error.error : error;
      }
    }),
  );
  const [first] = objects;
  return (await Promise.all(first ? withProgress(first.operation, "discover", reads, "objects read") : reads)).flat();
}

async function writeForPlugin(
  terminal: Terminal,
  objects: readonly Found[],
  options: DiscoverOptions,
  config: Configuration,
): Promise<void> {
  const entries = objects.map(({ definition, name, id }) => ({ type: nativeType(definition.token), name, id }));
  writeImportFile(options, entries);
  say(terminal, `${counted(entries)} in ${options.output}. Next:`);
  if (isNodeProject() && config("steward:native") !== "true")
    say(terminal, "  $ pulumi config set steward:native true    # in a Node.js program");
  // Without --out, Pulumi prints the program, with the secrets that the server shows.
  say(terminal, `  $ pulumi import --file ${quoted(options.output)} --out imported.txt`);
}

async function writeForProgram(terminal: Terminal, imported: readonly Imported[], options: DiscoverOptions): Promise<void> {
  const { stack, output, program } = options;
  const secrets = imported.flatMap((each) =>
    declaredSecrets(each).map((field) => [configurationKey(each, field), each.inputs[field]] as const),
  );
  for (const [key, value] of secrets) await configure(terminal, stack, key, String(value));
  const file = secrets.length > 0 ? await stackFile(terminal, stack) : "";
  const entries = await Promise.all(imported.map((each) => entryOf(each, (text) => encrypt(terminal, stack, file, text))));
  writeImportFile(options, entries);
  write(program, programOf(imported), options);
  for (const line of secretNotices(imported, output)) say(terminal, line);
  say(terminal, `${counted(entries)} in ${output}, and the program in ${program}. Next:`);
  const selected = stack === undefined ? "" : ` --stack ${quoted(stack)}`;
  say(terminal, `  $ pulumi import --file ${quoted(output)} --generate-code=false --yes${selected}`);
  say(terminal, `  $ pulumi up${selected}`);
}

const writeImportFile = (options: DiscoverOptions, resources: readonly ImportEntry[]): void =>
  write(options.output, escaped(`${JSON.stringify({ resources }, undefined, 2)}\n`), options);

const counted = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? "resource" : "resources"}`;

/** A word of a shell command. */
const quoted = (word: string): string => `'${word}'`.replace(/^'([\w./-]+)'$/, "$1");

/** The next step after a search of another connection: an import by the plugin reads only from the default one. */
const explicitProvider = (connection: string): string =>
  `No file was written: \`pulumi import\` uses only the connection "default". Declare an explicit provider with the settings of steward:${connection}, run \`pulumi up\`, and import each resource with \`pulumi import <type> <name> <id> --provider ${connection}=<URN of the provider>\`.`;
