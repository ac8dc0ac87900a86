import { readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../../sandbox/index";
import { sandboxOfTest } from "./sandbox";

const page = readFileSync(join(__dirname, "../../sandbox/README.md"), "utf8");
/** The names in the first column of the table with this heading. */
const rowsOf = (heading: string): string[] => {
  const table = page.slice(page.indexOf(`| ${heading} |`)).split("\n\n")[0] ?? "";
  return [...table.matchAll(/^\| `([\w-]+)/gm)].map(([, name = ""]) => name).sort();
};

const known = (error: Error): string[] => /Known: (.*)\.$/.exec(error.message)?.[1]?.split(", ").sort() ?? [];

const open = sandboxOfTest();

test("the README lists every member, option and fault of the sandbox", async () => {
  const sandbox = await open();
  const add = async (action: string): Promise<void> => sandbox.faults.add({ system: "secrets", path: "/", action: action as "refuse" });
  expect(rowsOf("Member of the sandbox")).toEqual(Object.keys(sandbox).sort());
  expect(rowsOf("Option of `start()`")).toEqual(await start({ no: 1 } as object).catch(known));
  expect(rowsOf("Action")).toEqual(await add("none").catch(known));
});
