// `pulumi-steward/sandbox` forwards to the package `pulumi-steward-sandbox`.
import type * as sandbox from "pulumi-steward-sandbox";
import { loadSandbox } from "./load";

export type * from "pulumi-steward-sandbox";

// With `export *`, the error in an ES module would name a missing export instead of the missing package.
export const start: typeof sandbox.start = loadSandbox(() => require("pulumi-steward-sandbox") as typeof sandbox).start;
