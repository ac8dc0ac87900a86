import { referenceTo } from "../cases/case";
import { definitionOf, secretOutputs } from "../support/definitions";
import { Declaration, Properties, plain, Resource, Secret } from "../support/deployment";
import { ServerName, secondMount, World } from "./world";

/** The value of a part of a resource: one of three plain values, or a new secret, which may be a reference. */
export interface Value {
  level: number;
  canary?: number;
  isReference?: boolean;
}

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

interface Kind {
  type: string;
  parts: readonly string[];
  /** True for settings, modules and workspaces, which all places of the platform share. */
  isOfPlatform?: boolean;
  /** True if all parts belong to one object, which a program declares once. */
  isOneObject?: boolean;
  isOnlyOf?: World["dialect"];
  inputs(parts: Map<string, Value>, world: World): Properties;
  /** Reads a part from the server; undefined if it cannot be read. */
  held(part: string, value: Value): readonly [key: string, text: string] | undefined;
}

export const canaryText = (canary: number): string => `canary-${canary}-yranac`;
/** A number that never occurs by chance. */
const canaryNumber = (canary: number): number => 471_100_000 + canary;
export const canariesOf = (canary: number): string[] => [canaryText(canary), String(canaryNumber(canary))];

const text = ({ level, canary }: Value): string => (canary === undefined ? `value-${level}` : canaryText(canary));
const number = ({ level, canary }: Value): number => (canary === undefined ? 600 + level : canaryNumber(canary));
const marked = (value: Value, plain: unknown): unknown => (value.canary === undefined ? plain : new Secret(plain));
const only = (parts: Map<string, Value>): [string, Value] => [...parts][0] as [string, Value];

const roles = ["web", "ops", "etl"];
const attribute = (part: string): string => part.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const kinds = {
  role: {
    type: "secrets:SchedulerRole",
    parts: roles,
    inputs: (parts) => {
      const [name, value] = only(parts);
      return { name, policies: marked(value, [text(value)]) };
    },
    held: (part, value) => [`role/${part}`, text(value)],
  },
  set: {
    type: "secrets:SchedulerRoles",
    parts: roles,
    inputs: (parts) => ({
      roles: Object.fromEntries([...parts].map(([name, value]) => [name, { policies: marked(value, [text(value)]) }])),
    }),
    held: (part, value) => [`role/${part}`, text(value)],
  },
  access: {
    type: "secrets:SchedulerAccess",
    parts: ["access"],
    inputs: (parts, world) => {
      const [, value] = only(parts);
      const { token: text } = world.scheduler.records;
      // An update changes the form of the token, too.
      const token = new Secret(value.level % 2 === 1 ? referenceTo(text) : text);
      return { address: world.schedulerAddress, token, maxTokenNameLength: marked(value, number(value)) };
    },
    held: (part, value) => [part, String(number(value))],
  },
  lease: {
    type: "secrets:SchedulerLease",
    parts: ["lease"],
    inputs: (parts) => {
      const [, value] = only(parts);
      return { ttl: marked(value, number(value)), maxTtl: 2_000_000_000 };
    },
    held: (part, value) => [part, String(number(value))],
  },
  token: {
    type: "secrets:SchedulerToken",
    parts: ["token"],
    isOnlyOf: "hashicorp",
    inputs: (parts) => {
      const [, value] = only(parts);
      return { role: "theirs", keepers: { level: marked(value, text(value)) } };
    },
    held: () => undefined,
  },
  general: {
    type: "platform:GeneralSettings",
    parts: ["apiRateLimit", "defaultRemoteStateAccess"],
    isOfPlatform: true,
    isOneObject: true,
    inputs: (parts) =>
      Object.fromEntries([...parts].map(([name, value]) => [name, marked(value, name === "apiRateLimit" ? number(value) : true)])),
    held: (part, value) => [`general/${attribute(part)}`, part === "apiRateLimit" ? String(number(value)) : "true"],
  },
  saml: {
    type: "platform:SamlSettings",
    parts: ["siteAdminRole", "certificate", "privateKey"],
    isOfPlatform: true,
    isOneObject: true,
    isOnlyOf: "hashicorp",
    inputs: (parts) =>
      Object.fromEntries(
        [...parts].map(([name, value]) => [
          name,
          name === "privateKey" ? new Secret(value.isReference ? referenceTo(text(value)) : text(value)) : marked(value, text(value)),
        ]),
      ),
    // The provider writes a certificate with one newline at its end.
    held: (part, value) =>
      part === "privateKey" ? undefined : [`saml/${attribute(part)}`, `${text(value)}${part === "certificate" ? "\n" : ""}`],
  },
  deprecation: {
    type: "platform:ModuleVersionDeprecation",
    parts: ["1.0.0", "1.1.0"],
    isOfPlatform: true,
    inputs: (parts) => {
      const [moduleVersion, value] = only(parts);
      return { organizationName: "acme", moduleName: "network", moduleProvider: "aws", moduleVersion, reason: marked(value, text(value)) };
    },
    held: (part, value) => [`deprecation/network/${part}`, text(value)],
  },
  workspace: {
    type: "platform:AdminWorkspace",
    parts: ["ws-acmeNetworkProd", "ws-acmeNetworkTest"],
    isOfPlatform: true,
    inputs: (parts) => ({ workspaceId: only(parts)[0], destroyOnDelete: true }),
    held: (part) => [`workspace/${part}`, "there"],
  },
} satisfies Record<string, Kind>;
export type KindName = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as KindName[];
export const kindOf = ({ kind }: Pick<Item, "kind">): Kind => kinds[kind];

/** True if the creation can adopt an existing object. */
export const adopts = ({ kind }: Pick<Item, "kind">): boolean => ["role", "set", "access", "lease", "deprecation"].includes(kind);

/** The expected objects of an item on the server. */
export function expected(item: Item, world: World): Map<string, string> {
  const kind = kindOf(item);
  return new Map(
    [...item.parts].flatMap(([part, value]) => {
      const held = kind.held(part, value);
      return held ? [[kind.isOfPlatform ? held[0] : `${mountOf(item, world)}/${held[0]}`, held[1]] as const] : [];
    }),
  );
}

const mountOf = ({ place }: Item, world: World): string => `${places[place].server}/${places[place].mount ?? world.mount}`;

/** The objects on a server that a program may declare only once. */
export function objectsOf(item: Item, world: World): string[] {
  const kind = kindOf(item);
  if (item.kind === "token") return [];
  if (kind.isOneObject) return [item.kind];
  return [...expected(item, world).keys()];
}

const secretsIn = (value: unknown): boolean =>
  value instanceof Secret || (typeof value === "object" && value !== null && Object.values(value).some(secretsIn));

/** The declaration that the item's class sends to the engine. */
export function declarationOf(item: Item, world: World, mechanism: "dynamic" | "native"): Declaration {
  const kind = kindOf(item);
  const definition = definitionOf(kind.type);
  const { connection, mount } = places[item.place];
  const inputs: Properties = kind.inputs(item.parts, world);
  if (connection !== "default") inputs.connection = connection;
  if (!kind.isOfPlatform && mount) inputs.mount = mount;
  if (item.adopt && adopts(item)) inputs.adopt = true;
  const marked = Object.keys(inputs).filter((name) => secretsIn(inputs[name]));
  // The engine passes these to the native plugin.
  const isNative = mechanism === "native";
  if (marked.length > 0 && !isNative) inputs.secretInputs = marked;
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
  const { server, roles } = plain(outputs) as { server?: string; roles?: object };
  const at = server === world.origins.other ? "other" : "home";
  const mount = id.split("/")[0];
  switch (type) {
    case kinds.role.type:
      return [`${at}/${id}`];
    case kinds.set.type:
      return Object.keys(roles ?? {}).map((name) => `${at}/${id}/${name}`);
    case kinds.access.type:
      return [`${at}/${mount}/access`];
    case kinds.lease.type:
      return [`${at}/${mount}/lease`];
    case kinds.deprecation.type:
      return [`deprecation/network/${id.split("/")[3]}`];
    case kinds.workspace.type:
      return [`workspace/${id}`];
    default:
      return [];
  }
}
