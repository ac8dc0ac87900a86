// @ts-check
// Bundles the declarations of a package from the entries in its package.json, so that they contain only what these export.
//
//   rollup --config <this file>, in the folder of the package
import fs from "node:fs";
import { dts } from "rollup-plugin-dts";

/** @type {{ exports: Record<string, { types?: string }> }} */
const { exports } = JSON.parse(fs.readFileSync("package.json", "utf8"));
const names = Object.values(exports).flatMap(({ types }) => types?.replace(/^\.\/dist\/|\.d\.ts$/g, "") ?? []);

/** @type {import("rollup").RollupOptions} */
export default {
  input: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
  // One file for each source keeps the names of declarations, and entries share the same class.
  output: { dir: "dist", preserveModules: true, preserveModulesRoot: "." },
  external: (id) => !/^[./]/.test(id),
  plugins: [dts({ tsconfig: "tsconfig.build.json" })],
};
