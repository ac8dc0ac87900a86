import { ConfigurationSources, connect } from "../../provider/connection";
import { AnyDefinition, Discovered, DiscoverRequest } from "../../provider/contract/definition";
import { StewardError } from "../../provider/contract/errors";
import { format, parseId } from "../../provider/contract/fields";
import { Operation, System } from "../../provider/contract/operation";
import { className } from "../../provider/lifecycle/context";
import { Properties } from "../../provider/lifecycle/properties";
import { recorded } from "../../provider/lifecycle/references";
import { nativeType } from "../../provider/program/dynamic";
import { definitions } from "../../provider/registry/resources";
import { isObject, parsed } from "../../provider/text/json";
import { say, Terminal } from "../terminal";
import { Names, Variables } from "./names";
import { Configuration } from "./stack";

/** The options of a search. */
export interface SearchOptions {
  connection: string;
  mount: string[];
  module: string[];
  workspaces?: boolean;
  asSet?: boolean;
}

/** An object that can be imported. */
export interface Found {
  definition: AnyDefinition;
  operation: Operation;
  discovered: Discovered<Properties>;
  name: string;
  id: string;
}

/** An object that cannot be imported, with the reason. */
export type Refused = [what: string, reason: string];

const hasSearch = (definition: AnyDefinition): boolean => typeof definition.discover === "function";
const searched: readonly System[] = [...new Set(definitions.filter(hasSearch).map(({ system }) => system))];

/** The servers that the stack's configuration or else the environment names. */
export function connectionsOf(sources: ConfigurationSources, name: string): Operation[] {
  const configured = searched.flatMap((system) => {
    try {
      return [connect(system, name, sources)];
    } catch (error) {
      if (!(error instanceof StewardError) || error.code !== "ERR_NO_CONNECTION") throw error;
      return [];
    }
  });
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

/** Prints the addresses of the servers, and who named them. */
export function announce(terminal: Terminal, connections: readonly Operation[], config: Configuration, name: string): void {
  const width = Math.max(...searched.map((system) => system.name.length));
  for (const {
    server: { system, address },
  } of connections)
    say(
      terminal,
      `${system.padEnd(width)}  ${address}  (${isConfigured(config, name, system) ? `steward:${name} of the stack` : "environment"})`,
    );
}

function isConfigured(config: Configuration, name: string, system: string): boolean {
  const connection = parsed(config(`steward:${name}`) ?? "");
  return isObject(connection) && connection[system] !== undefined;
}

/** True for a resource of the server. */
export const isIn =
  ({ server }: Operation) =>
  ({ system, dialects }: Pick<AnyDefinition, "dialects"> & { system: Pick<System, "name"> }): boolean =>
    system.name === server.system && (dialects?.includes(server.dialect) ?? true);

/** Searches the servers. Adds what cannot be imported to `refused`. */
export async function search(connections: readonly Operation[], options: SearchOptions, refused: Refused[]): Promise<Found[]> {
  const objects: Found[] = [];
  const names = new Names();
  const variables = new Variables();
  for (const operation of connections)
    for (const definition of definitions.filter(isIn(operation)))
      for (const discovered of await searchFor(definition, operation, options, refused)) {
        const { state, suggestedName = format(definition.name ?? definition.id, state), unreadable = {} } = discovered;
        const id = format(definition.id, state);
        if (parseId(definition, id))
          objects.push({
            definition,
            operation,
            discovered: {
              ...discovered,
              unreadable: Object.fromEntries(Object.entries(unreadable).map(([field, env]) => [field, variables.choose(env)])),
            },
            name: names.choose(suggestedName, id),
            id,
          });
        else refused.push([`${nativeType(definition.token)} ${id}`, `"${id}" cannot be parsed as an id.`]);
      }
  return objects;
}

/** Makes the function that runs a part of a search. If the server rejects it, records the reason, and returns nothing. */
export const attemptFor =
  (definition: AnyDefinition, refused: Refused[]): DiscoverRequest["attempt"] =>
  async (what, part) => {
    try {
      return await part();
    } catch (error) {
      // Any other failure may be temporary: fail, rather than print a list that only looks complete.
      const isRefusal = error instanceof StewardError && (refusals.includes(error.code) || error.details.rule === "unstorable");
      if (!isRefusal) throw error;
      refused.push([`${nativeType(definition.token)} ${what}`, error.message]);
      return [];
    }
  };

async function searchFor(
  definition: AnyDefinition,
  operation: Operation,
  { asSet = false, mount: mounts, module: modules, workspaces = false }: SearchOptions,
  refused: Refused[],
): Promise<Discovered<Properties>[]> {
  const attempt = attemptFor(definition, refused);
  const { discover } = definition;
  if (typeof discover !== "function") return [];
  try {
    const found = await discover({ operation, asSet, mounts, modules, workspaces, attempt });
    return found.map((each) => ({ ...each, state: recorded(definition.fields, each.state) }));
  } catch (error) {
    throw error instanceof StewardError ? error.with({ operation: `Cannot search for ${className(definition)}` }) : error;
  }
}

const refusals: readonly string[] = ["ERR_INVALID_INPUT", "ERR_FORBIDDEN", "ERR_NOT_FOUND", "ERR_REJECTED"];
