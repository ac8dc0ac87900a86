import { readFileSync } from "node:fs";
import { join } from "node:path";

const [, section = ""] = readFileSync(join(__dirname, "../../docs/reference/errors.md"), "utf8").split("\n## After a kill\n");
const [, cancel = "", up = ""] = /^Run `pulumi (cancel .*?)`, then `pulumi (up.*?)`\./m.exec(section) ?? [];

/** The commands to run after a kill, from docs/reference/errors.md, without `pulumi`. */
export const afterKill = { cancel, up: up as "up --refresh" };
