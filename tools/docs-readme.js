// @ts-check
// Renders the table of resources in the README from the comments of the classes.
const fs = require("node:fs");
const path = require("node:path");
const { root, Problem } = require("./command");

/** @typedef {import("./docs-declarations").Declared} Declared */

const file = path.join(root, "README.md");
const marks = ["<!-- generated: resources -->\n\n", "\n\n<!-- end of what is generated -->"];

/** A part of a comment without its markup. @param {readonly import("typedoc", { with: { "resolution-mode": "import" } }).CommentDisplayPart[]} [parts] */
const plain = (parts = []) =>
  parts
    .map((part) => (part.kind === "inline-tag" ? `\`${part.text}\`` : part.text))
    .join("")
    .replace(/\s+/g, " ")
    .trim();

/** @param {string} text */
const firstSentence = (text) => text.split(/\.(?= |$)/)[0] ?? "";

/** The cells of a class. Its comment begins with its subject, a colon and the paths of the API. @param {string} title @param {string} file @param {Declared} resource */
function rowOf(title, file, resource) {
  const [manages = "", ...api] = firstSentence(plain(resource.comment?.summary)).split(": ");
  if (api.length === 0) throw new Problem(`The comment of ${title} must begin with its subject, a colon and the paths of the API.`);
  return [`[\`${title}\`](docs/api/${file})`, manages];
}

/** The README with its table. @param {readonly import("./docs-declarations").Page[]} pages */
function readme(pages) {
  const header = ["Resource", "Manages"];
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
