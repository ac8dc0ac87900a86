// @ts-check
// Generates docs/api and the table of resources in the README from the docstrings and the definitions.
const fs = require("node:fs");
const path = require("node:path");
const { root } = require("./command");
const { readDeclarations } = require("./docs-declarations");
const { writePage } = require("./docs-page");
const { readme } = require("./docs-readme");

/** @typedef {import("./docs-declarations").Page} Page */

const folder = path.join(root, "docs/api");
const notice = "<!-- Made by `npm run docs` from the docstrings. Change those. -->";

/**
 * All pages by their paths in docs/api, and the README.
 * @returns {Promise<{ rendered: Map<string, string>, front: string }>}
 */
async function render() {
  const { pages, places } = await readDeclarations();
  const rendered = new Map([["README.md", `${notice}\n\n${contents([...pages.values()])}\n`]]);
  for (const page of pages.values()) rendered.set(page.file, `${notice}\n\n${await writePage(page, places)}\n`);
  return { rendered, front: readme([...pages.values()]) };
}

/** The table of contents. @param {readonly Page[]} pages */
function contents(pages) {
  const of = (/** @type {string} */ start) =>
    pages
      .filter(({ file }) => (start ? file.startsWith(start) : !file.includes("/")))
      .sort((a, b) => b.rank - a.rank || (a.title < b.title ? -1 : 1))
      .map(({ file, title, members }) => {
        const functions = members
          .filter(({ signatures, name }) => signatures && !title.endsWith(`${name}()`))
          .map(({ name }) => `\`${name}()\``);
        return `- [${title}](${file})${functions.length > 0 ? `: ${functions.join(", ")}` : ""}`;
      });
  return [
    "# API",
    "The page of a resource has examples, the inputs and outputs, the import command, the requests and the permissions. It names the values that cannot be read back. Its functions and types are on the same page.",
    "## Vault",
    of("secrets/").join("\n"),
    "## Terraform Enterprise",
    of("platform/").join("\n"),
    "## Nomad",
    of("scheduler/").join("\n"),
    "## All systems",
    of("").join("\n"),
  ].join("\n\n");
}

const pagesThere = () =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".md"))
        .map((file) => file.replaceAll(path.sep, "/"))
    : [];

async function docs() {
  const { rendered: pages, front } = await render();
  fs.rmSync(folder, { recursive: true, force: true });
  for (const [file, text] of pages) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), text);
  }
  fs.writeFileSync(path.join(root, "README.md"), front);
  process.stdout.write(`${pages.size} pages in docs/api, and the table of the README.\n`);
  return 0;
}

/** The outdated files among the pages and the README. */
async function outdated() {
  const { rendered: pages, front } = await render();
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(folder, file), "utf8");
  const there = pagesThere();
  const stale = [...new Set([...pages.keys(), ...there])].filter((file) => !there.includes(file) || read(file) !== pages.get(file));
  const isFrontStale = fs.readFileSync(path.join(root, "README.md"), "utf8") !== front;
  return [...stale.map((file) => `docs/api/${file}`), ...(isFrontStale ? ["README.md"] : [])];
}

module.exports = { docs, outdated };
