// @ts-check
// Renders the table of resources in the README from the comments of the classes.
const fs = require("node:fs");
const path = require("node:path");
const { root, Problem } = require("./command");

/** @typedef {import("./docs-declarations").Declared} Declared */

const file = path.join(root, "README.md");
const marks = ["<!-- generated: resources -->\n\n", "\n\n<!-- end of what is generated -->"];

const longest = 90;

/** The first paragraph of a comment. @param {import("./docs-text").Comment | undefined} comment */
const firstParagraph = (comment) =>
  (comment?.summary ?? [])
    .map((part) => (part.kind === "inline-tag" ? `\`${part.text}\`` : part.text))
    .join("")
    .split("\n\n", 1)
    .join("")
    .replace(/\s+/g, " ")
    .trim();

/** The cells of a class: the first paragraph of its comment says what it manages. @param {string} title @param {string} file @param {Declared} resource */
function rowOf(title, file, { comment }) {
  const manages = firstParagraph(comment);
  if (manages === "" || manages.length > longest)
    throw new Problem(`The first paragraph of the comment of ${title} is its row in the README: at most ${longest} characters.`);
  return [`[\`${title}\`](docs/api/${file})`, manages.replace(/\.$/, "")];
}

/** The README with its table. @param {readonly import("./docs-declarations").Page[]} pages */
function readme(pages) {
  const header = ["Resource", "Description"];
  const rows = pages
    .filter(({ rank, file }) => rank === 2 || file === "secrets/rekey.md")
    .flatMap(({ title, file, members }) => members.filter(({ name }) => title.endsWith(`.${name}`)).map((each) => rowOf(title, file, each)))
    .sort(([a = ""], [b = ""]) => (a.split(".")[0] === b.split(".")[0] ? (a < b ? -1 : 1) : a < b ? 1 : -1));
  const table = [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const text = fs.readFileSync(file, "utf8");
  const [start = "", end = ""] = marks;
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  if (!text.includes(start) || to < 0)
    throw new Problem(`README.md lacks the comments around its table of resources: ${marks.join(" … ")}`);
  return text.slice(0, from) + table + text.slice(to);
}

module.exports = { readme };
