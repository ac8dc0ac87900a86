/** Removes leading and trailing slashes. */
export const normalizeMount = (path: string): string => path.replace(/^\/+|\/+$/g, "");

/** True if no segment of the path is empty, `.` or `..`. */
export const isMountPath = (path: string): boolean =>
  normalizeMount(path)
    .split("/")
    .every((segment) => !/^\.{0,2}$/.test(segment));
