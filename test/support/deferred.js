// @ts-check
// Node loads this before Pulumi's SDK in each process that a test starts. The SDK always loads the compiler of TypeScript and npm's resolver of
// dependencies, although only TypeScript programs and serialized closures use them. Loading them on first use saves a third of a run's CPU time.
const { existsSync, readFileSync } = require("node:fs");
const Module = /** @type {any} */ (require("node:module"));

const deferred = ["typescript", "@npmcli/arborist"];
const load = Module._load;

/** @param {string} request @param {NodeModule} parent @param {boolean} isMain */
Module._load = (request, parent, isMain) => {
  if (!deferred.includes(request) || !/[\\/]@pulumi[\\/]pulumi[\\/]/.test(parent.filename)) return load(request, parent, isMain);
  // The SDK catches the error of a missing module.
  Module._resolveFilename(request, parent);
  return new Proxy({}, { get: (_, name) => name === "__esModule" || load(request, parent, isMain)[name] });
};

// A program in JavaScript needs no compiler.
const { main } = existsSync("package.json") ? JSON.parse(readFileSync("package.json", "utf8")) : {};
if (main?.endsWith(".js")) delete process.env.PULUMI_NODEJS_TYPESCRIPT;
