import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { stopIds } from "../provider/secrets/rekey/stops";
import { policyOf, traitsOf } from "../tools/docs-resource";
import { pageRequests } from "./support/page-requests";
import { rekeyRows } from "./support/rekey-rows";

const read = (file: string): string => readFileSync(join(__dirname, "..", file), "utf8");
const oneLine = (text: string): string => text.replace(/\s+/g, " ");

test.each(["attempt", "shares", "commit"])("docs/rekey/how-it-works.md has exactly the rows of the rekey's table: %s", (step) => {
  const [, section = ""] = read("docs/rekey/how-it-works.md").split(`\n**${step}**\n\n`);
  const [, , ...shown] = section.slice(0, section.indexOf("\n\n")).split("\n").map(oneLine);
  const rows = rekeyRows.filter((row) => row.step === step);
  expect(shown).toEqual(rows.map(({ holds = ["any"], server, log }) => `| ${holds.join(", ")} | ${server.join(", ")} | ${log} |`));
});

/** The functions that take the reason why a rekey stops, with the index of that argument. */
const callers: Record<string, number> = {
  stopped: 1,
  unfinished: 2,
  waitForShares: 2,
  disturbed: 0,
  unusable: 0,
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
  const stops = source.replace(/^ {2}"?[\w-]+"?: \{/gm, "");
  expect(stopIds.filter((id) => !stops.includes(`"${id}"`))).toEqual([]);
});

const said = { change: "", preset: "", isOptional: true };
const none = { change: "", preset: "", secret: "", writeOnly: "" };

test("the reference takes the traits of a field from its definition", () => {
  expect(traitsOf("secrets.SchedulerRole", "type", said)).toEqual({ ...none, change: "updates", preset: '`"client"`' });
  expect(traitsOf("secrets.SchedulerRole", "name", said)).toEqual({ ...none, change: "replaces the resource", preset: "required" });
  expect(traitsOf("secrets.SchedulerAccess", "adopt", said)).toEqual({ ...none, change: "has no effect until an update runs" });
  expect(traitsOf("secrets.Rekey", "pgpKeys", said)).toEqual({ ...none, change: "starts a new rekey" });
  expect(traitsOf("secrets.Rekey", "currentShares", said)).toEqual({
    ...none,
    change: "has no effect until an update runs",
    preset: "required",
    secret: "yes",
  });
  expect(traitsOf("secrets.Rekey", "discardShares", said)).toEqual({ ...none, change: "updates" });
  expect(traitsOf("platform.SmsSettings", "authToken", said)).toEqual({ ...none, change: "updates", secret: "yes", writeOnly: "yes" });
});

test("a comment adds to the effect of a change that the definition knows, and cannot contradict it", () => {
  const change = (more: string) => () => traitsOf("platform.SmtpSettings", "onDelete", { ...said, change: more }).change;
  expect(change("updates only the state")()).toBe("updates only the state");
  const place = 'The comment of onDelete of platform.SmtpSettings says "@change ';
  expect(change("replaces the resource")).toThrow(
    `${place}replaces the resource", but by its definition a change updates: begin with that.`,
  );
  expect(change("updates")).toThrow(`${place}updates", but by its definition a change updates: remove the tag.`);
});

test("a comment cannot contradict the default of the definition", () => {
  const contradicted = () => traitsOf("secrets.SchedulerRole", "type", { ...said, preset: '`"management"`' });
  expect(contradicted).toThrow('says that the default is `"management"`, but by its definition it is `"client"`.');
});

test("an input without a row in its definition has no effect that the reference could show", () => {
  expect(() => traitsOf("secrets.SchedulerRole", "lifetime", said)).toThrow(
    "lifetime of secrets.SchedulerRole has no row in the fields of its definition.",
  );
});

test("the reference prints the requests of each case, with the names of its inputs in the paths", () => {
  const requests = JSON.parse(read("tools/requests.json"));
  expect(requests).toEqual(pageRequests());
  const role = "/v1/<mount>/role/<name>";
  expect(requests["secrets:SchedulerRole"]).toMatchObject({
    id: "nomad/role/web",
    hashicorp: { create: [`GET ${role}`, `POST ${role}`], update: [`POST ${role}`], refresh: [`GET ${role}`], delete: [`DELETE ${role}`] },
  });
  expect(requests["secrets:SchedulerRoles"].standard.create).toEqual(["GET /v1/<mount>/role?list=true", `POST ${role}`]);
});

test("the Vault policy of a resource permits its requests and nothing else", () => {
  const requests = [
    "GET /v1/<mount>/role?list=true",
    "POST /v1/<mount>/role/<name>",
    "PUT /v1/sys/leases/lookup",
    "GET /v1/auth/token/lookup-self",
  ];
  expect(policyOf(requests, ["/v1/sys/leases/lookup"], "team/nomad").split("\n")).toEqual([
    'path "sys/leases/lookup" {',
    '  capabilities = ["update"]',
    "}",
    'path "team/nomad/role" {',
    '  capabilities = ["list"]',
    "}",
    'path "team/nomad/role/*" {',
    '  capabilities = ["create", "update"]',
    "}",
  ]);
  expect(() => policyOf(["GET /v1/<mount>/role/<name>/members"], [])).toThrow("requires a rule in tools/docs-resource.js");
});
