// @ts-check
// Compiles TypeScript for jest, and lets Node load it for the tools, the benchmarks, chaos, mutants and pictures. `npm run check` checks the types.
const { readFileSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { transformSync, version } = require("esbuild");

/**
 * Jest loads only CommonJS, so `import()` becomes `require`.
 * @type {import("esbuild").TransformOptions}
 */
const options = { loader: "ts", format: "cjs", target: "node20", supported: { "dynamic-import": false }, sourcemap: "inline" };
const self = readFileSync(__filename);

/** @param {string} source @param {string} file */
const compile = (source, file) => transformSync(source, { ...options, sourcefile: file });

/** The types of Node lack the method. @param {NodeModule & { _compile?(code: string, file: string): void }} module @param {string} file */
require.extensions[".ts"] = (module, file) => module._compile?.(compile(readFileSync(file, "utf8"), file).code, file);

/** @type {import("@jest/transform").SyncTransformer} */
module.exports = {
  process: compile,
  getCacheKey: (source, file) => createHash("sha1").update(self).update(version).update(file).update("\0").update(source).digest("hex"),
};
