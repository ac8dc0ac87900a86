// @ts-check
// Node loads this before Pulumi's SDK in each process that a test starts. The SDK always loads the compiler of TypeScript and npm's resolver of
// dependencies, although only TypeScript programs and serialized closures use them. Loading them on first use saves a third of a run's CPU time.
const { existsSync, readFileSync } = require("node:fs");
const Module = /** @type {any} */ (require("node:module"));

const deferred = ["typescript", "@npmcli/arborist"];
const resolve = Module._resolveFilename;

// A wrapper of `Module._load` would appear in the call stacks that Pulumi stores.
/** @param {string} request @param {NodeModule} parent @param {unknown[]} more */
Module._resolveFilename = (request, parent, ...more) => {
  const file = resolve(request, parent, ...more);
  if (!deferred.includes(request) || !/[\\/]@pulumi[\\/]pulumi[\\/](?!vendor)/.test(parent.filename)) return file;
  const name = `deferred ${file}`;
  Module._cache[name] = { loaded: true, exports: new Proxy({}, { get: (_, key) => key === "__esModule" || require(file)[key] }) };
  return name;
};

// A program in JavaScript needs no compiler.
const { main } = existsSync("package.json") ? JSON.parse(readFileSync("package.json", "utf8")) : {};
if (main?.endsWith(".js")) delete process.env.PULUMI_NODEJS_TYPESCRIPT;
