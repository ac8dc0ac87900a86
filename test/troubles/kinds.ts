import { AnyDefinition } from "../../provider/contract/definition";
import { cases, settingsCases } from "../cases";
import { Context, ResourceCase } from "../cases/case";
import { definitionOf, secretOutputs } from "../support/definitions";
import { Declaration, Properties, plain, Resource, Secret } from "../support/deployment";
import { Kind, settingsKind, Value, wholeKind } from "./kind";
import { ServerName, secondMount, World } from "./world";

/** A resource of the program. Its parts are roles, attributes or, for most kinds, the resource itself. */
export interface Item {
  name: string;
  kind: KindName;
  parts: Map<string, Value>;
  place: Place;
  adopt: boolean;
  /** The id of the object that it imports at first. */
  import?: string;
  parent?: string;
  aliases: string[];
  /** A change of its trigger replaces it. */
  trigger: number;
}

/** The place of an object. `twin` names the same server as `home`. */
export type Place = "home" | "twin" | "second" | "other";
const places: Record<Place, { connection: string; server: ServerName; mount?: string }> = {
  home: { connection: "default", server: "home" },
  twin: { connection: "twin", server: "home" },
  second: { connection: "default", server: "home", mount: secondMount },
  other: { connection: "other", server: "other" },
};

/** True if both places are the same mount of the same server. */
export const isSamePlace = (one: Place, other: Place): boolean =>
  places[one].server === places[other].server && places[one].mount === places[other].mount;

/** The type of a resource without its system: `SchedulerRole`. */
export type KindName = string;

/** A kind of resource, which its case describes. */
export interface CaseKind extends Kind {
  type: string;
  definition: AnyDefinition;
  case: ResourceCase;
  /** True if the programs know it only as a whole, so that only its case can read it. */
  isWhole: boolean;
}

function kindFor(each: ResourceCase): CaseKind[] {
  const { token: type, dialects, troubles } = each;
  if (typeof troubles === "string") return [];
  const definition = definitionOf(type);
  const settings = settingsCases.find((found) => type === `platform:${found.type}`);
  const own = troubles ?? (settings && settingsKind(settings, definition.fields));
  return [{ dialects, ...(own ?? wholeKind(each, definition.fields)), type, definition, case: each, isWhole: !own }];
}

/** Every resource that has a case, except those whose case says why not. */
export const kinds: ReadonlyMap<KindName, CaseKind> = new Map(cases.flatMap(kindFor).map((kind) => [kind.type.replace(/^.*:/, ""), kind]));
export const kindNames: readonly KindName[] = [...kinds.keys()];
export const kindOf = ({ kind }: Pick<Item, "kind">): CaseKind => kinds.get(kind) as CaseKind;

const isOfPlatform = ({ type }: CaseKind): boolean => type.startsWith("platform:");
export const hasMount = ({ definition }: CaseKind): boolean => "mount" in definition.fields;

/** True if the creation can adopt an existing object. */
export const adopts = (item: Pick<Item, "kind">): boolean => "adopt" in kindOf(item).definition.fields;

/** The server and, for a resource that has one, the mount of an object as the beginning of its key. The platform serves all places. */
function prefixOf(kind: CaseKind, server: ServerName, mount: string): string {
  if (isOfPlatform(kind)) return "";
  return hasMount(kind) ? `${server}/${mount}/` : `${server}/`;
}

/** The places of a kind, by the beginning of their keys. */
export const placesOf = (kind: CaseKind, world: World): Map<string, Context> =>
  new Map(
    Object.values(places).map(
      ({ server, mount = world.mount }) => [prefixOf(kind, server, mount), world.contextAt(server, mount)] as const,
    ),
  );

/** The expected objects of an item on the server. */
export function expected(item: Item, world: World): Map<string, string> {
  const kind = kindOf(item);
  const { server, mount = world.mount } = places[item.place];
  return new Map(
    [...item.parts].flatMap(([part, value]) => {
      const held = kind.held(part, value);
      return held ? [[prefixOf(kind, server, mount) + held[0], held[1]] as const] : [];
    }),
  );
}

/** The objects on a server that a program may declare only once. */
export const objectsOf = (item: Item, world: World): string[] =>
  kindOf(item).isOneObject ? [item.kind] : [...expected(item, world).keys()];

const secretsIn = (value: unknown): boolean =>
  value instanceof Secret || (typeof value === "object" && value !== null && Object.values(value).some(secretsIn));

/** The declaration that the item's class sends to the engine. */
export function declarationOf(item: Item, world: World, mechanism: "dynamic" | "native"): Declaration {
  const kind = kindOf(item);
  const { definition } = kind;
  const { connection, server, mount } = places[item.place];
  const inputs: Properties = { ...kind.inputs(item.parts, world.contextAt(server, mount)) };
  if (connection !== "default") inputs.connection = connection;
  if (mount && hasMount(kind)) inputs.mount = mount;
  if (item.adopt && adopts(item)) inputs.adopt = true;
  const marked = Object.keys(inputs).filter((name) => secretsIn(inputs[name]));
  // The engine passes these to the native plugin.
  const isNative = mechanism === "native";
  if (marked.length > 0 && !isNative) inputs.__secretInputs = marked;
  const { deleteBeforeReplace } = definition;
  return {
    name: item.name,
    type: kind.type,
    inputs,
    parent: item.parent,
    aliases: item.aliases,
    import: item.import,
    ...(item.trigger > 0 ? { replacementTrigger: item.trigger } : {}),
    ...(deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace }),
    secretOutputs: isNative ? [] : secretOutputs(definition),
  };
}

/** The objects of a resource on the servers, without settings, which cannot be deleted. */
export function keysOf({ type, id, outputs }: Resource, world: World): string[] {
  const kind = [...kinds.values()].find((each) => each.type === type);
  if (!kind?.keys) return [];
  const fields = plain(outputs) as Properties;
  const server = (["home", "other", "platform"] as const).find((name) => world.origins[name] === fields.__server);
  if (!server) throw new Error(`The state of ${id} has no address of its server.`);
  const prefix = prefixOf(kind, server === "other" ? server : "home", id.split("/")[0] as string);
  return kind.keys(fields).map((key) => prefix + key);
}
