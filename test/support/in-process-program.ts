import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as steward from "../../provider";
import type { Properties } from "./deployment";

const packages: Record<string, unknown> = { "@pulumi/pulumi": pulumi, "pulumi-steward": steward };

/** Runs the program of a folder in this process, with the modules of this process instead of the packages that it imports. */
export async function runProgram(folder: string): Promise<Properties> {
  const module = { exports: {} as Properties | (() => Promise<Properties>) };
  const { main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { main: string };
  /** Loads a module of this process, or another file of the program. */
  const load = (name: string): unknown => {
    if (!name.startsWith("./")) return packages[name] ?? require(name);
    const exports = {};
    new Function("exports", "require", sourceOf(join(folder, `${name}.ts`)))(exports, load);
    return exports;
  };
  const source = `return (async () => {${sourceOf(join(folder, main))}\n})()`;
  await new Function("exports", "module", "require", "__dirname", source)(module.exports, module, load, folder);
  return typeof module.exports === "function" ? module.exports() : module.exports;
}

/** The code of a file. The compiler of TypeScript is loaded on first use, since few programs need it. */
function sourceOf(file: string): string {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".ts")) return text;
  const ts = require("typescript") as typeof import("typescript");
  const { CommonJS: module } = ts.ModuleKind;
  return ts.transpileModule(text, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } }).outputText;
}
