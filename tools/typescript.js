// @ts-check
// Lets Node load TypeScript as jest does, for the tools, the benchmarks, attacks, chaos, mutants and pictures.
const fs = require("node:fs");
const { ModuleKind, ScriptTarget, transpileModule } = require("typescript");

/** @type {(module: NodeModule, file: string) => void} */
function load(module, file) {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true, inlineSourceMap: true };
  // The types of Node lack the method.
  const loaded = /** @type {NodeModule & { _compile(code: string, file: string): void }} */ (module);
  loaded._compile(transpileModule(fs.readFileSync(file, "utf8"), { compilerOptions, fileName: file }).outputText, file);
}

require.extensions[".ts"] = load;
