// @ts-check
// Lets Node load TypeScript, for the benchmarks: what jest does for the tests.
const fs = require("node:fs");
const { ModuleKind, ScriptTarget, transpileModule } = require("typescript");

/** @type {(module: any, file: string) => void} `any`: the method that Node's own loader calls is not in its types. */
function load(module, file) {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true, inlineSourceMap: true };
  module._compile(transpileModule(fs.readFileSync(file, "utf8"), { compilerOptions, fileName: file }).outputText, file);
}

require.extensions[".ts"] = load;
