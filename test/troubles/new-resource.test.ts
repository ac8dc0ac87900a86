import fc from "fast-check";
import { filesFor, load, newFiles } from "../support/new-resources";
import type { Dialect } from "./world";

// A resource that `npm run new` writes joins the programs of this folder by its case alone, and they notice a careless one.

/** Replaces a part of the definition, which must be there. */
const careless = (resource: string, before: string, after: string): [string, string][] =>
  filesFor(resource).map(([file, text]) => {
    if (!file.includes("/provider/")) return [file, text];
    if (!text.includes(before)) throw new Error(`The template of ${resource} has no "${before}".`);
    return [file, text.replace(before, after)];
  });

const files = new Map([
  ...newFiles,
  ...careless("platform/careless-board", "paths: ({ name }) => [pathOf(name)]", "paths: () => []"),
  ...careless("secrets/careless-card", "  ...operations,", "  ...operations,\n  objects: undefined,"),
]);
const added = load(files);
const { definitions } = jest.requireActual("../../provider/registry/resources");
jest.doMock("../../provider/registry/resources", () => ({ definitions: [...definitions, ...added.definitions] }));
const { cases, settingsCases } = jest.requireActual("../cases");
jest.doMock("../cases", () => ({ cases: [...cases, ...added.cases], settingsCases: [...settingsCases, ...added.settingsCases] }));

const { kindNames } = require("./kinds") as typeof import("./kinds");
const { Life } = require("./life") as typeof import("./life");
const { InProcess, worldOf } = require("./runner") as typeof import("./runner");
const { changes, found, historyOf } = require("./table") as typeof import("./table");

const names = added.definitions.map(({ token }) => token.replace(/^.*:/, ""));
const turnsOf = (name: string, kind: string) => {
  const change = changes[name];
  return change ? historyOf(change, {}, kind) : (found[name]?.turns(kind) ?? []);
};

async function live(name: string, kind: string, dialect: Dialect, mechanism: "dynamic" | "native"): Promise<void> {
  const inOrder = async (scheduler: fc.Scheduler): Promise<void> => {
    const world = await worldOf(dialect);
    await new Life(world, new InProcess(world, scheduler, mechanism)).live({ dialect, turns: turnsOf(name, kind) });
  };
  await fc.assert(fc.asyncProperty(fc.scheduler(), inOrder), { numRuns: 1, seed: 1 });
}

test("every new resource is a kind of the programs", () => expect(kindNames).toEqual(expect.arrayContaining(names)));

describe.each(names.filter((name) => name.startsWith("Greeting")))("%s", (kind) => {
  const rows = Object.entries({ ...changes, ...found }).filter(([, { kinds = [kind] }]) => kinds.includes(kind));
  test.each(rows.map(([name]) => name).filter((name) => /rename|moves|takes over|twice|another value|destroyed/.test(name)))(
    "%s",
    async (name) => {
      await live(name, kind, "standard", "dynamic");
      await live(name, kind, "hashicorp", "native");
    },
  );
});

test.each([
  ["CarelessBoard", "is renamed without an alias", "a run removed at its end what the program declares: platform:CarelessBoard"],
  ["CarelessCard", "leaves the program", "the server holds created as home/nomad/secrets:CarelessCard instead of undefined"],
])("%s is noticed when it %s", async (kind, name, failure) => {
  await expect(live(name, kind, "hashicorp", "dynamic")).rejects.toMatchObject({ cause: { message: expect.stringContaining(failure) } });
});
