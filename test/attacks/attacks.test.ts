import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { files } from "../mutants/files";
import { root } from "../support/pages";
import { sections } from "./attacks";
import { pathOf, render } from "./render";

const attacks = sections.flatMap((section) => section.attacks);
const inTests = (path: string): string => join(root, "test", path);

/** The sources of a suite, or of all suites of a folder. */
function sourcesOf(suite: string): string[] {
  const path = inTests(pathOf(suite));
  if (!existsSync(path)) return [];
  const paths = statSync(path).isDirectory() ? readdirSync(path).map((file) => join(path, file)) : [path];
  return paths.filter((each) => each.endsWith(".ts")).map((each) => readFileSync(each, "utf8"));
}

test("the page of attacks is up to date: run `npm run generate`", () => {
  expect(readFileSync(join(root, "docs/development/attacks.md"), "utf8")).toBe(render());
});

test("no attack occurs twice", () => {
  const titles = attacks.map(({ attack }) => attack);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test("every attack has a proof", () => {
  expect(attacks.filter(({ proofs, otherwise }) => proofs.length === 0 && !otherwise).map(({ attack }) => attack)).toEqual([]);
});

test("every proof is a suite, and its title is in the source", () => {
  const proofs = attacks.flatMap((each) => each.proofs);
  const missing = proofs.filter(([suite, title = ""]) => !sourcesOf(suite).some((source) => source.includes(title)));
  expect(missing).toEqual([]);
});

test("every mutant of an attack is in the list of mutants", () => {
  const names = new Set(files.flatMap(({ mutants }) => mutants.map(([name]) => name)));
  expect(attacks.flatMap(({ mutants = [] }) => mutants.filter((name) => !names.has(name)))).toEqual([]);
});

test("two thirds of the attacks have a mutant", () => {
  expect(attacks.filter(({ mutants = [] }) => mutants.length > 0).length / attacks.length).toBeGreaterThan(2 / 3);
});
