// @ts-check
// Generates the schema of the native plugin: names, types and documentation from the interfaces, all else from the definitions' fields.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { z } = require("zod");
const { exampleOf } = require("./schema-examples");

/**
 * @typedef {Record<string, unknown>} Spec
 * @typedef {import("./model").Model} Model
 * @typedef {import("../provider/contract/definition").AnyDefinition} Definition
 */

/** @param {string} file */
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(__dirname, file), "utf8"));
const { version, description, homepage, license, repository } = readJson("../package.json");
/** The part that is the same for every release. `supportPack` adds a go.mod to the SDK for Go. */
const fixed = readJson("schema.json");

/** The types that exist only in Node programs. */
const onlyInNode = ["AbortSignal", "Filter", "OutputInstance", "Promise"];
const anything = { $ref: "pulumi.json#/Any" };

/** The name of an enumeration's value. By default Go uses the same name for `name` and `-name`. @param {string} value */
const nameOf = (value) => {
  const words = value.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`), value.startsWith("-") ? "Descending" : ""].join("");
};

/** The specification of an input that accepts only integers. @param {import("../provider/contract/definition").Field | undefined} field */
function integer(field) {
  if (!field?.input) return {};
  const schema = /** @type {import("zod").ZodType} */ (/** @type {unknown} */ (field.input));
  return z.toJSONSchema(schema, { unrepresentable: "any", io: "input" }).type === "integer" ? { type: "integer" } : {};
}

/** Converts types to specifications, and collects those with a name. */
class Types {
  /** @type {Record<string, Spec>} */
  named = {};

  /** @param {Model} model */
  constructor(model) {
    this.model = model;
    this.checker = model.checker;
  }

  /** The description of a symbol; for an input of a resource with the effect of a change. @param {ts.Symbol} symbol @param {boolean} [isInput] */
  description(symbol, isInput = false) {
    const { text, tag } = this.model.comment(symbol);
    const [preset, change] = [tag("default"), isInput && tag("change")];
    return `${text}${preset && ` Default: ${preset}.`}${change ? ` Changing it ${change}.` : ""}`.replace(/\{@link (\w+)\}/g, "`$1`");
  }

  /** The description of a resource, with its example. @param {string} token @param {ts.Symbol} symbol */
  resourceDescription(token, symbol) {
    return `${this.description(symbol)}\n\n${exampleOf(token, this.model.comment(symbol).tags("example"))}`;
  }

  /**
   * The forms of a secret: a string, or a reference. The types are in the module of the resource, since Pulumi's SDK for Go imports those of another
   * module and then does not use them. @param {string} module @returns {Spec}
   */
  secret(module) {
    const reference = this.checker.getDeclaredTypeOfSymbol(this.model.publicName("SecretReference").symbol);
    const { oneOf } = this.spec(module, reference, "reference");
    return { type: undefined, oneOf: [{ type: "string" }, .../** @type {Spec[]} */ (oneOf)] };
  }

  /** The properties of an interface. @param {string} module @param {ts.Type} type @param {(name: string) => Spec} [more] @param {boolean} [isInput] */
  properties(module, type, more = () => ({}), isInput = false) {
    /** @type {Record<string, Spec>} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const { name } = symbol;
      const valueType = this.checker.getTypeOfSymbol(symbol);
      if (onlyInNode.includes(this.checker.getNonNullableType(valueType).symbol?.name)) continue;
      const text = this.description(symbol, isInput);
      properties[name] = { ...this.spec(module, valueType, name, type.symbol.name), ...(text ? { description: text } : {}), ...more(name) };
      if (!(symbol.flags & ts.SymbolFlags.Optional)) required.push(name);
    }
    return { properties, required };
  }

  /** The members whose type is the argument of another type: `Output<string[]>`. @param {string} module @param {string} name @param {(member: string) => Spec} more */
  members(module, name, more) {
    return Object.fromEntries(
      [...this.model.membersOf(name)].flatMap(([member, { name, type }]) => {
        const [inner] = type && ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : [];
        const symbol = this.checker.getSymbolAtLocation(name);
        if (!inner || !symbol) return [];
        const spec = this.spec(module, this.checker.getTypeFromTypeNode(inner), member);
        return [[member, { ...spec, description: this.description(symbol), ...more(member) }]];
      }),
    );
  }

  /** The specification of a type. `owner`: the interface that contains the property. @param {string} module @param {ts.Type} optional @param {string} place @param {string} owner @returns {Spec} */
  spec(module, optional, place, owner = "") {
    if (optional.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return anything;
    const type = this.checker.getNonNullableType(optional);
    if (type.flags & ts.TypeFlags.StringLike && !type.isUnion()) return { type: "string" };
    if (type.flags & ts.TypeFlags.NumberLike && !type.isUnion()) return { type: "number" };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
    if (type.isUnion()) return this.union(module, type, place);
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
      return { type: "array", items: this.spec(module, /** @type {ts.Type} */ (item), place, owner) };
    }
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    if (index) return { type: "object", additionalProperties: this.spec(module, index.type, place, owner) };
    return { $ref: this.object(module, type, place, owner) };
  }

  /** @param {string} module @param {ts.UnionType} type @param {string} place @returns {Spec} */
  union(module, type, place) {
    if (type.types.every((each) => each.isStringLiteral())) {
      if (!type.aliasSymbol) throw new Error(`${place} requires an exported type alias for ${this.checker.typeToString(type)}.`);
      const values = type.types.map((each) => /** @type {ts.StringLiteralType} */ (each).value);
      const spec = { enum: values.map((value) => ({ name: nameOf(value), value })) };
      return { type: "string", $ref: this.add(module, type.aliasSymbol.name, type.aliasSymbol, "string", () => spec) };
    }
    const members = type.types.filter((each) => !onlyInNode.includes(each.symbol?.name));
    const parts = members.map((each) => JSON.stringify(this.spec(module, each, place)));
    const distinct = [...new Set(parts)].map((part) => JSON.parse(part));
    return distinct.length === 1 ? distinct[0] : { oneOf: distinct };
  }

  /** @param {string} module @param {ts.Type} type @param {string} place @param {string} owner */
  object(module, type, place, owner) {
    const symbol = type.aliasSymbol ?? type.symbol;
    const name = symbol.name === "__type" && owner ? `${owner}${place[0]?.toUpperCase()}${place.slice(1)}` : symbol.name;
    if (name === "__type") throw new Error(`${place} requires an exported interface for ${this.checker.typeToString(type)}.`);
    return this.add(module, name, symbol, "object", () => this.properties(module, type));
  }

  /** Adds a named type, unless it exists. @param {string} module @param {string} name @param {ts.Symbol} symbol @param {"string" | "object"} type @param {() => Spec} spec */
  add(module, name, symbol, type, spec) {
    const token = `steward:${module}:${name}`;
    if (!this.named[token]) {
      // Set before its properties, since an interface may refer to itself.
      this.named[token] = {};
      const doc = this.description(symbol);
      this.named[token] = { type, ...(doc ? { description: doc } : {}), ...spec() };
    }
    return `#/types/${token}`;
  }
}

/** The specification of a resource by its token. @param {Types} types @param {import("./model").Exported} definition @returns {[string, Spec]} */
function resourceSpec(types, { interfaces, symbol, value }) {
  const { token, fields, discover } = /** @type {Definition} */ (value);
  const [module = ""] = token.split(":");
  const [inputType, outputType] = interfaces.map((each) => types.checker.getDeclaredTypeOfSymbol(each));
  /** A value, or a reference that the provider reads. @param {string} name @returns {Spec} */
  const shared = (name) => ({ ...integer(fields[name]), ...(fields[name]?.secret && fields[name]?.input ? types.secret(module) : {}) });
  const moreOfInput = (/** @type {string} */ name) => ({
    ...(fields[name]?.secret ? { secret: true } : {}),
    ...(fields[name]?.replaces ? { willReplaceOnChanges: true } : {}),
    ...shared(name),
  });
  const inputs = types.properties(module, /** @type {ts.Type} */ (inputType), moreOfInput, true);
  const outputs = types.properties(module, /** @type {ts.Type} */ (outputType), (name) => ({
    ...(fields[name]?.secret || fields[name]?.secretOutput ? { secret: true } : {}),
    ...shared(name),
  }));
  const spec = {
    description: types.resourceDescription(token, symbol),
    ...outputs,
    inputProperties: inputs.properties,
    requiredInputs: inputs.required.filter((name) => fields[name]?.required),
    aliases: [{ type: require("../provider/program/dynamic").dynamicType(token) }],
    ...(typeof discover === "function" ? { listInputs: { type: "object" } } : {}),
  };
  return [`steward:${token}`, spec];
}

/** The component that runs the steps of a rekey. @param {Types} types @returns {Spec} */
function rekeySpec(types) {
  const { model } = types;
  /** @type {Partial<Definition["fields"]>} */
  const fields = require("../provider/secrets/rekey/inputs").rekeyFields;
  const properties = types.members("secrets", "Rekey", (name) => (name === "shares" ? { secret: true } : {}));
  const type = types.checker.getDeclaredTypeOfSymbol(model.publicName("RekeyInputs").symbol);
  const more = (/** @type {string} */ name) => ({ ...(fields[name]?.secret ? { secret: true } : {}), ...integer(fields[name]) });
  const inputs = types.properties("secrets", type, more, true);
  return {
    isComponent: true,
    description: types.resourceDescription("secrets:Rekey", model.publicName("Rekey").symbol),
    properties,
    required: Object.keys(properties),
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
  };
}

/** @param {Types} types @param {import("./model").Exported} of @returns {[string, Spec]} */
function functionSpec(types, { symbol, value: { token, property } }) {
  const { checker, model } = types;
  const [module = "", name = ""] = token.split(":");
  const run = /** @type {ts.Symbol} */ (checker.getTypeOfSymbol(symbol).getProperty("run"));
  const [signature] = /** @type {[ts.Signature]} */ (checker.getTypeOfSymbol(run).getCallSignatures());
  const options = /** @type {ts.Symbol} */ (signature.parameters[1]);
  const result = /** @type {ts.Type} */ (checker.getAwaitedType(signature.getReturnType()));
  const inputs = types.properties(module, checker.getTypeOfSymbol(options));
  const outputs = property
    ? { properties: { [property]: types.spec(module, result, property) }, required: [property] }
    : types.properties(module, result);
  const spec = {
    description: types.description(model.publicName(name).symbol),
    inputs: { type: "object", properties: inputs.properties, ...(inputs.required.length > 0 ? { required: inputs.required } : {}) },
    outputs: { type: "object", ...outputs },
  };
  return [`steward:${token}`, spec];
}

/** The function of settings returns the outputs of their resource. @param {Record<string, Spec>} resources @param {Definition} definition @returns {[string, Spec]} */
function settingsSpec(resources, { token, fields }) {
  const { properties, inputProperties } = /** @type {Record<string, Record<string, Spec>>} */ (resources[`steward:${token}`]);
  const { managed, ...outputs } = properties ?? {};
  const secret = (/** @type {string} */ name) => (fields[name]?.secret ? { oneOf: undefined, type: "string", secret: true } : {});
  const spec = {
    description: `Reads the current settings of \`${token.split(":")[1]}\`.`,
    inputs: { type: "object", properties: { connection: inputProperties?.connection } },
    outputs: {
      type: "object",
      properties: Object.fromEntries(Object.entries(outputs).map(([name, spec]) => [name, { ...spec, ...secret(name) }])),
      required: Object.keys(outputs),
    },
  };
  return [`steward:${token.replace(":", ":get")}`, spec];
}

/** @param {Model} model @returns {Spec} */
function packageSchema(model) {
  const types = new Types(model);
  const definitions = model.definitions.filter(({ comment }) => comment);
  const resources = Object.fromEntries(definitions.map((definition) => resourceSpec(types, definition)));
  resources["steward:secrets:Rekey"] = rekeySpec(types);
  const inputProperties = types.members("index", "ProviderArgs", () => ({ secret: true }));
  const settings = definitions.filter(({ isSettings }) => isSettings);
  const functions = [
    ...model.functions.map((each) => functionSpec(types, each)),
    ...settings.map(({ value }) => settingsSpec(resources, value)),
  ];
  return {
    ...fixed,
    version,
    description,
    homepage,
    license,
    repository: repository.url.replace(/^git\+|\.git$/g, ""),
    provider: { description: "An explicit provider with the servers of its resources.", inputProperties, properties: {} },
    types: types.named,
    resources,
    functions: Object.fromEntries(functions),
  };
}

module.exports = { packageSchema };
