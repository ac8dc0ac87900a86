import { connect, noEngine, Operation, System } from "../../provider/connection";
import { AnyDefinition, Discovered, DiscoverRequest } from "../../provider/definition";
import { definitions } from "../../provider/definitions";
import { StewardError } from "../../provider/errors";
import { format, namesWith, parseId } from "../../provider/fields";
import { nativeType } from "../../provider/program/dynamic";
import { isObject, parsed } from "../../provider/text/json";
import { logOf, print, say, Terminal } from "../terminal";
import { assertWritable, ImportEntry, Names, writeImportFile } from "./import-file";
import { Configuration, readConfiguration } from "./stack";

export interface DiscoverOptions {
  stack?: string;
  connection: string;
  mount: string[];
  module: string[];
  workspaces?: boolean;
  asSet?: boolean;
  output: string;
  overwrite?: boolean;
}

interface Findings {
  resources: { definition: AnyDefinition; entry: ImportEntry; state: Record<string, unknown> }[];
  /** Objects that cannot be imported, each with its reason. */
  refused: [what: string, reason: string][];
}

/** Searches the servers, prints the resources, and writes the file for `pulumi import --file`. */
export async function discover(terminal: Terminal, options: DiscoverOptions): Promise<void> {
  const isDefault = options.connection === "default";
  if (isDefault) assertWritable(options.output, options);
  const configuration = await readConfiguration(terminal, options.stack);
  const connections = connectionsOf(terminal, configuration, options.connection);
  const findings = await search(connections, options);
  const { resources, refused } = findings;
  const entries = resources.map(({ entry }) => entry);
  for (const line of table(entries)) await print(terminal, line);
  await print(terminal, "Cannot be imported:");
  for (const [what, reason] of [...refused, ...operations(connections)]) await print(terminal, `  ${what}: ${reason}`);
  for (const line of warnings(findings)) logOf(terminal).warn(line);
  if (entries.length === 0) {
    say(terminal, "There is nothing to import: no file was written.");
    if (refused.length === 0) return;
    throw new StewardError({ code: "ERR_FORBIDDEN", reason: "nothing was found, and some objects could not be read" });
  }
  if (!isDefault) return say(terminal, explicitProvider(options.connection));
  writeImportFile(options.output, entries, options);
  say(terminal, `${entries.length} ${entries.length === 1 ? "resource" : "resources"} in ${options.output}. Next:`);
  if (configuration("steward:native") !== "true") say(terminal, "  $ pulumi config set steward:native true    # in a Node.js program");
  const file = `'${options.output}'`.replace(/^'([\w./-]+)'$/, "$1");
  // Without --out, Pulumi prints the program, with the secrets that the server shows.
  say(terminal, `  $ pulumi import --file ${file} --out imported.txt`);
}

const hasSearch = (definition: AnyDefinition): boolean => typeof definition.discover === "function";
const searched: readonly System[] = [...new Set(definitions.filter(hasSearch).map(({ system }) => system))];

/** The servers that the stack's configuration or else the environment names. */
function connectionsOf(terminal: Terminal, config: Configuration, name: string): Operation[] {
  const { environment } = terminal;
  const sources = { config, environment, cache: new Map(), engine: noEngine, log: logOf(terminal) };
  const configured = searched.flatMap((system) => {
    try {
      return [connect(system, name, sources)];
    } catch (error) {
      if (!(error instanceof StewardError) || error.code !== "ERR_NO_CONNECTION") throw error;
      return [];
    }
  });
  const width = Math.max(...searched.map((system) => system.name.length));
  for (const {
    server: { system, address },
  } of configured)
    say(
      terminal,
      `${system.padEnd(width)}  ${address}  (${isConfigured(config, name, system) ? `steward:${name} of the stack` : "environment"})`,
    );
  if (configured.length > 0) return configured;
  const variables = searched.map((system) => system.variables.map(({ address }) => address).join(" or "));
  throw new StewardError({
    code: "ERR_NO_CONNECTION",
    reason: `No server is configured under the connection "${name}"`,
    hint:
      name === "default"
        ? `Run the command in a project whose stack configures steward:default, pass --stack, or set ${variables.join(", or ")}.`
        : `Set steward:${name} in the configuration of the stack, or correct the name.`,
  });
}

function isConfigured(config: Configuration, name: string, system: string): boolean {
  const connection = parsed(config(`steward:${name}`) ?? "");
  return isObject(connection) && connection[system] !== undefined;
}

/** True for a resource of the server. */
const isIn =
  ({ server }: Operation) =>
  ({ system, dialects }: AnyDefinition): boolean =>
    system.name === server.system && (dialects?.includes(server.dialect) ?? true);

async function search(connections: readonly Operation[], options: DiscoverOptions): Promise<Findings> {
  const findings: Findings = { resources: [], refused: [] };
  const names = new Names();
  for (const operation of connections)
    for (const definition of definitions.filter(isIn(operation)))
      for (const discovered of await searchFor(definition, operation, options, findings.refused))
        add(findings, names, definition, discovered);
  return findings;
}

async function searchFor(
  definition: AnyDefinition,
  operation: Operation,
  { asSet = false, mount: mounts, module: modules, workspaces = false }: DiscoverOptions,
  refused: Findings["refused"],
): Promise<Discovered<Record<string, unknown>>[]> {
  const attempt: DiscoverRequest["attempt"] = async (what, part) => {
    try {
      return await part();
    } catch (error) {
      const explained = (await definition.diagnose?.(operation, error)) ?? error;
      // Any other failure may be temporary: fail, rather than print a list that only looks complete.
      if (!(explained instanceof StewardError) || !refusals.includes(explained.code)) throw explained;
      refused.push([`${nativeType(definition.token)} ${what}`, explained.message]);
      return [];
    }
  };
  const { discover, displayName } = definition;
  if (typeof discover !== "function") return [];
  try {
    return await discover({ operation, asSet, mounts, modules, workspaces, attempt });
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation: `Cannot search for ${displayName}` }) : error;
  }
}

const refusals: readonly string[] = ["ERR_FORBIDDEN", "ERR_NOT_FOUND", "ERR_REJECTED"];

function add(
  { resources, refused }: Findings,
  names: Names,
  definition: AnyDefinition,
  discovered: Discovered<Record<string, unknown>>,
): void {
  const { state, suggestedName = format(definition.name ?? definition.id, state) } = discovered;
  const id = format(definition.id, state);
  const type = nativeType(definition.token);
  if (parseId(definition, id)) resources.push({ definition, entry: { type, name: names.choose(suggestedName, id), id }, state });
  else refused.push([`${type} ${id}`, `"${id}" cannot be parsed as an id.`]);
}

function table(entries: readonly ImportEntry[]): string[] {
  if (entries.length === 0) return [];
  const rows = [["TYPE", "NAME", "ID"], ...entries.map(({ type, name, id }) => [type, name, id])];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
  return [...lines.map((line) => line.trimEnd()), ""];
}

/** The resources of these servers that cannot be imported, grouped by reason. */
function operations(connections: readonly Operation[]): [what: string, reason: string][] {
  const asked = definitions.filter(
    (definition) => typeof definition.discover !== "function" && connections.some((each) => isIn(each)(definition)),
  );
  const reasonOf = ({ discover }: AnyDefinition): string =>
    typeof discover === "string" ? discover : "an operation, which leaves nothing to import on the server";
  const reasons = [...new Set(asked.map(reasonOf))];
  return reasons.map((reason) => {
    const nouns = asked.filter((definition) => reasonOf(definition) === reason).map(({ displayName }) => displayName);
    return [[...new Set(nouns)].join(", "), `${reason}.`];
  });
}

/** Warnings about secrets in plaintext and missing write-only inputs in the generated program. */
function warnings({ resources }: Findings): string[] {
  return resources.flatMap(({ definition: { fields }, entry, state }) => {
    const readable = namesWith(fields, "secret").filter((name) => fields[name]?.output && state[name]);
    const hidden = namesWith(fields, "writeOnly").filter((name) => fields[name]?.input);
    const about = `${entry.type} "${entry.name}"`;
    return [
      ...(readable.length > 0
        ? [
            `${about}: \`pulumi import\` writes ${readable.join(", ")} into the program in plaintext. Replace each with config.requireSecret before you commit the program.`,
          ]
        : []),
      ...(hidden.length > 0
        ? [
            `${about}: the server never shows ${hidden.join(", ")}. Add the ones that you manage to the program: the next \`pulumi up\` writes them.`,
          ]
        : []),
    ];
  });
}

/** The next step after a search of another connection: an import reads only from the default one. */
const explicitProvider = (connection: string): string =>
  `No file was written: \`pulumi import\` uses only the connection "default". Declare an explicit provider with the settings of steward:${connection}, run \`pulumi up\`, and import each resource with \`pulumi import <type> <name> <id> --provider ${connection}=<URN of the provider>\`.`;
