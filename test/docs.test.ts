import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { table } from "../provider/secrets/rekey/protocol";
import { stopIds } from "../provider/secrets/rekey/stops";
import { traitsOf } from "../tools/docs-fields";

const read = (file: string): string => readFileSync(join(__dirname, "..", file), "utf8");
const oneLine = (text: string): string => text.replace(/\s+/g, " ");

test.each(["attempt", "shares", "commit"])("docs/rekey/how-it-works.md has exactly the rows of the rekey's table: %s", (step) => {
  const [, section = ""] = read("docs/rekey/how-it-works.md").split(`\n**${step}**\n\n`);
  const [, , ...shown] = section.slice(0, section.indexOf("\n\n")).split("\n").map(oneLine);
  const rows = table.filter((row) => row.step === step);
  expect(shown).toEqual(rows.map(({ holds, server, name }) => `| ${holds.join(", ")} | ${server.join(", ")} | ${name} |`));
});

/** The functions that take the reason why a rekey stops, with the index of that argument. */
const callers: Record<string, number> = {
  stopped: 1,
  unfinished: 2,
  unresolved: 1,
  waitForShares: 2,
  probeDisturbed: 0,
  invalid: 0,
  invalidShare: 2,
  outcomeUnknown: 1,
  restarted: 3,
  restart: 2,
  autoUnseal: 0,
  failed: 0,
  fail: 0,
  unexpectedResponse: 2,
};

/** The constant parts of the reasons in a source file. */
function reasonsIn(file: string): string[] {
  const parts: string[] = [];
  const collect = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) parts.push(node.text);
    // Operands of comparisons and keys are not part of a message.
    if (!ts.isBinaryExpression(node) && !ts.isElementAccessExpression(node)) ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const position = callers[node.expression.text];
      const reason = position === undefined ? undefined : node.arguments[position];
      if (reason) collect(reason);
    }
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === "reason") collect(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true));
  return parts.map((part) => part.trim()).filter((part) => /\w+ \w+ \w+/.test(part));
}

/** A page as one line, without its quotation marks. */
const proseOf = (file: string): string => oneLine(read(file).replace(/^> /gm, ""));

test.each([
  ["provider/secrets/rekey", "docs/rekey/errors.md", 40],
  ["command", "docs/rekey/command-line.md", 15],
])("%s: each reason to stop is on %s", (folder, page, count) => {
  const files = readdirSync(join(__dirname, "..", folder))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`)
    // The rules reject inputs by property path.
    .filter((file) => file !== "provider/secrets/rekey/attempt.ts");
  const reasons = [...new Set(files.flatMap(reasonsIn))];
  expect(reasons.length).toBeGreaterThan(count);
  expect(reasons.filter((reason) => !proseOf(page).includes(oneLine(reason)))).toEqual([]);
});

test("docs/rekey/errors.md has an entry with the message for each id with which a rekey stops, in order", () => {
  const sections = read("docs/rekey/errors.md").split(/^##+ /m);
  const entries = sections.filter((section) => /^[a-z-]+\n/.test(section)).map(oneLine);
  expect(entries.map((entry) => entry.split(" ", 1)[0])).toEqual([...stopIds]);
  expect(stopIds.filter((id, index) => !entries[index]?.includes(`[rekey/${id}]`))).toEqual([]);
});

test("a rekey stops with every id", () => {
  const folder = join(__dirname, "../provider/secrets/rekey");
  const source = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  // Each id occurs in the list of ids and at the place that stops.
  expect(stopIds.filter((id) => source.split(`"${id}"`).length < 3)).toEqual([]);
});

test("the reference reads the traits of a field from its definition, and rejects a contradictory comment", () => {
  const said = { change: "", preset: "", isOptional: true };
  const none = { change: "", preset: "", secret: "", writeOnly: "" };
  expect(traitsOf("secrets.SchedulerRole", "type", said)).toEqual({ ...none, change: "updates", preset: '`"client"`' });
  expect(traitsOf("secrets.SchedulerRole", "name", said)).toEqual({ ...none, change: "replaces the resource", preset: "required" });
  expect(traitsOf("secrets.SchedulerAccess", "adopt", said)).toEqual({ ...none, change: "does nothing" });
  expect(traitsOf("platform.SmsSettings", "authToken", said)).toEqual({ ...none, change: "updates", secret: "yes", writeOnly: "yes" });
  expect(traitsOf("platform.SmtpSettings", "onDelete", { ...said, change: "sends nothing" }).change).toBe("sends nothing");
  const contradicted = (change: string, preset: string) => () => traitsOf("secrets.SchedulerRole", "type", { ...said, change, preset });
  expect(() => traitsOf("secrets.SchedulerRole", "name", { ...said, change: "updates" })).toThrow(
    'The comment of name of secrets.SchedulerRole says "Changing this updates", but by its definition it replaces the resource.',
  );
  expect(contradicted("updates", '`"management"`')).toThrow(
    'says that the default is `"management"`, but by its definition it is `"client"`.',
  );
});
