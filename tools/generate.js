// @ts-check
// Generates the classes of the resources, the table of all definitions, the lists of the sandbox's routes, and the schema.
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");
const { capture, root } = require("./command");
const { packageSchema } = require("./schema");

/**
 * @typedef {object} Resource A definition in a file of provider/.
 * @property {string} file The path in the system's folder, without the extension.
 * @property {Map<string, string>} places The file of each interface of the class.
 * @property {string} constant The name of the definition: `schedulerRole`.
 * @property {string} type The name of the class: `SchedulerRole`.
 * @property {string} inputs The interface of its inputs.
 * @property {string} state The interface of its outputs.
 * @property {string | undefined} base The function that creates the definition: `settings`, `action`.
 * @property {string} id The template of its id.
 * @property {boolean} readById
 * @property {boolean} isInternal
 * @property {boolean} needsNothing True if no input is required.
 * @property {string} displayName
 * @property {string[]} secretOutputs Readable attributes that are secrets.
 * @property {string} doc The docstring without comment delimiters.
 * @property {string[]} types The other public types of the file.
 */

const notice = "// Written by `npm run generate` from the definitions and their comments: change those.\n\n";
const systems = ["secrets", "platform"];

/** @param {string} folder @returns {string[]} */
const sources = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/(^|[\\/])(classes|index)\.ts$/.test(file))
    .map((file) => file.replaceAll(path.sep, "/").replace(/\.ts$/, ""))
    .sort();

/** The docstring of a declaration without comment delimiters. @param {ts.Node} node */
function comment(node) {
  const text = node.getSourceFile().text;
  const range = (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).at(-1);
  const raw = range && text.slice(range.pos, range.end).startsWith("/**") ? text.slice(range.pos, range.end) : "";
  return raw
    .replace(/^\/\*\* ?|\s*\*\/$/g, "")
    .split("\n")
    .map((line) => line.replace(/^ \* ?/, ""))
    .join("\n")
    .trim();
}

/** @param {ts.ObjectLiteralExpression} object @param {string} name */
const property = (object, name) => object.properties.find((each) => ts.isPropertyAssignment(each) && each.name.getText() === name);

/** @param {ts.ObjectLiteralExpression} object @param {string} name */
function literal(object, name) {
  const found = property(object, name);
  return found && ts.isPropertyAssignment(found) && ts.isStringLiteralLike(found.initializer) ? found.initializer.text : undefined;
}

/** @param {ts.ObjectLiteralExpression} fields @param {RegExp} trait */
const namesWith = (fields, trait) =>
  fields.properties.filter((each) => trait.test(each.getText())).map((each) => each.name?.getText() ?? "");

/** The file that declares an interface, by its path in the system's folder. @param {ts.SourceFile} source @param {string} file @param {string} name */
function placeOf(source, file, name) {
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings && ts.isNamedImports(bindings) && bindings.elements.some((each) => each.name.text === name))
      return path.posix.join(path.posix.dirname(file), statement.moduleSpecifier.text);
  }
  return file;
}

/** The definition in a file, if there is one. @param {string} system @param {string} file @returns {Resource | undefined} */
function read(system, file) {
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(path.join(root, "provider", system, `${file}.ts`), "utf8"),
    ts.ScriptTarget.ES2022,
    true,
  );
  const isExported = (/** @type {ts.Node} */ node) =>
    ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const isInternal = (/** @type {ts.Node} */ node) => /(^|\s)@internal\b/.test(comment(node));
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || !isExported(statement)) continue;
    const [declaration] = statement.declarationList.declarations;
    const type = declaration?.type;
    if (!declaration?.initializer || !type || !ts.isTypeReferenceNode(type) || !/Definition$/.test(type.typeName.getText())) continue;
    const made = ts.isCallExpression(declaration.initializer) ? declaration.initializer : undefined;
    const object = made ? made.arguments[0] : declaration.initializer;
    if (!object || !ts.isObjectLiteralExpression(object)) throw new Error(`The definition in ${file} must be an object literal.`);
    const fields = property(object, "fields") ?? property(object, "attributes");
    const table = fields && ts.isPropertyAssignment(fields) ? fields.initializer : undefined;
    const rows = table && ts.isObjectLiteralExpression(table) ? table : ts.factory.createObjectLiteralExpression();
    const [inputs, state] = (type.typeArguments ?? []).map((argument) => argument.getText());
    const name = literal(object, "type") ?? literal(object, "token")?.split(":")[1];
    if (!name || !inputs || !state) throw new Error(`The definition in ${file} must have a literal token and type arguments.`);
    const doc = comment(statement).replace(/\s*@internal$/, "");
    return {
      file,
      places: new Map([inputs, state].map((each) => [each, placeOf(source, file, each)])),
      constant: declaration.name.getText(),
      type: name,
      inputs,
      state,
      base: made?.expression.getText(),
      id: literal(object, "id") ?? "",
      readById: Boolean(made ? made.expression.getText() === "settings" : property(object, "readById")),
      isInternal: !doc,
      needsNothing: namesWith(rows, /\brequired: true/).length === 0 && made !== undefined,
      displayName: literal(object, "displayName") ?? "",
      secretOutputs: namesWith(rows, /(?=[\s\S]*\boutput: true)(?=[\s\S]*\bsecret: true)/),
      doc,
      types: source.statements
        .filter((each) => (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each)) && isExported(each) && !isInternal(each))
        .map((each) => /** @type {ts.InterfaceDeclaration} */ (each).name.text),
    };
  }
  return undefined;
}

/** @param {string} text */
const asComment = (text) =>
  text.includes("\n")
    ? `/**\n${text
        .split("\n")
        .map((line) => ` * ${line}`.trimEnd())
        .join("\n")}\n */\n`
    : `/** ${text} */\n`;

/** @param {Resource} resource @returns {string} */
function classOf({ type, constant, inputs, state, base, id, readById, isInternal, needsNothing, displayName, secretOutputs, doc }) {
  const internal = "/** @internal */\n";
  const get = readById
    ? `  /** Reads what exists without managing it; the id is \`${id}\`. */\n  static readonly get: Getter<${type}> = getter(() => ${type});\n\n`
    : "";
  const secrets = secretOutputs.length > 0 ? `, ${secretOutputs.map((name) => `"${name}"`).join(" | ")}` : "";
  const shown = `SettingsResult<${state}${secrets}>`;
  const read =
    base === "settings"
      ? `\n/** Reads the current ${displayName}${secrets ? ", with secrets as secret outputs" : ""}: \`GET /api/v2/admin/${id}-settings\`. */
export function get${type}(options?: ConnectionArgs): Promise<${shown}> {
  return readSettings(${constant}, options);
}\n`
      : "";
  return `${isInternal ? internal : `/** Arguments of {@link ${type}}. */\n`}export interface ${type}Args extends Args<${inputs}> {}
${isInternal ? internal : ""}export interface ${type} extends Outputs<${state}> {}

${isInternal ? internal : asComment(doc)}export class ${type} extends CustomResource {
${get}  constructor(name: string, args: ${type}Args${needsNothing ? " = {}" : ""}, opts?: CustomResourceOptions) {
    super(...registration(${constant}, name, args, opts));
  }
}
${read}`;
}

/** @param {readonly Resource[]} resources @param {string} folder The folder of the classes, in the system's folder. */
function classesOf(resources, folder) {
  const to = (/** @type {string} */ place) => {
    const relative = path.posix.relative(folder, place);
    return relative.startsWith(".") ? relative : `./${relative}`;
  };
  const up = path.posix.relative(path.posix.join("system", folder), "") || "..";
  const all = resources.map(classOf).join("\n");
  const uses = (/** @type {readonly string[]} */ names) => names.filter((name) => new RegExp(`\\b${name}\\b`).test(all));
  /** @type {Map<string, Set<string>>} */
  const places = new Map();
  for (const { file, constant, places: own } of resources)
    for (const [name, place] of /** @type {[string, string][]} */ ([...own, [constant, file]]))
      places.set(place, (places.get(place) ?? new Set()).add(name));
  const imports = [...places].map(([place, names]) => `import { ${[...names].sort().join(", ")} } from "${to(place)}";\n`);
  const isRead = all.includes("readSettings(");
  const types = resources
    .filter(({ isInternal }) => !isInternal)
    .map(({ file, types }) => `export { ${types.join(", ")} } from "${to(file)}";\n`);
  return [
    notice,
    `import { CustomResource, CustomResourceOptions } from "@pulumi/pulumi/resource";\n`,
    isRead ? `import { ConnectionArgs } from "${up}/inputs";\n` : "",
    `import { ${uses(["Args", "Getter", "getter", "Outputs", "registration"]).join(", ")} } from "${up}/resource";\n`,
    ...imports,
    isRead ? `import { readSettings, SettingsResult } from "./settings/read";\n` : "",
    "\n",
    ...types.filter((line) => !line.startsWith("export {  }")),
    "\n",
    all,
  ].join("");
}

/** @param {Map<string, Resource[]>} bySystem */
function tableOf(bySystem) {
  const all = [...bySystem].flatMap(([system, resources]) => resources.map((resource) => ({ system, ...resource })));
  return `${notice}import { AnyDefinition } from "./definition";
${all.map(({ system, file, constant }) => `import { ${constant} } from "./${system}/${file}";\n`).join("")}
/** Every resource of the package. @internal */
export const definitions: readonly AnyDefinition[] = [
${all.map(({ constant }) => `  ${constant},\n`).join("")}];
`;
}

/** The constants of a file that define functions of the package. @param {string} system @param {string} file */
function readFunctions(system, file) {
  const text = fs.readFileSync(path.join(root, "provider", system, `${file}.ts`), "utf8");
  return [...text.matchAll(/^export const (\w+): \w*ReadFunction</gm)].map(([, constant]) => ({ system, file, constant }));
}

/** @param {Map<string, Resource[]>} bySystem */
function functionsOf(bySystem) {
  const functions = [...systems, "scheduler"].flatMap((system) =>
    sources(`provider/${system}`).flatMap((file) => readFunctions(system, file)),
  );
  const settings = [...bySystem].flatMap(([system, resources]) =>
    resources.filter(({ base }) => base === "settings").map((resource) => ({ system, ...resource })),
  );
  return `${notice}${[...functions, ...settings].map(({ system, file, constant }) => `import { ${constant} } from "./${system}/${file}";\n`).join("")}
import { settingsFunction } from "./platform/settings/read";
import { AnyReadFunction } from "./read-function";

/** Every function of the package that reads. @internal */
export const functions: readonly AnyReadFunction[] = [
${functions.map(({ constant }) => `  ${constant},\n`).join("")}${settings.map(({ constant }) => `  settingsFunction(${constant}),\n`).join("")}];
`;
}

/** The list of a system's route files in the sandbox. @param {string} folder */
function routesOf(folder) {
  const files = sources(folder).map((file) => ({ file, name: file.replace(/-(.)/g, (_, letter) => letter.toUpperCase()) }));
  return `// Written by \`npm run generate\`: a new file of this folder needs no other line.

import type { RouteFile } from "../route-file";
${files.map(({ file, name }) => `import * as ${name} from "./${file}";\n`).join("")}
export const routeFiles: readonly RouteFile[] = [
${files.map(({ name }) => `  ${name},\n`).join("")}];
`;
}

/** @param {Resource} resource */
const folderOf = ({ isInternal, file }) => (isInternal ? path.posix.dirname(file) : "");

/** The generated sources by their paths in the repository. @returns {Map<string, string>} */
function generated() {
  const bySystem = new Map(systems.map((system) => [system, sources(`provider/${system}`).flatMap((file) => read(system, file) ?? [])]));
  /** @type {Map<string, string>} */
  const files = new Map();
  // Classes of internal definitions are in the folder of their definitions.
  for (const [system, resources] of bySystem)
    for (const folder of new Set(resources.map(folderOf))) {
      const own = resources.filter((resource) => folderOf(resource) === folder);
      files.set(path.posix.join("provider", system, folder, "classes.ts"), classesOf(own, folder));
    }
  files.set("provider/definitions.ts", tableOf(bySystem));
  files.set("provider/functions.ts", functionsOf(bySystem));
  for (const system of [...systems, "scheduler"]) files.set(`sandbox/${system}/routes/index.ts`, routesOf(`sandbox/${system}/routes`));
  return files;
}

/** Formats a source with biome. @param {string} file @param {string} text */
async function formatted(file, text) {
  const biome = path.join(root, "node_modules/@biomejs/biome/bin/biome");
  const copy = path.join(path.dirname(path.join(root, file)), `.generated-${path.basename(file)}`);
  fs.writeFileSync(copy, text);
  try {
    const { code, output } = await capture(process.execPath, [biome, "check", "--write", "--vcs-enabled=false", copy]);
    if (code !== 0) throw new Error(output);
    return fs.readFileSync(copy, "utf8");
  } finally {
    fs.rmSync(copy, { force: true });
  }
}

async function generate() {
  // The schema depends on the generated sources.
  for (const files of [generated, schema])
    for (const [file, text] of await stale(files())) {
      fs.writeFileSync(path.join(root, file), text);
      process.stdout.write(`Generated ${file}.\n`);
    }
  return 0;
}

const schema = () => new Map([["bin/schema.json", JSON.stringify(packageSchema(), undefined, 2)]]);

/** The outdated files with their new content. @param {Map<string, string>} files */
async function stale(files) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [file, text] of files) {
    const wanted = await formatted(file, text);
    if (!fs.existsSync(path.join(root, file)) || fs.readFileSync(path.join(root, file), "utf8") !== wanted) found.set(file, wanted);
  }
  return found;
}

const outdated = async () => [...(await stale(generated())).keys(), ...(await stale(schema())).keys()];

module.exports = { generate, outdated };
