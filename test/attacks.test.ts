import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { proofOf, readAttacks } from "../tools/attacks";
import { files } from "./mutants";
import { root } from "./support/pages";

const attacks = readAttacks().flatMap((section) => section.attacks);

/** The sources of a suite, or of all suites of a folder. */
function sourcesOf(suite: string): string[] {
  const path = join(root, "test", suite);
  const files = [`${path}.test.ts`, `${path}.ts`].filter(existsSync);
  const paths = files.length > 0 ? files : readdirSync(path).map((file) => join(path, file));
  return paths.filter((each) => each.endsWith(".ts")).map((each) => readFileSync(each, "utf8"));
}

test("each attack occurs once and has a proof, which is a title in the source of its suite", () => {
  const names = attacks.map(({ attack }) => attack);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(attacks.filter(({ proofs, otherwise }) => proofs.length === 0 && !otherwise)).toEqual([]);
  const missing = attacks.flatMap(({ proofs }) =>
    proofs.map(proofOf).filter(([suite, title = ""]) => !sourcesOf(suite).some((source) => source.includes(title))),
  );
  expect(missing).toEqual([]);
});

test("two thirds of the attacks have mutants, which are in the list", () => {
  const names = new Set(files.flatMap(({ mutants }) => mutants.map(({ name }) => name)));
  expect(attacks.flatMap(({ mutants = [] }) => mutants.filter((name) => !names.has(name)))).toEqual([]);
  expect(attacks.filter(({ mutants = [] }) => mutants.length > 0).length / attacks.length).toBeGreaterThan(2 / 3);
});
