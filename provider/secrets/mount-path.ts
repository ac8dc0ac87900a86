/** Slashes at either end mean nothing. @internal */
export const normalizeMount = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** Tells if a path can be part of a URL as it is: `team/scheduler`. @internal */
export const isMountPath = (path: string): boolean =>
  normalizeMount(path)
    .split("/")
    .every((segment) => !/^\.{0,2}$/.test(segment));
