// @ts-check
// What the pages say of a field, from the table of fields of its definition.
const path = require("node:path");
const { root, Problem } = require("./command");

/**
 * @typedef {object} Traits
 * @property {string} change What changing the input does.
 * @property {string} preset The input where a program gives none.
 * @property {string} secret
 * @property {string} writeOnly
 */

/** @param {string} file Of provider/, as it was built. */
const built = (file) => require(path.join(root, "dist/provider", file));

/** @typedef {import("../provider/definition").AnyDefinition} Definition */

/** The definition of a resource; none for `secrets.Rekey`, which is made of three. @param {string} title `secrets.SchedulerRole` @returns {Definition | undefined} */
const definitionOf = (title) =>
  built("definitions").definitions.find((/** @type {Definition} */ { token }) => token.replace(":", ".") === title);

/** @param {string} title @returns {Definition["fields"]} */
function fieldsOf(title) {
  const definition = definitionOf(title);
  if (definition) return definition.fields;
  if (title !== "secrets.Rekey") return {};
  // A change of the others starts the rekey again, or does not: that its comments say.
  /** @type {Definition["fields"]} */
  const fields = built("secrets/rekey/inputs").rekeyFields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { secret: field?.secret }]));
}

/** A default that is the same on every server, as code. @param {import("../provider/definition").Field} field */
function presetOf(field) {
  const values = ["standard", "hashicorp", "openbao"].map((dialect) =>
    JSON.stringify(field.default?.(/** @type {never} */ ({ dialect, settings: {} }))),
  );
  return values[0] !== undefined && new Set(values).size === 1 ? `\`${values[0]}\`` : "";
}

/**
 * The traits of a field. What its comment says besides, in a sentence and a tag, is kept where the table says nothing of it, and must not contradict it.
 * @param {string} title @param {string} name @param {{ change: string, preset: string, isOptional: boolean }} said @returns {Traits}
 */
function traitsOf(title, name, said) {
  const field = fieldsOf(title)[name];
  if (!field) return { change: said.change, preset: said.preset || (said.isOptional ? "" : "required"), secret: "", writeOnly: "" };
  const { neverDiffers } = built("comparison");
  const change = field.replaces ? "replaces the resource" : field.compare === neverDiffers ? "does nothing" : said.change;
  if (said.change && said.change.split(" ")[0] !== change.split(" ")[0])
    throw new Problem(`${title}: the comment of ${name} says "Changing this ${said.change}", and its definition that it ${change}.`);
  const preset = field.required ? "required" : presetOf(field) || said.preset;
  if (said.preset && presetOf(field) && said.preset !== presetOf(field))
    throw new Problem(`${title}: the comment of ${name} says that its default is ${said.preset}, and its definition ${presetOf(field)}.`);
  return {
    change: change || (field.input && name !== "connection" && definitionOf(title) ? "updates" : ""),
    preset,
    secret: field.secret || field.secretOutput ? "yes" : "",
    writeOnly: field.writeOnly ? "yes" : field.requestOnly ? "not kept" : "",
  };
}

module.exports = { definitionOf, traitsOf };
