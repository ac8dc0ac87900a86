// @ts-check
// The part of docs/development/words.md that a script can check, over docs, comments and messages: banned words and claims, spelling and links.
// Biome checks the names: tools/names.grit.
//
//   npm run words -- [files…]
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { root, sourceFiles } = require("./command");

/**
 * The strings of a source that are checked. Those of the sandbox's systems are responses of the products.
 * @typedef {"all" | "titles" | "none"} Strings
 * @param {string} file @returns {Strings}
 */
const stringsOf = (file) => (file.startsWith("test/") ? "titles" : /^sandbox\/(platform|scheduler|secrets)\//.test(file) ? "none" : "all");

/** @param {ts.Node} node */
const isTitle = ({ parent }) => ts.isCallExpression(parent) && /^(test|describe|on[A-Z])/.test(parent.expression.getText());

/** The rows of the table of banned words. @type {[banned: RegExp, instead: string][]} */
const words = [...fs.readFileSync(path.join(root, "docs/development/words.md"), "utf8").matchAll(/^\| (`.*`) \| (.*) \|$/gm)].map(
  ([, banned = "", instead = ""]) => [
    new RegExp(`\\b(?:${banned.replaceAll("`", "").replaceAll(", ", "|")})\\b(?! message)`, "gi"),
    instead,
  ],
);

/** @typedef {{ line: number, text: string, isMessage?: boolean }} Passage */

/**
 * The sentences of a passage, in which code, links and emphasis are gone.
 * @param {string} text
 */
const sentencesOf = (text) =>
  text
    .replace(/`[^`]*`/g, "X")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>]*>/g, "X")
    .replace(/^(?:warning|pulumi-steward): /, "")
    .replace(/[*_]{1,2}(\S[^*_]*)[*_]{1,2}/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .split(/(?<=[.!?])["')]*\s+(?=["'(]*[A-Z])/);

/** Links that do not say where they lead, and sentences that only announce a page. */
const links = [/\[(?:here|this|this page|page|link|more|read more)\]\([^)]*\)/gi, /\]\([^)]*\)\s+(?:lists|explains|describes|covers)\b/g];

/** @param {Passage} passage */
function faultsOf({ text }) {
  const found = sentencesOf(text).flatMap((sentence) =>
    words.flatMap(([banned, instead]) => (sentence.match(banned) ?? []).map((word) => `"${word}" (write: ${instead}): ${sentence}`)),
  );
  return [
    ...found,
    ...links.flatMap((link) => (text.match(link) ?? []).map((match) => `${match}: link the words that say where it leads`)),
  ];
}

/**
 * The paragraphs, list items and table cells of a page, without its code, headings, targets of links, and quoted messages.
 * @param {string} page
 */
function paragraphsOf(page) {
  /** @type {Passage[]} */
  const passages = [];
  /** @type {Passage | undefined} */
  let paragraph;
  const withoutFrontMatter = page.replace(/^---\n[\s\S]*?\n---\n/, (lines) => lines.replace(/.*/g, ""));
  const withoutCode = withoutFrontMatter.replace(/^( *```)[\s\S]*?^\1$/gm, (code) => code.replace(/.*/g, ""));
  for (const [index, line] of withoutCode.split("\n").entries()) {
    const text = line.replace(/^\s*(?:[-*]|\d+\.) /, "").trim();
    if (/^(#|<|>|\||$|\[[^\]]+\]: )/.test(text)) {
      if (text.startsWith("|")) passages.push(...text.split(/(?<!\\)\|/).map((cell) => ({ line: index + 1, text: cell })));
      paragraph = undefined;
    } else if (paragraph && text === line.trim()) paragraph.text += ` ${text}`;
    else {
      paragraph = { line: index + 1, text };
      passages.push(paragraph);
    }
  }
  return passages;
}

/** A comment, or several lines of `//`, alone on their lines. */
const commentPattern = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm;

/** A comment as a page: without what is code, and with a paragraph for each tag. @param {string} comment */
const pageOf = (comment) =>
  comment
    .replace(/^[ \t]*(\/\*+|\*\/|\*|\/\/) ?|\*\/$/gm, "")
    // An indented line of `//` is a command.
    .replace(/^ {2,}(?=\S).*/gm, (line) => (comment.includes("/*") ? line : ""))
    // A value; a title begins with a capital letter.
    .replace(/@example (?![A-Z]).*/g, "")
    .replace(/\{@link (\w+)\}/g, "$1")
    .replace(/(@\w+ )\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "$1")
    .replace(/@[\w-]+ ?/g, "\n\n");

/**
 * The comments of a source, by paragraph, and its strings that read as a sentence or a part of one.
 * @param {string} code @param {Strings} strings
 */
function passagesOf(code, strings) {
  const source = ts.createSourceFile("source.ts", code, ts.ScriptTarget.ES2022, true);
  const lineAt = (/** @type {number} */ position) => source.getLineAndCharacterOfPosition(position).line + 1;
  /** @type {Passage[]} */
  const passages = [...code.matchAll(commentPattern)].flatMap(({ 0: comment, index }) =>
    paragraphsOf(pageOf(comment)).map(({ text }) => ({ line: lineAt(index), text })),
  );
  const visit = (/** @type {ts.Node} */ node) => {
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node) && [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("X");
    // Braces and lines of their own are code.
    const isChecked = strings === "all" || (strings === "titles" && text && isTitle(node));
    if (isChecked && text && /^[^\n]*[a-z]{2}[^\n]* [^\n]*[a-z]{2}[^\n]*$/.test(text) && !/[{}]/.test(text.replace(/`[^`]*`/g, "")))
      passages.push({ line: lineAt(node.getStart()), text, isMessage: true });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

/**
 * One line for each word or link that breaks a rule.
 * @param {readonly string[]} files By their paths in the repository.
 */
const check = (files) =>
  files.flatMap((file) => {
    const text = fs.readFileSync(path.join(root, file), "utf8");
    const passages = file.endsWith(".md") ? paragraphsOf(text) : passagesOf(text, stringsOf(file));
    return passages.flatMap((passage) => faultsOf(passage).map((fault) => `${file}:${passage.line}: ${fault}`));
  });

/** The files whose words are checked: all but the pages that are generated from comments. */
const checkedFiles = () => sourceFiles("*.md", "*.ts", "*.js", "*.mjs").filter((file) => !file.startsWith("docs/api/"));

/** The strings of the product that its users read, in one place. @returns {string[]} */
const messages = () =>
  checkedFiles()
    .filter((file) => /^(provider|command)\b/.test(file))
    .flatMap((file) =>
      passagesOf(fs.readFileSync(path.join(root, file), "utf8"), "all").flatMap(({ line, text, isMessage }) =>
        isMessage ? [`${file}:${line}: ${text}`] : [],
      ),
    );

module.exports = { check, checkedFiles, paragraphsOf, sentencesOf };

// `npm run words -- --messages` prints all messages for reading.
if (require.main === module && process.argv[2] === "--messages") process.stdout.write(`${messages().join("\n")}\n`);
else if (require.main === module) {
  const lines = check(process.argv.length > 2 ? process.argv.slice(2) : checkedFiles());
  process.stdout.write(`${lines.map((line) => `${line}\n`).join("")}${lines.length} to reword\n`);
}
