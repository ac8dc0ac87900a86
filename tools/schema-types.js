// @ts-check
// Reads the types of the native plugin's schema from the interfaces: names, properties and documentation.
const path = require("node:path");
const ts = require("typescript");
const { root } = require("./command");

/** @typedef {Record<string, unknown>} Spec */

/** The types that exist only in Node programs. */
const onlyInNode = ["AbortSignal", "Filter"];
const anything = { $ref: "pulumi.json#/Any" };

/** A predicate for the exported function that calls the definition with this name. @param {string} constant @returns {(statement: ts.Statement) => boolean} */
const calls = (constant) => (statement) =>
  ts.isFunctionDeclaration(statement) &&
  /^export /.test(statement.getText()) &&
  new RegExp(`\\b(read|list|invoke)\\(${constant},`).test(statement.getText());

/** The name of an enumeration's value. By default Go uses the same name for `name` and `-name`. @param {string} value */
const nameOf = (value) => {
  const words = value.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return [...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`), value.startsWith("-") ? "Descending" : ""].join("");
};

/** Reads the types of all definitions. */
class Reader {
  constructor() {
    const file = path.join(root, "provider/definitions.ts");
    const functions = path.join(root, "provider/functions.ts");
    const rekey = path.join(root, "provider/secrets/rekey/index.ts");
    const provider = path.join(root, "provider/program/provider.ts");
    const { options } = ts.parseJsonConfigFileContent(
      ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config,
      ts.sys,
      root,
    );
    const program = ts.createProgram([file, functions, rekey, provider], { ...options, noEmit: true, types: ["node"] });
    this.checker = program.getTypeChecker();
    this.source = /** @type {ts.SourceFile} */ (program.getSourceFile(file));
    this.functionSource = /** @type {ts.SourceFile} */ (program.getSourceFile(functions));
    this.rekeySource = /** @type {ts.SourceFile} */ (program.getSourceFile(rekey));
    this.providerSource = /** @type {ts.SourceFile} */ (program.getSourceFile(provider));
    this.inputSource = /** @type {ts.SourceFile} */ (program.getSourceFile(path.join(root, "provider/inputs.ts")));
    /** @type {Record<string, Spec>} */
    this.types = {};
  }

  /**
   * The forms of a secret: a string, or a reference. The types are in the module of the resource, since Pulumi's SDK for Go imports those of another
   * module and then does not use them. @param {string} module @returns {Spec}
   */
  secret(module) {
    const reference = /** @type {ts.Statement} */ (
      this.inputSource.statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === "SecretReference")
    );
    const { oneOf } = this.spec(module, this.checker.getTypeAtLocation(reference), "reference");
    return { type: undefined, oneOf: [{ type: "string" }, .../** @type {Spec[]} */ (oneOf)] };
  }

  /** The constants that a file imports. @param {ts.SourceFile} source @returns {ts.Symbol[]} */
  imported(source) {
    return source.statements.filter(ts.isImportDeclaration).flatMap((statement) => {
      const bindings = statement.importClause?.namedBindings;
      if (!bindings || !ts.isNamedImports(bindings)) return [];
      return bindings.elements.flatMap((element) => this.resolved(this.checker.getSymbolAtLocation(element.name)) ?? []);
    });
  }

  /** @param {ts.Symbol | undefined} symbol */
  resolved(symbol) {
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  /** The options and results of the package's functions by name. @returns {Map<string, { options: ts.Type, result: ts.Type, doc: string }>} */
  functions() {
    /** @type {Map<string, { options: ts.Type, result: ts.Type, doc: string }>} */
    const byName = new Map();
    for (const symbol of this.imported(this.functionSource)) {
      const { valueDeclaration: declaration } = symbol;
      if (!declaration || !ts.isVariableDeclaration(declaration)) continue;
      const run = this.checker.getTypeOfSymbol(symbol).getProperty("run");
      const [signature] = run ? this.checker.getTypeOfSymbol(run).getCallSignatures() : [];
      const [, options] = signature?.parameters ?? [];
      const result = signature && this.checker.getAwaitedType(signature.getReturnType());
      const calling = declaration.getSourceFile().statements.find(calls(symbol.name));
      const named = calling && ts.isFunctionDeclaration(calling) && calling.name && this.checker.getSymbolAtLocation(calling.name);
      if (!options || !result || !named) continue;
      byName.set(named.name, { options: this.checker.getTypeOfSymbol(options), result, doc: this.documentation(named).text });
    }
    return byName;
  }

  /** The inputs and outputs of the component `Rekey`. */
  rekey() {
    const declaration = /** @type {ts.ClassDeclaration} */ (
      this.rekeySource.statements.find((statement) => ts.isClassDeclaration(statement) && statement.name?.text === "Rekey")
    );
    const symbol = /** @type {ts.Symbol} */ (this.checker.getSymbolAtLocation(/** @type {ts.Identifier} */ (declaration.name)));
    const inputs = this.imported(this.rekeySource).find(({ name }) => name === "RekeyInputs");
    /** @type {Record<string, Spec>} */
    const properties = {};
    for (const member of declaration.members.filter(ts.isPropertyDeclaration)) {
      const [output] = member.type && ts.isTypeReferenceNode(member.type) ? (member.type.typeArguments ?? []) : [];
      const property = this.checker.getSymbolAtLocation(member.name);
      if (!output || !property) continue;
      const spec = this.spec("secrets", this.checker.getTypeFromTypeNode(output), member.name.getText());
      properties[member.name.getText()] = { ...spec, description: this.documentation(property).text };
    }
    return {
      inputs: this.checker.getDeclaredTypeOfSymbol(/** @type {ts.Symbol} */ (inputs)),
      properties,
      doc: this.documentation(symbol).text,
    };
  }

  /** The inputs of an explicit provider, one for each server. @returns {Record<string, Spec>} */
  provider() {
    const args = this.providerSource.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === "ProviderArgs",
    );
    const members = args && ts.isInterfaceDeclaration(args) ? args.members.filter(ts.isPropertySignature) : [];
    return Object.fromEntries(
      members.map(({ name, type }) => {
        const [server] = type && ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : [];
        const spec = this.spec("index", this.checker.getTypeFromTypeNode(/** @type {ts.TypeNode} */ (server)), name.getText());
        const { text } = this.documentation(/** @type {ts.Symbol} */ (this.checker.getSymbolAtLocation(name)));
        return [name.getText(), { ...spec, description: text, secret: true }];
      }),
    );
  }

  /** The inputs and outputs of each definition, with the name of its constant. @returns {{ constant: string, inputs: ts.Type, outputs: ts.Type, doc: string }[]} */
  definitions() {
    return this.imported(this.source).flatMap((symbol) => {
      const { valueDeclaration: declaration } = symbol;
      if (!declaration || !ts.isVariableDeclaration(declaration) || !declaration.type) return [];
      const [inputs, outputs] = ts.isTypeReferenceNode(declaration.type) ? (declaration.type.typeArguments ?? []) : [];
      if (!inputs || !outputs) return [];
      const [at, out] = [inputs, outputs].map((node) => this.checker.getTypeFromTypeNode(node));
      const doc = this.documentation(symbol);
      return doc.text === ""
        ? []
        : [{ constant: symbol.name, inputs: /** @type {ts.Type} */ (at), outputs: /** @type {ts.Type} */ (out), doc: doc.text }];
    });
  }

  /** @param {ts.Symbol} symbol */
  documentation(symbol) {
    const tags = symbol.getJsDocTags(this.checker);
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).trim();
    const tagged = (/** @type {string} */ name) => ts.displayPartsToString(tags.find((tag) => tag.name === name)?.text);
    const [change, fallback] = [tagged("change"), tagged("default")];
    return {
      text: fallback ? `${text} Default: ${fallback}.` : text,
      change: change ? ` Changing it ${change}.` : "",
    };
  }

  /** The inputs of a resource, with the effect of a change. @param {string} module @param {ts.Type} type @param {(name: string) => Spec} more */
  inputs(module, type, more) {
    const { properties, required } = this.properties(module, type, more);
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const property = properties[symbol.name];
      if (property?.description) property.description += this.documentation(symbol).change;
    }
    return { properties, required };
  }

  /** The properties of an interface. @param {string} module @param {ts.Type} type @param {(name: string) => Spec} more */
  properties(module, type, more = () => ({})) {
    /** @type {Record<string, Spec>} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (const symbol of this.checker.getPropertiesOfType(type)) {
      const { name } = symbol;
      if (onlyInNode.includes(this.checker.getNonNullableType(this.checker.getTypeOfSymbol(symbol)).symbol?.name)) continue;
      const { text } = this.documentation(symbol);
      properties[name] = {
        ...this.spec(module, this.checker.getTypeOfSymbol(symbol), name, type.symbol.name),
        ...(text ? { description: text } : {}),
        ...more(name),
      };
      if (!(symbol.flags & ts.SymbolFlags.Optional)) required.push(name);
    }
    return { properties, required };
  }

  /** The schema of a type. `owner`: the interface that contains the property. @param {string} module @param {ts.Type} optional @param {string} place @param {string} owner @returns {Spec} */
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
    return { $ref: this.named(module, type, place, owner) };
  }

  /** @param {string} module @param {ts.UnionType} type @param {string} place @returns {Spec} */
  union(module, type, place) {
    if (type.types.every((each) => each.isStringLiteral())) {
      const name = type.aliasSymbol?.name;
      if (!name) throw new Error(`${place} requires an exported type alias for ${this.checker.typeToString(type)}.`);
      const token = `steward:${module}:${name}`;
      const doc = this.documentation(/** @type {ts.Symbol} */ (type.aliasSymbol)).text;
      this.types[token] = {
        type: "string",
        ...(doc ? { description: doc } : {}),
        enum: type.types.map((each) => {
          const { value } = /** @type {ts.StringLiteralType} */ (each);
          return { name: nameOf(value), value };
        }),
      };
      return { type: "string", $ref: `#/types/${token}` };
    }
    const members = type.types.filter((each) => !onlyInNode.includes(each.symbol?.name));
    const parts = members.map((each) => JSON.stringify(this.spec(module, each, place)));
    const distinct = [...new Set(parts)].map((part) => JSON.parse(part));
    return distinct.length === 1 ? distinct[0] : { oneOf: distinct };
  }

  /** @param {string} module @param {ts.Type} type @param {string} place @param {string} owner */
  named(module, type, place, owner) {
    const declared = (type.aliasSymbol ?? type.symbol).name;
    const name = declared === "__type" && owner ? `${owner}${place[0]?.toUpperCase()}${place.slice(1)}` : declared;
    if (name === "__type") throw new Error(`${place} requires an exported interface for ${this.checker.typeToString(type)}.`);
    const token = `steward:${module}:${name}`;
    if (!this.types[token]) {
      // Set before its properties, since an interface may refer to itself.
      this.types[token] = {};
      const doc = this.documentation(type.aliasSymbol ?? type.symbol).text;
      this.types[token] = { type: "object", ...(doc ? { description: doc } : {}), ...this.properties(module, type) };
    }
    return `#/types/${token}`;
  }
}

module.exports = { Reader };
