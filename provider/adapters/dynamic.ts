import { createRequire } from "node:module";
import { join } from "node:path";
import { StewardError } from "../errors";

// What a program needs of Pulumi's dynamic providers. The other half, which the engine runs, is dynamic-runtime.ts.

/** @internal */
export const dynamicType = (token: string): string => `pulumi-nodejs:dynamic/steward/${token}`;

/**
 * The provider of a resource as Pulumi stores it with each resource, twice: the text of a CommonJS module whose `handler()` returns the
 * provider. One line that loads the package by name, instead of the serialised closure that `dynamic.Resource` would put there. Single quotes,
 * since the state is JSON, where each double one takes two bytes.
 * @internal
 */
export const providerText = (token: string): string =>
  `exports.handler=()=>{try{return require('pulumi-steward/runtime').provider('${token}')}catch(e){e.message="Install the program's dependencies";e.stack='';throw e}}`;

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
      advice: "Add pulumi-steward to the dependencies of the program's own package.json, and install them.",
    });
  }
  resolved = true;
}
