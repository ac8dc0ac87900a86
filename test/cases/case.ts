import { createHash } from "node:crypto";
import type * as fc from "fast-check";
import { AnyFields } from "../../provider/contract/definition";
import { namesWith } from "../../provider/contract/fields";
import { Sandbox } from "../../sandbox/index";
import type { Kind } from "../troubles/kind";

export type Properties = Record<string, unknown>;
export type System = "secrets" | "platform" | "scheduler";

/** The servers of a case: the sandbox in one dialect. */
export interface Context {
  dialect: "standard" | "hashicorp";
  sandbox: Sandbox;
  /** The mount of the Nomad secrets engine. */
  mount: string;
  /** Sends a request outside Pulumi. */
  outOfBand(system: System, method: string, path: string, body?: object): Promise<unknown>;
}

/** The requests of each operation, `<METHOD> <path>`, for the life of the case and for its page. The order of parallel requests is not significant. */
export interface Requests {
  create: readonly string[];
  update?: readonly string[];
  refresh: readonly string[];
  delete: readonly string[];
}

/** A change outside Pulumi. */
export interface Drift {
  change(context: Context): Promise<unknown>;
  /** The fields of the drift that a refresh reports, or "gone" if the resource no longer exists. A change that is no drift is a test of the resource. */
  shows: readonly [string, ...string[]] | "gone";
  /** The dialect whose API does not return the change, so that a refresh reports no drift. */
  hiddenIn?: Context["dialect"];
}

/** One resource, for every suite that covers all resources: life cycle, faults, random inputs, secrets, states of earlier releases. */
export interface ResourceCase {
  token: string;
  /** The dialects that have the resource. If omitted, all have it. */
  dialects?: readonly Context["dialect"][];
  /** Valid inputs. They include each secret, which begins with `canary`. */
  inputs(context: Context): Properties;
  /** The inputs of an update. Undefined: every change replaces the resource. */
  changed?(context: Context): Properties;
  /** The inputs of a replacement. Undefined: no input replaces the resource. */
  replaced?(context: Context): Properties;
  /** Set if each creation has a new effect, such as another key, so that a second one is not equal. */
  isRepeatable?: false;
  /** Creates the objects that must exist first. */
  prepare?(context: Context): Promise<unknown>;
  /** The requests. Undefined if the resource sends none alone, as for the steps of a rekey. */
  requests?(context: Context): Requests;
  /** The paths whose writes never create an object, so that the Vault policy on the page has no `create` for them. */
  neverCreates?: readonly string[];
  drifts?: readonly Drift[];
  /** The paths at which the servers show the resource's changes. */
  paths?(context: Context): readonly string[];
  /** A valid value for each input, for random inputs. A name has the same meaning in all resources. */
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /**
   * The programs of test/troubles create it with `inputs`, and update it to `changed`. If they do more, this is how, and if none declares it, the
   * reason.
   */
  troubles?: Kind | string;
  /** Inputs that are always required for valid inputs, in addition to the declared ones. */
  needed?: readonly string[];
}

/** The requests for one object of a secrets engine. */
export const requestsOf =
  (path: (context: Context) => string, remove: (context: Context) => string = () => "DELETE") =>
  (context: Context): Requests => {
    const [read, write] = [`GET ${path(context)}`, `POST ${path(context)}`];
    return { create: [read, write], update: [write], refresh: [read], delete: [`${remove(context)} ${path(context)}`] };
  };

/** A write of another client to Vault. */
export const written = (path: (context: Context) => string, body: object, shows: Drift["shows"], hiddenIn?: Drift["hiddenIn"]): Drift => ({
  change: (context) => context.outOfBand("secrets", "POST", path(context), body),
  shows,
  hiddenIn,
});

/** The part of a case about an object in a list of the platform, which chooses its id. Others change these attributes of the first object. */
export function listedAt(path: string, attributes: object, shows: Drift["shows"]): Pick<ResourceCase, "requests" | "drifts" | "paths"> {
  const change =
    (method: string, body?: object) =>
    async ({ outOfBand }: Context): Promise<unknown> => {
      const { data } = (await outOfBand("platform", "GET", path)) as { data: Properties[] };
      return outOfBand("platform", method, `${path}/${data[0]?.id}`, body);
    };
  return {
    requests: () => ({
      create: [`GET ${path}`, `POST ${path}`],
      update: [`PATCH ${path}/<id>`],
      refresh: [`GET ${path}`],
      delete: [`DELETE ${path}/<id>`],
    }),
    drifts: [
      { change: change("PATCH", { data: { attributes } }), shows },
      { change: change("DELETE"), shows: "gone" },
    ],
    paths: () => [path],
  };
}

/** The roles that programs of test/troubles declare, alone or in a set. */
export const roleNames = ["web", "ops", "etl"];

/** A role of another client. A 404 of an unknown form shows that an object is gone only if the engine responds with something else. */
export const addTheirRole = ({ mount, outOfBand }: Context): Promise<unknown> =>
  outOfBand("secrets", "POST", `/v1/${mount}/role/theirs`, { policies: "theirs", type: "client" });

/** Selects the cases, or the definitions, of the resources that a dialect has. */
export const isIn =
  (dialect: string) =>
  ({ dialects }: { dialects?: readonly string[] }): boolean =>
    dialects?.includes(dialect) ?? true;

/** A reference to a secret. Its variable is named after the value, so a new value is a new reference. */
export function referenceTo(value: string): { env: string } {
  const env = `SECRET_${createHash("sha256").update(value).digest("hex").slice(0, 16)}`;
  process.env[env] = value;
  return { env };
}

/** The inputs with each secret string, or those of `names`, by reference. */
export function withReferences(fields: AnyFields, inputs: Properties, names = namesWith(fields, "secret")): Properties {
  const result = { ...inputs };
  for (const name of names) {
    const value = inputs[name];
    if (typeof value === "string") result[name] = referenceTo(value);
  }
  return result;
}

export const canary = (field: string): string => `canary-${field}`;
