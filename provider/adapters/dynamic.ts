import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { StewardError } from "../errors";

// What a program needs of Pulumi's dynamic providers. The other half, which the engine runs, is dynamic-runtime.ts.

/** @internal */
export const dynamicType = (token: string): string => `pulumi-nodejs:dynamic/steward/${token}`;

/** The same resource, served by the native plugin. @internal */
export const nativeType = (token: string): string => `steward:${token}`;

/**
 * The release that writes the state. It stands in the text of the provider, which costs 12 bytes for each resource: an output of its own would cost more,
 * and the default provider, of which a stack has one, would be another process after each release. Without the last number, so that no patch changes a
 * state. @internal
 */
export const release = "0.1";

/**
 * The provider of a resource as Pulumi stores it with each resource, twice: the text of a CommonJS module whose `handler()` returns the
 * provider. One line that loads the package by name, instead of the serialised closure that `dynamic.Resource` would put there. Single quotes,
 * since the state is JSON, where each double one takes two bytes.
 * @internal
 */
export const providerText = (token: string): string =>
  `exports.handler=()=>{try{return require('pulumi-steward/runtime').provider('${token}','${release}')}catch(e){e.message="Install the program's dependencies";e.stack='';throw e}}`;

let resolved = false;

/**
 * The engine loads the package from the program's folder, where a dependency of a dependency may not be found: better said here, once,
 * than by each resource.
 * @internal
 */
export function assertRuntimeResolves(): void {
  if (resolved) return;
  try {
    // Not `require.resolve` with `paths`: inside this package its own name always resolves, to itself.
    createRequire(join(process.cwd(), "program.js")).resolve("pulumi-steward/runtime");
  } catch {
    throw new StewardError({
      code: "ERR_NOT_INSTALLED",
      reason: `pulumi-steward cannot be loaded from the program's folder, ${process.cwd()}`,
      hint: "Add pulumi-steward to the dependencies of the program's own package.json, and install them.",
    });
  }
  resolved = true;
}

const library = dirname(__dirname);
/** Whether a frame of a call stack is the program's: not Node's, not Pulumi's, not ours. */
function isProgram(file: string | null | undefined): boolean {
  return !!file && !file.startsWith("node:") && !/[\\/]node_modules[\\/]@pulumi[\\/]/.test(file) && !file.startsWith(library + sep);
}

/**
 * Pulumi keeps the call stack of each resource in the state: the program's own lines, which are of use, and ten of Node's and Pulumi's, which are a
 * fifth of the state of a small resource. No option turns that off, so the stack is shortened as it is taken: once, for the constructor that runs next.
 * @internal
 */
export function shortenCallStack(): void {
  const before = Error.prepareStackTrace;
  const restore = (): void => {
    Error.prepareStackTrace = before;
  };
  Error.prepareStackTrace = (error, frames) => {
    restore();
    const first = frames.findIndex((frame) => isProgram(frame.getFileName()));
    const kept = frames.filter((frame, depth) => first < 0 || depth < first || isProgram(frame.getFileName()));
    return before ? before(error, kept) : [String(error), ...kept.map((frame) => `    at ${frame}`)].join("\n");
  };
  queueMicrotask(restore);
}
