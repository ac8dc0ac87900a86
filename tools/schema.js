// @ts-check
// The schema of the native plugin: names, types and documentation from the interfaces, everything else from the tables of fields.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { root } = require("./command");
require("./typescript");

/**
 * @typedef {import("../provider/definition").AnyDefinition} Definition
 * @typedef {Record<string, unknown>} Spec
 */

const { version, description, homepage, license, repository } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const anything = { $ref: "pulumi.json#/Any" };

/** Reads the types of all definitions. */
class Reader {
  constructor() {
    const file = path.join(root, "provider/definitions.ts");
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config,
      ts.sys,
      root,
    );
    const program = ts.createProgram([file], { ...options, noEmit: true, types: ["node"] });
    this.checker = program.getTypeChecker();
    this.source = /** @type {ts.SourceFile} */ (program.getSourceFile(file));
    /** @type {Record<string, Spec>} */
    this.types = {};
  }

  /** The interfaces of inputs and outputs of each definition, by the name of its constant. @returns {{ constant: string, inputs: ts.Type, outputs: ts.Type, doc: string }[]} */
  definitions() {
    return this.source.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
      const bindings = statement.importClause?.namedBindings;
      if (!bindings || !ts.isNamedImports(bindings)) return [];
      return bindings.elements.flatMap((element) => {
        const imported = this.checker.getSymbolAtLocation(element.name);
        const symbol = imported && imported.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(imported) : imported;
        const declaration = symbol?.valueDeclaration;
        if (!symbol || !declaration || !ts.isVariableDeclaration(declaration) || !declaration.type) return [];
        const [inputs, outputs] = ts.isTypeReferenceNode(declaration.type) ? (declaration.type.typeArguments ?? []) : [];
        if (!inputs || !outputs) return [];
        const [at, out] = [inputs, outputs].map((node) => this.checker.getTypeFromTypeNode(node));
        const doc = this.documentation(symbol);
        return doc.text === ""
          ? []
          : [{ constant: element.name.text, inputs: /** @type {ts.Type} */ (at), outputs: /** @type {ts.Type} */ (out), doc: doc.text }];
      });
    });
  }

  /** @param {ts.Symbol} symbol */
  documentation(symbol) {
    const tags = symbol.getJsDocTags(this.checker);
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim();
    const fallback = tags.find(({ name }) => name === "default");
    return {
      isInternal: tags.some(({ name }) => name === "internal"),
      text: fallback ? `${text} Default: ${ts.displayPartsToString(fallback.text)}.` : text,
    };
  }

  /** The properties of an interface. @param {string} module @param {ts.Type} type @param {(name: string) => Spec} more */
  properties(module, type, more = () => ({})) {
    /** @type {Record<string, Spec>} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const { name } = symbol;
      const { text } = this.documentation(symbol);
      properties[name] = {
        ...this.spec(module, this.checker.getTypeOfSymbol(symbol), name),
        ...(text ? { description: text } : {}),
        ...more(name),
      };
      if (!(symbol.flags & ts.SymbolFlags.Optional)) required.push(name);
    }
    return { properties, required };
  }

  /** @param {string} module @param {ts.Type} given @param {string} place @returns {Spec} */
  spec(module, given, place) {
    if (given.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return anything;
    const type = this.checker.getNonNullableType(given);
    if (type.flags & ts.TypeFlags.StringLike && !type.isUnion()) return { type: "string" };
    if (type.flags & ts.TypeFlags.NumberLike && !type.isUnion()) return { type: "number" };
    if (type.flags & ts.TypeFlags.BooleanLike) return { type: "boolean" };
    if (type.isUnion()) return this.union(module, type, place);
    if (this.checker.isArrayType(type)) {
      const [item] = this.checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
      return { type: "array", items: this.spec(module, /** @type {ts.Type} */ (item), place) };
    }
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    if (index) return { type: "object", additionalProperties: this.spec(module, index.type, place) };
    return { $ref: this.named(module, type, place) };
  }

  /** @param {string} module @param {ts.UnionType} type @param {string} place @returns {Spec} */
  union(module, type, place) {
    if (type.types.every((each) => each.isStringLiteral())) {
      const name = type.aliasSymbol?.name;
      if (!name) throw new Error(`${place}: an exported type alias has to name ${this.checker.typeToString(type)}.`);
      const token = `steward:${module}:${name}`;
      const doc = this.documentation(/** @type {ts.Symbol} */ (type.aliasSymbol)).text;
      this.types[token] = {
        type: "string",
        ...(doc ? { description: doc } : {}),
        enum: type.types.map((each) => ({ value: /** @type {ts.StringLiteralType} */ (each).value })),
      };
      return { type: "string", $ref: `#/types/${token}` };
    }
    const parts = type.types.map((each) => JSON.stringify(this.spec(module, each, place)));
    const distinct = [...new Set(parts)].map((part) => JSON.parse(part));
    return distinct.length === 1 ? distinct[0] : { oneOf: distinct };
  }

  /** @param {string} module @param {ts.Type} type @param {string} place */
  named(module, type, place) {
    const name = (type.aliasSymbol ?? type.symbol).name;
    if (name === "__type") throw new Error(`${place}: an exported interface has to name ${this.checker.typeToString(type)}.`);
    const token = `steward:${module}:${name}`;
    if (!this.types[token]) {
      // Before its properties: an interface may name itself.
      this.types[token] = {};
      const doc = this.documentation(type.aliasSymbol ?? type.symbol).text;
      this.types[token] = { type: "object", ...(doc ? { description: doc } : {}), ...this.properties(module, type) };
    }
    return `#/types/${token}`;
  }
}

/** The JSON schema of an input: tells integers from other numbers. @param {import("../provider/inputs").Schema | undefined} input */
function isInteger(input) {
  const { z } = require("zod");
  if (!input) return false;
  const schema = z.toJSONSchema(/** @type {import("zod").ZodType} */ (/** @type {unknown} */ (input)), {
    unrepresentable: "any",
    io: "input",
  });
  return schema.type === "integer";
}

/** @returns {Spec} */
function packageSchema() {
  const reader = new Reader();
  const { definitions } = require("../provider/definitions");
  const { dynamicType } = require("../provider/adapters/dynamic");
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
    const replaces = (/** @type {string} */ name) => (fields[name]?.replaces ? { willReplaceOnChanges: true } : {});
    const inputs = reader.properties(module, typed.inputs, (name) => ({
      ...(fields[name]?.secret ? { secret: true } : {}),
      ...integer(name),
      ...replaces(name),
    }));
    const outputs = reader.properties(module, typed.outputs, (name) => ({ ...secret(name), ...integer(name) }));
    resources[`steward:${definition.token}`] = {
      description: typed.doc,
      properties: outputs.properties,
      required: outputs.required,
      inputProperties: inputs.properties,
      requiredInputs: inputs.required.filter((name) => fields[name]?.required),
      aliases: [{ type: dynamicType(definition.token) }],
    };
  }
  const connection = {
    ...anything,
    description: "A server: address, token, tokenEnv or tokenFile, namespace, mount, caCert, clientCert, clientKey, dialect.",
    secret: true,
  };
  const settings = Object.fromEntries(["secrets", "platform", "scheduler"].map((system) => [system, connection]));
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
    // Without one, the generator for .NET fetches a picture.
    logoUrl: `${homepage.replace(/#.*/, "")}/raw/main/docs/logo.png`,
    pluginDownloadURL: `github://api.github.com/pulumi-steward/pulumi-steward`,
    // With it, the SDK for Go has a go.mod of its own.
    meta: { moduleFormat: "(.*)", supportPack: true },
    config: { variables: {} },
    provider: { description: "The servers that resources without a connection use.", inputProperties: settings, properties: {} },
    types: reader.types,
    resources,
    functions: {},
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
