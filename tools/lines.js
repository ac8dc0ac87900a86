// @ts-check
// Counts the lines of hand-written code: without blank lines, comments and generated files.
//
//   node tools/lines.js [folder…]
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { root } = require("./command");

/** The number of lines on which a token begins or ends. @param {string} text */
function codeLines(text) {
  const source = ts.createSourceFile("file.ts", text, ts.ScriptTarget.ES2022, true);
  const lines = new Set();
  /** Uses the parser, since the scanner alone does not recognize templates and regular expressions. @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    children.forEach(visit);
    if (children.length > 0 || node.getWidth(source) === 0) return;
    for (const place of [node.getStart(source), node.getEnd() - 1]) lines.add(source.getLineAndCharacterOfPosition(place).line);
  };
  visit(source);
  return lines.size;
}

const folders = process.argv.slice(2).length > 0 ? process.argv.slice(2) : ["provider", "command", "forward", "sandbox", "test"];
for (const folder of folders) {
  const files = execFileSync("git", ["ls-files", folder], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => fs.readFileSync(path.join(root, file), "utf8"))
    .filter((text) => !text.startsWith("// Written by `npm run generate`"));
  const lines = files.reduce((sum, text) => sum + codeLines(text), 0);
  process.stdout.write(`${folder}: ${lines} lines in ${files.length} files\n`);
}
