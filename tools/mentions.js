// @ts-check
// The pages written by hand that say which resources there are. Nothing generates them, so `npm run check` names those that a new resource makes wrong.
const fs = require("node:fs");
const path = require("node:path");
const { root, sourceFiles } = require("./command");
const { paragraphsOf, sentencesOf } = require("./words");

/** A resource as programs name it, and the words in its name: `platform.ScimSettings`, `scim`. @typedef {{ name: string, type: string, words: string[] }} Resource */

/** @param {string} name @returns {Resource} */
const resourceOf = (name) => {
  const type = name.replace(/^\w+\./, "");
  return {
    name,
    type,
    words: type
      .replace(/(?<=.)Settings$/, "")
      .split(/(?=[A-Z])/)
      .map((word) => word.toLowerCase()),
  };
};

/** The resources of the schema. */
const resources = () =>
  Object.keys(JSON.parse(fs.readFileSync(path.join(root, "bin/schema.json"), "utf8")).resources).map((token) =>
    resourceOf(token.replace(/^steward:/, "").replace(":", ".")),
  );

const isSettings = (/** @type {Resource} */ { type }) => type.endsWith("Settings");
const rowsOf = (/** @type {string} */ page) => page.match(/^\|.*\|$/gm) ?? [];
const cellsOf = (/** @type {string} */ row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim());
/** The second column says that this package has none of it. */
const isNo = (/** @type {string} */ row) => /^no\b/.test(cellsOf(row)[2] ?? "");

/** The words as a thing of its own, not as a part of another: `tfe_scim_*` and "SCIM settings", but not `tfe_saml_idp_certificate`. @param {Resource} resource */
const mentionOf = ({ words }) =>
  new RegExp(`(?<![a-z_])(?:tfe_|vault_)?${words.join("[ _-]")}s?(?: settings)?(?=_\\*|[^\\w ]| (?:and|or|as)\\b| *$)`, "i");

/** The pages that name each resource, or each page of settings, and where they do. @type {{ page: string, place: string, of?: typeof isSettings, names(text: string, resource: Resource): boolean }[]} */
const lists = [
  {
    page: "docs/reference/destroy.md",
    place: "a row of its table",
    names: (text, { name }) => rowsOf(text).some((row) => row.startsWith(`| \`${name}\``)),
  },
  {
    page: "docs/guides/import.md",
    place: "the table of its section From Terraform",
    names: (text, { name }) => rowsOf(text.slice(text.indexOf("\n## From Terraform\n"))).some((row) => row.includes(`\`${name}\``)),
  },
  { page: "docs/guides/settings.md", place: "its list", of: isSettings, names: (text, { type }) => text.includes(`[${type}](`) },
  {
    page: "docs/reference/compare.md",
    place: "the comparison with other providers",
    of: isSettings,
    names: (text, { words }) =>
      rowsOf(text).some((row) => !isNo(row) && new RegExp(`\\b${words.join(" ")}\\b`, "i").test(cellsOf(row)[1] ?? "")),
  },
];

/** The sentences and rows of a page that say that there is no such resource. @param {string} text @param {Resource} resource */
const denialsIn = (text, resource) =>
  [
    ...rowsOf(text).filter(isNo),
    ...paragraphsOf(text)
      .flatMap((passage) => sentencesOf(passage.text))
      .filter((sentence) => /\bnot manage\b|\bno resource\b|\byou need\b.*\bas resources\b/.test(sentence)),
  ].filter((denial) => mentionOf(resource).test(denial));

/**
 * One line for each page that does not name a resource, or still denies it.
 * @param {readonly string[]} more Names of further resources, such as `platform.ScimSettings`.
 */
function unmentioned(more = []) {
  const all = [...resources(), ...more.map(resourceOf)];
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(root, file), "utf8");
  const missing = lists.flatMap(({ page, place, of = () => true, names }) =>
    all.filter((each) => of(each) && !names(read(page), each)).map(({ name }) => `${page} does not name ${name} in ${place}.`),
  );
  const pages = sourceFiles("README.md", "docs/**/*.md").filter((page) => !/^docs\/(api|development)\//.test(page));
  const denied = pages.flatMap((page) =>
    all.flatMap((each) => denialsIn(read(page), each).map((denial) => `${page} says that there is no ${each.name}: ${denial}`)),
  );
  return [...missing, ...denied];
}

module.exports = { denialsIn, resourceOf, unmentioned };
