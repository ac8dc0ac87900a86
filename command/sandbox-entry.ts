// The export `pulumi-steward/sandbox`: the package `pulumi-steward-sandbox`, if it is installed.
import type * as sandbox from "pulumi-steward-sandbox";
import { loadSandbox } from "./sandbox";

export type * from "pulumi-steward-sandbox";

// With `export *`, the error in an ES module would name a missing export instead of the missing package.
export const start: typeof sandbox.start = loadSandbox(() => require("pulumi-steward-sandbox") as typeof sandbox).start;
