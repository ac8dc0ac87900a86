// @ts-check
// The traits of a field on the pages, from the fields of its definition.
const { Problem } = require("./command");
require("./typescript");

/**
 * @typedef {object} Traits
 * @property {string} change The effect of changing the input.
 * @property {string} preset The default of the input.
 * @property {string} secret
 * @property {string} writeOnly
 * @typedef {{ change: string, preset: string, isOptional: boolean }} Said What the comment of a field says, by its tags.
 * @typedef {import("../provider/definition").AnyDefinition} Definition
 * @typedef {import("../provider/definition").Field} Field
 */

/** @param {string} title `secrets.SchedulerRole` */
const tokenOf = (title) => title.replace(".", ":");

/** The definition of a resource; undefined for any other page, and for `secrets.Rekey`, which consists of three. @param {string} title @returns {Definition | undefined} */
function definitionOf(title) {
  const { definitions } = require("../provider/definitions");
  return definitions.find((/** @type {Definition} */ { token }) => token === tokenOf(title));
}

/** The fields of a resource; undefined for any other page. @param {string} title @returns {Definition["fields"] | undefined} */
function fieldsOf(title) {
  if (title !== "secrets.Rekey") return definitionOf(title)?.fields;
  const { neverDiffers } = require("../provider/comparison");
  /** @type {Definition["fields"]} */
  const shared = require("../provider/secrets/rekey/inputs").rekeyFields;
  const steps = ["secrets.RekeyAttempt", "secrets.RekeyShares", "secrets.RekeyCommit"].map((step) => definitionOf(step)?.fields ?? {});
  // A change is one of the rekey if it is one of a step.
  const compared = (/** @type {string} */ name) =>
    steps.map((fields) => fields[name]).find((field) => field?.input && field.compare !== neverDiffers);
  const inputs = Object.keys(shared).map((name) => [
    name,
    { ...shared[name], compare: neverDiffers, ...(compared(name) && { compare: compared(name)?.compare }) },
  ]);
  // The outputs are those of the component.
  return { ...Object.fromEntries(inputs), shares: { secret: true }, encryptedShares: {}, fingerprints: {}, complete: {} };
}

/** The names of the fields of a resource, in the order of its definition. @param {string} title */
const fieldNames = (title) => Object.keys(fieldsOf(title) ?? {});

/** The default of a field as code, if all dialects have the same. @param {Field} field */
function presetOf(field) {
  const { dialects } = require("../provider/secrets/dialects");
  const values = Object.keys(dialects).map((dialect) => JSON.stringify(field.default?.(/** @type {never} */ ({ server: { dialect } }))));
  return values[0] !== undefined && new Set(values).size === 1 ? `\`${values[0]}\`` : "";
}

/** The effect of changing an input, as far as the definition knows it. @param {string} title @param {string} name @param {Field} field */
function effectOf(title, name, field) {
  const { neverDiffers } = require("../provider/comparison");
  /** @type {readonly string[]} */
  const decisive = require("../provider/secrets/rekey/inputs").decisive;
  if (field.replaces) return "replaces the resource";
  if (title === "secrets.Rekey" && decisive.includes(name)) return "starts a new rekey";
  return field.compare === neverDiffers ? "has no effect until an update runs" : "updates";
}

/**
 * The effect of changing an input. A comment can only add to what the definition says: its `@change` begins with the effect.
 * @param {string} title @param {string} name @param {Field} field @param {string} said
 */
function changeOf(title, name, field, said) {
  const effect = effectOf(title, name, field);
  if (!said) return effect;
  const place = `The comment of ${name} of ${title} says "@change ${said}", but by its definition a change ${effect}`;
  if (said === effect) throw new Problem(`${place}: remove the tag.`);
  if (!said.startsWith(effect)) throw new Problem(`${place}: begin with that.`);
  return said;
}

/**
 * The traits of a field. Its definition takes precedence over its comment. Throws if they contradict each other.
 * @param {string} title @param {string} name @param {Said} said @returns {Traits}
 */
function traitsOf(title, name, said) {
  const fields = fieldsOf(title);
  if (!fields) return { change: "", preset: said.preset || (said.isOptional ? "" : "required"), secret: "", writeOnly: "" };
  const field = fields[name];
  if (!field) throw new Problem(`${name} of ${title} has no row in the fields of its definition.`);
  const preset = field.required ? "required" : presetOf(field) || said.preset;
  if (said.preset && presetOf(field) && said.preset !== presetOf(field))
    throw new Problem(
      `The comment of ${name} of ${title} says that the default is ${said.preset}, but by its definition it is ${presetOf(field)}.`,
    );
  return {
    change: field.input ? changeOf(title, name, field, said.change) : "",
    preset,
    secret: field.secret || field.secretOutput ? "yes" : "",
    writeOnly: field.writeOnly ? "yes" : field.requestOnly ? "not stored" : "",
  };
}

module.exports = { definitionOf, fieldNames, tokenOf, traitsOf };
