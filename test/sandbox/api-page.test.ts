import { readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "../../sandbox/index";
import { sandboxOfTest } from "./sandbox";

const page = readFileSync(join(__dirname, "../../docs/api/sandbox.md"), "utf8");
/** The names in the first column of the table of this section, without the members of a name. */
const rowsOf = (heading: string): string[] => {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`) + 1).split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `(\w+)(?![\w.])/gm)].map(([, name = ""]) => name).sort();
};

const known = (error: Error): string[] => /Known: (.*)\.$/.exec(error.message)?.[1]?.split(", ").sort() ?? [];

const open = sandboxOfTest();

test("the API page lists every member, option and fault of the sandbox", async () => {
  const sandbox = await open();
  const add = async (action: string): Promise<void> => sandbox.faults.add({ system: "secrets", path: "/", action: action as "refuse" });
  expect(rowsOf("Sandbox")).toEqual(Object.keys(sandbox).sort());
  expect(rowsOf("Options")).toEqual(await start({ no: 1 } as object).catch(known));
  const [, actions = ""] = /^\| `action` \|.*?<br>(.*) \|$/m.exec(page) ?? [];
  expect([...actions.matchAll(/(?:^|<br>)- `([\w-]+)`:/g)].map(([, name = ""]) => name).sort()).toEqual(await add("none").catch(known));
});
