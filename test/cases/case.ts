import type * as fc from "fast-check";
import { Sandbox } from "../../sandbox/index";

export type Properties = Record<string, unknown>;
export type System = "secrets" | "platform" | "scheduler";

/** The servers of a case: the sandbox, in one dialect. */
export interface Context {
  dialect: "standard" | "hashicorp";
  sandbox: Sandbox;
  /** Where the scheduler engine is mounted. */
  mount: string;
  /** A request outside Pulumi. */
  outOfBand(system: System, method: string, path: string, body?: object): Promise<unknown>;
}

/** The requests of each operation, `<METHOD> <path>`, for the life of the case and for its page. The order of parallel ones means nothing. */
export interface Requests {
  create: readonly string[];
  update?: readonly string[];
  refresh: readonly string[];
  delete: readonly string[];
}

/** A change outside Pulumi. */
export interface Drift {
  change(context: Context): Promise<unknown>;
  /** The fields that a refresh then shows; "gone" where the resource no longer exists. */
  shows: readonly string[] | "gone";
  /** The dialect whose API does not return what changed: a refresh shows no change there. */
  hiddenIn?: Context["dialect"];
}

/** One resource, for every suite that takes all of them: its life, faults, random inputs, secrets, states of former releases. */
export interface ResourceCase {
  token: string;
  /** Valid inputs. Each secret is given, and begins with `canary`. */
  inputs(context: Context): Properties;
  /** The inputs of an update. Missing: every change replaces the resource. */
  changed?(context: Context): Properties;
  /** The inputs of a replacement. Missing: no input replaces the resource. */
  replaced?(context: Context): Properties;
  /** Each creation has an effect of its own, such as another key: a repeated one is not the same. */
  isRepeatable?: false;
  /** What the servers have to hold before. */
  prepare?(context: Context): Promise<unknown>;
  /** Missing: no request belongs to it alone, as with the steps of a rekey. */
  requests?(context: Context): Requests;
  drifts?: readonly Drift[];
  /** The paths at which the servers show what it changes. */
  paths?(context: Context): readonly string[];
  /** A valid value for each input, for random inputs. A name means the same in all resources. */
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>;
  /** Inputs without which nothing is valid, beside the required ones. */
  needed?: readonly string[];
  /** A server that refuses the creation, and echoes the whole request. */
  refusal?: {
    /** What settings show before it. */
    shows?: Properties;
    /** Responses by path, before it. */
    answers?: Readonly<Record<string, object>>;
    /** The error. */
    fails?: RegExp;
  };
}

/** Where a 404 proves nothing by itself, the document of all paths is read, once in a run. */
export const absence = ({ dialect }: Context): string[] => (dialect === "standard" ? ["GET /v1/sys/internal/specs/openapi"] : []);

export const canary = (field: string): string => `canary-${field}`;
