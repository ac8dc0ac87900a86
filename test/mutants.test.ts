import { readdirSync } from "node:fs";
import { join } from "node:path";
import { files } from "./mutants";
import { root } from "./support/pages";

const names = files.flatMap(({ mutants }) => mutants.map(({ name }) => name));
const suites = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".test.ts"));

test("there are enough mutants, each with a unique name, which stays when its code moves", () => {
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(60);
});

test.each(files)("every suite that may detect a mutant of $file exists", ({ suites: inProcess, commandLine = [] }) => {
  const patterns = [...inProcess, ...commandLine];
  expect(patterns.filter((pattern) => !suites.some((suite) => new RegExp(pattern).test(`test/${suite}`)))).toEqual([]);
});
