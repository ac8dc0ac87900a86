// @ts-check
// Compiles TypeScript for jest. `npm run check` checks the types.
const { readFileSync } = require("node:fs");
const { createHash } = require("node:crypto");
const { transformSync, version } = require("esbuild");

/**
 * Jest loads only CommonJS, so `import()` becomes `require`.
 * @type {import("esbuild").TransformOptions}
 */
const options = { loader: "ts", format: "cjs", target: "node20", supported: { "dynamic-import": false }, sourcemap: "inline" };
const self = readFileSync(__filename);

/** @type {import("@jest/transform").SyncTransformer} */
module.exports = {
  process: (source, file) => transformSync(source, { ...options, sourcefile: file }),
  getCacheKey: (source, file) => createHash("sha1").update(self).update(version).update(file).update("\0").update(source).digest("hex"),
};
