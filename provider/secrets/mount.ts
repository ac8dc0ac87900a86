import { z } from "zod";
import { Comparison } from "../comparison";

/** Slashes at either end mean nothing. @internal */
export const trimMount = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** Tells if a path can be part of a URL as it is: `team/scheduler`. @internal */
export const isMountPath = (path: string): boolean =>
  trimMount(path)
    .split("/")
    .every((segment) => !/^\.{0,2}$/.test(segment));

/** What lives in a mounted engine. */
export interface Mounted {
  /**
   * Where the scheduler engine is mounted; may be nested, as in `team/scheduler`. Changing this replaces the resource.
   * @default the connection's `mount`, or else "scheduler" ("nomad" in the hashicorp dialect)
   */
  mount?: string;
}

/** @internal */
export const mountInput: z.ZodType<string | undefined> = z
  .string("must be a path such as team/scheduler")
  .refine(isMountPath, "must be a path such as team/scheduler, without empty parts")
  .optional();

const trimmed = (value: unknown): unknown => (typeof value === "string" ? trimMount(value) : value);

/** @internal */
export const mountPath: Comparison = {
  normalise: trimmed,
  equal: (a, b) => trimmed(a) === trimmed(b),
};

/** The mount in an id: what stands before the part that names the object. @internal */
export function mountBefore(id: string, end: RegExp): { mount: string } | undefined {
  const mount = id.replace(end, "");
  return mount !== id && mount === trimMount(mount) && isMountPath(mount) ? { mount } : undefined;
}
