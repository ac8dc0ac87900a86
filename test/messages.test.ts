import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";

// The wording of all messages in one place. Other tests compare codes, paths and rules. `npm test -- test/messages -u` accepts new wording.

const root = join(__dirname, "..");
const isWording = (text: string): boolean => /[a-z]{2}.* .*[a-z]{2}/s.test(text) && !text.startsWith("exports.handler");

/** The strings of a file that read as a sentence or a part of one. */
function wordingOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("<…>")
        : undefined;
    if (text !== undefined && isWording(text)) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = ["provider", "command"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file)),
);

test("every message has its reviewed wording", () => {
  const wording = Object.fromEntries(files.map((file) => [file, wordingOf(file)] as const).filter(([, found]) => found.length > 0));
  expect(wording).toMatchSnapshot();
});
