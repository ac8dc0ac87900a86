// @ts-check
// Lets Node load TypeScript for the benchmarks, as jest does for the tests.
const fs = require("node:fs");
const { ModuleKind, ScriptTarget, transpileModule } = require("typescript");

/** Uses `any`, since the types of Node lack the method of its loader. @type {(module: any, file: string) => void} */
function load(module, file) {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true, inlineSourceMap: true };
  module._compile(transpileModule(fs.readFileSync(file, "utf8"), { compilerOptions, fileName: file }).outputText, file);
}

require.extensions[".ts"] = load;
