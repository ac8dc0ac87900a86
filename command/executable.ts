import { basename } from "node:path";

// The entry of the single executable, which is also what a holder installs: the commands of a holder, or else the plugin that Pulumi starts.

// Pulumi starts its plugin by this name, with an address. A holder renames the file.
const isPlugin = basename(process.execPath).startsWith("pulumi-resource-") && !["rekey", "root"].includes(process.argv[2] ?? "");
if (isPlugin) require("../provider/engine/plugin-main");
else (require("./index") as typeof import("./index")).main();
