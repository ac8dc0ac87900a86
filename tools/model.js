// @ts-check
// Reads the definitions, the public names and their comments. The generated sources, the schema and the pages of docs/api come from this model.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { root } = require("./command");
// Jest compiles TypeScript itself.
if (typeof jest === "undefined") require("./typescript");

/**
 * @typedef {object} Exported A constant of provider/ whose type is a definition or a function.
 * @property {string} system
 * @property {string} file The path in the system's folder, without the extension.
 * @property {string} constant The name of the definition: `schedulerRole`.
 * @property {boolean} isSettings
 * @property {ts.Symbol[]} interfaces The interfaces of the inputs and outputs of a definition.
 * @property {ts.Symbol} symbol
 * @property {string} comment The comment as it is written. An internal definition has none.
 * @property {string[]} types The types that the file exports, which are public.
 * @property {any} value
 *
 * @typedef {object} PublicName
 * @property {string} name
 * @property {string} system The namespace in which programs find it, or an empty string.
 * @property {string} file
 * @property {ts.Symbol} symbol
 * @property {ts.Declaration} declaration
 */

const systems = ["secrets", "platform", "scheduler"];

/** The source files of a folder, by their paths in it without the extension. @param {string} folder @returns {string[]} */
const sources = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|[\\/])(classes|index)\.ts$/.test(file))
    .map((file) => file.replaceAll(path.sep, "/").replace(/\.ts$/, ""))
    .sort();

/** @param {ts.Statement} statement */
const isExported = (statement) =>
  ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** The type without `WithSecrets`, which the definition receives but no program sees. @param {ts.TypeNode} node */
const declaredType = (node) =>
  ts.isTypeReferenceNode(node) && node.typeName.getText() === "WithSecrets" ? (node.typeArguments?.[0] ?? node) : node;

class Model {
  constructor() {
    const config = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile).config;
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    this.files = systems.flatMap((system) => sources(`provider/${system}`).map((file) => ({ system, file })));
    const entries = ["provider/index.ts", "sandbox/index.ts", ...this.files.map(({ system, file }) => `provider/${system}/${file}.ts`)];
    this.program = ts.createProgram(
      entries.map((file) => path.join(root, file)),
      { ...options, types: ["node"] },
    );
    this.checker = this.program.getTypeChecker();
    const exported = this.files.flatMap(({ system, file }) => this.exportedFrom(system, file));
    this.definitions = exported.filter(({ interfaces }) => interfaces.length > 0);
    this.functions = exported.filter(({ interfaces }) => interfaces.length === 0);
    this.publicNames = ["provider", "sandbox"].flatMap((part) =>
      this.namesOf(this.checker.getSymbolAtLocation(this.sourceFile(`${part}/index.ts`)), ""),
    );
  }

  /** @param {string} file */
  sourceFile(file) {
    return /** @type {ts.SourceFile} */ (this.program.getSourceFile(path.join(root, file)));
  }

  /** The path of the file that declares a symbol, in the repository. @param {ts.Symbol} symbol */
  fileOf(symbol) {
    return path.relative(root, symbol.declarations?.[0]?.getSourceFile().fileName ?? "").replaceAll(path.sep, "/");
  }

  /** The definitions and functions that a file exports. @param {string} system @param {string} file @returns {Exported[]} */
  exportedFrom(system, file) {
    const { statements } = this.sourceFile(`provider/${system}/${file}.ts`);
    return statements.flatMap((statement) => {
      if (!ts.isVariableStatement(statement) || !isExported(statement)) return [];
      const [declaration] = statement.declarationList.declarations;
      const type = declaration?.type;
      if (!type || !ts.isTypeReferenceNode(type) || !/(Definition|ReadFunction)$/.test(type.typeName.getText())) return [];
      const constant = declaration.name.getText();
      const symbol = /** @type {ts.Symbol} */ (this.checker.getSymbolAtLocation(declaration.name));
      const [inputs, outputs] = (type.typeArguments ?? []).map((node) => this.checker.getTypeFromTypeNode(declaredType(node)).symbol);
      return {
        system,
        file,
        constant,
        isSettings: type.typeName.getText() === "SettingsDefinition",
        interfaces: /Definition$/.test(type.typeName.getText()) && inputs && outputs ? [inputs, outputs] : [],
        symbol,
        comment: rawComment(symbol),
        types: statements
          .filter(isExported)
          .flatMap((each) => (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each) ? each.name.text : [])),
        value: require(path.join(root, "provider", system, file))[constant],
      };
    });
  }

  /** The public names of a module, in the order of their files. @param {ts.Symbol | undefined} module @param {string} system @returns {PublicName[]} */
  namesOf(module, system) {
    const exported = module ? this.checker.getExportsOfModule(module) : [];
    const symbols = exported.map((each) => ({
      name: each.name,
      symbol: each.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(each) : each,
    }));
    const declared = symbols.flatMap(({ name, symbol }) => {
      // A constant that has the name of a type lists its values.
      const declarations = symbol.declarations?.filter((each) => !ts.isVariableDeclaration(each)) ?? [];
      const declaration = declarations.find(ts.isClassDeclaration) ?? declarations[0];
      return declaration && !ts.isSourceFile(declaration) ? [{ name, system, file: this.fileOf(symbol), symbol, declaration }] : [];
    });
    declared.sort((a, b) => (a.file === b.file ? a.declaration.pos - b.declaration.pos : a.file < b.file ? -1 : 1));
    const modules = symbols.filter(({ symbol }) => symbol.flags & ts.SymbolFlags.Module);
    return [...declared, ...modules.flatMap(({ name, symbol }) => this.namesOf(symbol, name))];
  }

  /** @param {string} name */
  publicName(name) {
    const declared = this.publicNames.find((each) => each.name === name);
    if (!declared) throw new Error(`${name} is not a public name.`);
    return declared;
  }

  /** The properties of a type. @param {ts.Type} type */
  propertiesOf(type) {
    return this.checker.getPropertiesOfType(type).filter((symbol) => {
      const [declaration] = symbol.declarations ?? [];
      const isPrivate = declaration && ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private;
      return !isPrivate && !this.fileOf(symbol).includes("node_modules/") && !(symbol.flags & ts.SymbolFlags.Prototype);
    });
  }

  /** The properties that a class or an interface declares itself, by name. @param {string} name */
  membersOf(name) {
    const { declaration } = this.publicName(name);
    const hasMembers = ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration);
    const members = hasMembers ? [...declaration.members] : [];
    return new Map(
      members.flatMap((member) =>
        ts.isPropertyDeclaration(member) || ts.isPropertySignature(member) ? [[member.name.getText(), member]] : [],
      ),
    );
  }

  /** The comment of a symbol: its text, and the values of its tags. @param {ts.Symbol} symbol */
  comment(symbol) {
    const source = rawComment(symbol)
      .replace(/^\/\*\*\s*|\s*\*\/$/g, "")
      .replace(/^ *\* ?/gm, "");
    const [text = "", ...parts] = source.split(/(?:^|\s)@(\w+)(?:\s|$)/);
    const tags = (/** @type {string} */ name) =>
      parts.flatMap((value, index) => (parts[index - 1] === name && index % 2 ? [value.trim()] : []));
    return { text: text.trim(), tags, tag: (/** @type {string} */ name) => tags(name).join("\n\n") };
  }
}

/** The comment of a symbol as it is written. @param {ts.Symbol} symbol */
function rawComment(symbol) {
  return (symbol.declarations ?? []).flatMap(ts.getJSDocCommentsAndTags).find(ts.isJSDoc)?.getText() ?? "";
}

module.exports = { Model, sources };
