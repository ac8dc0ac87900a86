// The entry of the single executable, which is also what a holder installs: the commands of a holder, or else the plugin that Pulumi starts.

if (["rekey", "root", "--help", "--version"].includes(process.argv[2] ?? "")) (require("./index") as typeof import("./index")).main();
else require("../provider/engine/plugin-main");
