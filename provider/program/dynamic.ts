import { createRequire } from "node:module";
import { join } from "node:path";
import { StewardError } from "../contract/errors";
import { isRunByPulumi } from "./project-file";

// The program's side of Pulumi's dynamic providers. engine/dynamic-runtime.ts is the engine's side.

export const dynamicType = (token: string): string => `pulumi-nodejs:dynamic/steward/${token}`;

/** The same resource, served by the native plugin. */
export const nativeType = (token: string): string => `steward:${token}`;

/**
 * The release that writes the state, without the patch number, so that patch releases do not change the state. It adds 12 bytes to each resource.
 */
export const release = "0.1";

/**
 * The code of a provider: a CommonJS module whose `handler()` returns the provider. Pulumi stores it twice for each resource, in the inputs and in the
 * outputs. It loads the package by name, unlike the serialized closure of `dynamic.Resource`. Uses single quotes where possible: JSON escapes double quotes.
 */
export const providerText = (token: string): string =>
  `exports.handler=()=>{try{return require('pulumi-steward/runtime').provider('${token}','${release}')}catch(e){e.message="Install the program's dependencies";e.stack='';throw e}}`;

/** The program may change its folder later. */
const folder = process.cwd();
let resolved = false;

/**
 * Throws if the engine cannot load the package from the program's folder, where a dependency of a dependency may be missing. Otherwise each resource would
 * fail.
 */
export function assertRuntimeResolves(): void {
  if (resolved || !isRunByPulumi()) return;
  try {
    // Not `require.resolve` with `paths`, which always resolves this package's own name to itself.
    createRequire(join(folder, "program.js")).resolve("pulumi-steward/runtime");
  } catch {
    throw new StewardError({
      code: "ERR_NOT_INSTALLED",
      reason: `pulumi-steward cannot be loaded from the program's folder, ${folder}`,
      hint: "Install it in that folder: https://github.com/pulumi-steward/pulumi-steward#install-and-use.",
    });
  }
  resolved = true;
}
