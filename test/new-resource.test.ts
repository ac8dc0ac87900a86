import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as ts from "typescript";
import { denialsIn, resourceOf, unmentioned } from "../tools/mentions";
import { create, filesOf } from "../tools/new";
import { temporaryFolder } from "./support/cleanup";
import { compileFiles } from "./support/compile";
import { newFiles as files, load } from "./support/new-resources";

const root = join(__dirname, "..");

test.each([
  ["secrets/Greeting", 'The noun "Greeting" must be in kebab case, such as greeting-card, with abbreviations in capitals, such as SCIM.'],
  ["secrets/a..b", 'The noun "a..b" must be in kebab case, such as greeting-card, with abbreviations in capitals, such as SCIM.'],
  ["secrets/new", '"new" is a keyword of TypeScript: choose another noun.'],
  [
    "scheduler/thing",
    "The argument must be the system and the noun of the resource: secrets/<noun>, platform/<noun>, platform/settings/<noun>.",
  ],
  ["greeting", "The argument must be the system and the noun of the resource: secrets/<noun>, platform/<noun>, platform/settings/<noun>."],
  ["secrets/scheduler-lease", "provider/secrets/scheduler-lease.ts already exists: choose another noun, or remove the file."],
  ["platform/smtp-settings", "sandbox/platform/routes/smtp-settings.ts already exists: choose another noun, or remove the file."],
  ["secrets/greeting-wall sys/greetings", 'The path "sys/greetings" must be that of a named object, such as sys/quotas/rate-limit/:name.'],
  ["platform/greeting-wall admin/greetings/:name", "Only secrets/<noun> takes a path."],
])("npm run new rejects %s", async (args, message) => {
  await expect(create(args.split(" "))).rejects.toThrow(message);
});

test("npm run new writes a provider, a route and a case", async () => {
  const folder = temporaryFolder();
  const written = ["provider/secrets/greeting-card.ts", "sandbox/secrets/routes/greeting-card.ts", "test/cases/greeting-card.ts"];
  for (const file of written) mkdirSync(join(folder, dirname(file)), { recursive: true });
  expect(await create(["secrets/greeting-card"], folder)).toEqual(written);
  expect(written.every((file) => existsSync(join(folder, file)))).toBe(true);
});

/** The sentences of the comments of a source. */
const sentencesIn = (source: string): string[] =>
  [...source.matchAll(/\/\*\*([\s\S]*?)\*\//g)].flatMap(([, comment = ""]) =>
    comment
      .replace(/^ *\* ?/gm, "")
      .split(/\n\n|\n(?=@)|(?<=\.)\s+/)
      .map((sentence) => sentence.replace(/\s+/g, " ").trim()),
  );

test("the prose of the template of settings is that of the pages of settings", () => {
  const folder = join(root, "provider/platform/settings");
  const pages = readdirSync(folder).filter((file) => file.endsWith("-settings.ts"));
  const known = new Set(pages.flatMap((file) => sentencesIn(readFileSync(join(folder, file), "utf8"))));
  const prose = sentencesIn(readFileSync(join(root, "tools/new/settings/provider.txt"), "utf8"));
  expect(prose).toContain("@unreadable Nothing, because Terraform Enterprise returns all attributes.");
  // Each page says this in its own words.
  const own = /TODO|<\w+>/;
  expect(prose.filter((sentence) => !own.test(sentence) && !known.has(sentence))).toEqual([]);
});

test("an abbreviation in capitals stays so in messages and comments", () => {
  const [provider = ""] = filesOf("platform/settings/SCIM").values();
  expect([...filesOf("platform/settings/SCIM").keys()]).toContain("test/cases/scim-settings.ts");
  for (const text of ['displayName: "SCIM settings"', "Attributes of the SCIM settings.", 'id: "scim"', 'type: "ScimSettings"'])
    expect(provider).toContain(text);
});

test("npm run check names every page by hand that lacks a new resource", () => {
  const filesFor = (name: string): string[] =>
    unmentioned([name]).flatMap((line) => (line.includes(name) ? (line.split(" ", 1) as string[]) : []));
  const ofAll = ["docs/reference/destroy.md", "docs/guides/import.md"];
  expect(filesFor("secrets.GreetingCard")).toEqual(ofAll);
  expect(filesFor("platform.GreetingSettings")).toEqual([...ofAll, "docs/guides/settings.md", "docs/reference/compare.md"]);
});

test.each([
  ["| Greetings; farewells | no | yes |", true],
  ["| `tfe_greeting_*`, `tfe_farewell` | no resource: keep them |", true],
  ["| `tfe_greeting_card` | no resource: keep it |", false],
  ["| Greeting settings | yes | no |", false],
  ["It does not manage greeting settings, or farewells.", true],
  ["- you need farewells or greetings as resources.", true],
  ["Greeting settings do not change.", false],
])("npm run check finds a sentence or a row that denies a resource: %s", (text, isDenial) =>
  expect(denialsIn(text, resourceOf("platform.GreetingSettings")).length > 0).toBe(isDenial),
);

const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config, ts.sys, root);
const problemsIn = (files: ReadonlyMap<string, string>): string[] => compileFiles(files, options).errors;

test("a new resource of each kind compiles", () => expect(problemsIn(files)).toEqual([]));

test("a resource that could remove an object of another one does not compile", () => {
  const text = files.get(join(root, "provider/platform/greeting-board.ts")) as string;
  const removal = /claims\.each\(.*assertGone\(operation, error\)\)\)/;
  const careless = {
    "with a delete of its own": text.replace("  find,\n", "  find,\n  delete: async () => {},\n"),
    "without the claim": text.replace(removal, 'remove({ operation, path: pathOf(name) }, "idempotent")'),
    "with a raw request": text.replace(removal, 'call(operation, { method: "DELETE", path: pathOf(name), retry: "never" })'),
    "with a write": text.replace(removal, 'call(operation, { method: "PATCH", path: pathOf(name), retry: "never" })'),
    "that does not say what it owns": text.replace(/ {2}objects: \{[\s\S]*?\n {2}\},\n/, ""),
  };
  const problems = problemsIn(new Map(Object.entries(careless).map(([name, file]) => [join(root, `provider/platform/${name}.ts`), file])));
  expect(problems.map((problem) => problem.replace(/^.*\//, ""))).toEqual([
    expect.stringMatching(/^with a delete of its own\.ts: .* 'delete' does not exist/),
    expect.stringMatching(/^without the claim\.ts: .* required in type 'Writer/),
    expect.stringMatching(/^with a raw request\.ts: .* not assignable/),
    expect.stringMatching(/^with a write\.ts: .* not assignable to parameter of type 'Writer/),
    expect.stringMatching(/^that does not say what it owns\.ts: Property 'objects' is missing/),
  ]);
});

test("a resource that shows a secret does not compile", () => {
  const text = files.get(join(root, "provider/platform/secret-board.ts")) as string;
  const noString = /'Secret' is not assignable to (parameter of )?type 'string'/;
  const careless: [name: string, file: string, problem: RegExp][] = [
    ["in a body", text.replace("value.value()", "value"), /'Secret' is not assignable to type 'Json'/],
    ["in a message", text.replace("  return { name, value };", "  operation.run.log.warn(value);\n$&"), noString],
    ["in an error", text.replace('reason: "it already exists"', "reason: inputs.value"), noString],
    ["in a plain output", text.replace(/(Definition<.*), WithSecrets<(\w+), "value">/, "$1, $2"), noString],
    ["in a plain field", text.replace("secret: true, ", ""), /Property 'secret' is missing/],
    ["as a string", text.replace(/WithSecrets<(\w+), "value">/g, "$1"), /'true' is not assignable to type 'undefined'/],
  ];
  const problems = problemsIn(new Map(careless.map(([name, file]) => [join(root, `provider/platform/${name}.ts`), file])));
  for (const [name, , problem] of careless) expect(problems.filter((each) => each.includes(`/${name}.ts: `)).join("\n")).toMatch(problem);
});

describe("a new resource of each kind works on the sandbox", () => {
  const { definitions, cases } = load(files);
  jest.doMock("../provider/registry/resources", () => ({ definitions }));
  jest.doMock("./cases", () => ({ cases, livingForms: cases.map((each) => ({ ...each, title: each.token })) }));
  require("./provider/cases.test");
});
