// @ts-check
// The traits of a field on the pages, from the fields of its definition.
const path = require("node:path");
const { root, Problem } = require("./command");

/**
 * @typedef {object} Traits
 * @property {string} change The effect of changing the input.
 * @property {string} preset The default of the input.
 * @property {string} secret
 * @property {string} writeOnly
 */

/** @param {string} file A file of provider/, which is loaded from dist/. */
const built = (file) => require(path.join(root, "dist/provider", file));

/** @typedef {import("../provider/definition").AnyDefinition} Definition */

/** The definition of a resource; undefined for `secrets.Rekey`, which consists of three. @param {string} title `secrets.SchedulerRole` @returns {Definition | undefined} */
const definitionOf = (title) =>
  built("definitions").definitions.find((/** @type {Definition} */ { token }) => token.replace(":", ".") === title);

/** @param {string} title @returns {Definition["fields"]} */
function fieldsOf(title) {
  const definition = definitionOf(title);
  if (definition) return definition.fields;
  if (title !== "secrets.Rekey") return {};
  // The effect of changing an input of the rekey is only in its comment.
  /** @type {Definition["fields"]} */
  const fields = built("secrets/rekey/inputs").rekeyFields;
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { secret: field?.secret }]));
}

/** The default of a field as code, if both dialects have the same. @param {import("../provider/definition").Field} field */
function presetOf(field) {
  const values = ["standard", "hashicorp", "openbao"].map((dialect) =>
    JSON.stringify(field.default?.(/** @type {never} */ ({ dialect, settings: {} }))),
  );
  return values[0] !== undefined && new Set(values).size === 1 ? `\`${values[0]}\`` : "";
}

/**
 * The traits of a field. Its definition takes precedence over its comment. Throws if they contradict each other.
 * @param {string} title @param {string} name @param {{ change: string, preset: string, isOptional: boolean }} said @returns {Traits}
 */
function traitsOf(title, name, said) {
  const field = fieldsOf(title)[name];
  if (!field) return { change: said.change, preset: said.preset || (said.isOptional ? "" : "required"), secret: "", writeOnly: "" };
  const { neverDiffers } = built("comparison");
  const change = field.replaces ? "replaces the resource" : field.compare === neverDiffers ? "does nothing" : said.change;
  if (said.change && said.change.split(" ")[0] !== change.split(" ")[0])
    throw new Problem(`The comment of ${name} of ${title} says "Changing this ${said.change}", but by its definition it ${change}.`);
  const preset = field.required ? "required" : presetOf(field) || said.preset;
  if (said.preset && presetOf(field) && said.preset !== presetOf(field))
    throw new Problem(
      `The comment of ${name} of ${title} says that the default is ${said.preset}, but by its definition it is ${presetOf(field)}.`,
    );
  return {
    change: change || (field.input && name !== "connection" && definitionOf(title) ? "updates" : ""),
    preset,
    secret: field.secret || field.secretOutput ? "yes" : "",
    writeOnly: field.writeOnly ? "yes" : field.requestOnly ? "not kept" : "",
  };
}

module.exports = { definitionOf, traitsOf };
