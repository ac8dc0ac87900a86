import { z } from "zod";
import { Comparison } from "../contract/comparison";
import { adoptField, connectionField, rule } from "../contract/inputs";
import { defaultMount } from "./client";
import { isMountPath, normalizeMount } from "./mount-path";

/** Inputs of every resource and function of the Nomad secrets engine. */
export interface MountArgs {
  /**
   * The mount path of the Nomad secrets engine, which may be nested.
   * @example "team/nomad"
   * @default the connection's `mount`, or else "nomad"
   */
  mount?: string;
}

const path = z
  .string("must be a path such as team/nomad")
  .refine(isMountPath, rule("mount", "must be a path such as team/nomad, without empty parts"));

/** The input `mount` of a function. */
export const mountInput: z.ZodType<string | undefined> = path.optional();

const trimmed = (value: unknown): unknown => (typeof value === "string" ? normalizeMount(value) : value);

const mounts: Comparison = { normalize: trimmed, equal: (a, b) => trimmed(a) === trimmed(b) };
/** The input and output `mount` of a resource. */
export const mountField = { input: path, default: defaultMount, output: true, compare: mounts, replaces: true } as const;
/** The inputs that are the same in every resource at a mount that may adopt an object. */
export const mountedFields = { mount: mountField, adopt: adoptField, connection: connectionField };
