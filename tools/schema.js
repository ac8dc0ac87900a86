// @ts-check
// Generates the schema of the native plugin: names, types and documentation from the interfaces, all else from the definitions' fields.
const fs = require("node:fs");
const path = require("node:path");
const { root } = require("./command");
const { Reader } = require("./schema-types");
require("./typescript");

/**
 * @typedef {import("../provider/definition").AnyDefinition} Definition
 * @typedef {import("./schema-types").Spec} Spec
 * @typedef {import("typescript").Type} Type
 */

const { version, description, homepage, license, repository } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));

/** True for an input that accepts only integers. @param {import("../provider/inputs").Schema | undefined} input */
function isInteger(input) {
  const { z } = require("zod");
  if (!input) return false;
  const schema = z.toJSONSchema(/** @type {import("zod").ZodType} */ (/** @type {unknown} */ (input)), {
    unrepresentable: "any",
    io: "input",
  });
  return schema.type === "integer";
}

/** @param {InstanceType<typeof Reader>} reader @param {Record<string, Spec>} resources */
function functionSpecs(reader, resources) {
  const { functions } = require("../provider/functions");
  const typed = reader.functions();
  return Object.fromEntries(
    /** @type {import("../provider/read-function").AnyReadFunction[]} */ (functions).map(({ token, property, secrets }) => {
      const [module = "", name = ""] = token.split(":");
      const signature = typed.get(name);
      return [
        `steward:${token}`,
        signature ? functionSpec(reader, module, { ...signature, property }) : settingsSpec(resources, name, secrets),
      ];
    }),
  );
}

/** @param {InstanceType<typeof Reader>} reader @param {string} module @param {{ options: Type, result: Type, doc: string, property: string | undefined }} of @returns {Spec} */
function functionSpec(reader, module, { options, result, doc, property }) {
  const inputs = reader.properties(module, options);
  const outputs = property
    ? { properties: { [property]: reader.spec(module, result, property) }, required: [property] }
    : reader.properties(module, result);
  return {
    description: doc,
    inputs: { type: "object", properties: inputs.properties, ...(inputs.required.length > 0 ? { required: inputs.required } : {}) },
    outputs: { type: "object", ...outputs },
  };
}

/** The function of settings returns the outputs of their resource. @param {Record<string, Spec>} resources @param {string} name @param {readonly string[]} secrets @returns {Spec} */
function settingsSpec(resources, name, secrets = []) {
  const type = name.replace(/^get/, "");
  const { properties, inputProperties } = /** @type {Record<string, Record<string, Spec>>} */ (resources[`steward:platform:${type}`]);
  const { managed, ...outputs } = properties ?? {};
  return {
    description: `Reads the current settings of {@link ${type}}.`,
    inputs: { type: "object", properties: { connection: inputProperties?.connection } },
    outputs: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(outputs).map(([field, spec]) => [
          field,
          secrets.includes(field) ? { ...spec, oneOf: undefined, type: "string", secret: true } : spec,
        ]),
      ),
      required: Object.keys(outputs),
    },
  };
}

/** @returns {Spec} */
function packageSchema() {
  const reader = new Reader();
  const { definitions } = require("../provider/definitions");
  const { dynamicType } = require("../provider/program/dynamic");
  const byConstant = new Map(reader.definitions().map((each) => [each.constant, each]));
  /** @type {Record<string, Spec>} */
  const resources = {};
  for (const definition of /** @type {Definition[]} */ (definitions)) {
    const [module = "", type = ""] = definition.token.split(":");
    const typed = byConstant.get(`${type[0]?.toLowerCase()}${type.slice(1)}`);
    if (!typed) continue;
    const { fields } = definition;
    const secret = (/** @type {string} */ name) => (fields[name]?.secret || fields[name]?.secretOutput ? { secret: true } : {});
    const integer = (/** @type {string} */ name) => (isInteger(fields[name]?.input) ? { type: "integer" } : {});
    /** A value, or a reference that the provider reads. @param {string} name @returns {Spec} */
    const reference = (name) => (fields[name]?.secret && fields[name]?.input ? reader.secret(module) : {});
    const replaces = (/** @type {string} */ name) => (fields[name]?.replaces ? { willReplaceOnChanges: true } : {});
    const inputs = reader.inputs(module, typed.inputs, (name) => ({
      ...(fields[name]?.secret ? { secret: true } : {}),
      ...integer(name),
      ...replaces(name),
      ...reference(name),
    }));
    const outputs = reader.properties(module, typed.outputs, (name) => ({ ...secret(name), ...integer(name), ...reference(name) }));
    resources[`steward:${definition.token}`] = {
      description: typed.doc,
      properties: outputs.properties,
      required: outputs.required,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required.filter((name) => fields[name]?.required),
      aliases: [{ type: dynamicType(definition.token) }],
      ...(typeof definition.discover === "function" ? { listInputs: { type: "object" } } : {}),
    };
  }
  const fieldsOf = (/** @type {string} */ token) =>
    definitions.find((/** @type {Definition} */ each) => each.token === token)?.fields ?? {};
  const [attempt, kept] = [fieldsOf("secrets:RekeyAttempt"), fieldsOf("secrets:RekeyShares")];
  const rekey = reader.rekey();
  const inputs = reader.inputs("secrets", rekey.inputs, (name) => ({
    ...(kept[name]?.secret ? { secret: true } : {}),
    ...(isInteger(attempt[name]?.input) ? { type: "integer" } : {}),
  }));
  resources["steward:secrets:Rekey"] = {
    isComponent: true,
    description: rekey.doc,
    properties: Object.fromEntries(
      Object.entries(rekey.properties).map(([name, spec]) => [name, name === "shares" ? { ...spec, secret: true } : spec]),
    ),
    required: Object.keys(rekey.properties),
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
  };
  return {
    name: "steward",
    version,
    displayName: "Steward",
    description,
    keywords: ["category/infrastructure", "kind/native"],
    homepage,
    license,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    publisher: "pulumi-steward",
    pluginDownloadURL: `github://api.github.com/pulumi-steward/pulumi-steward`,
    // `supportPack` adds a go.mod to the SDK for Go.
    meta: { moduleFormat: "(.*)", supportPack: true },
    config: { variables: {} },
    provider: {
      description: "An explicit provider with the servers of its resources.",
      inputProperties: reader.provider(),
      properties: {},
    },
    types: reader.types,
    resources,
    functions: functionSpecs(reader, resources),
    language: {
      nodejs: { packageName: "pulumi-steward", respectSchemaVersion: true },
      python: { respectSchemaVersion: true, pyproject: { enabled: true } },
      go: { respectSchemaVersion: true },
      csharp: { respectSchemaVersion: true },
      java: {},
    },
  };
}

module.exports = { packageSchema };
