// @ts-check
// Renders a page of docs/api as Markdown: a resource, functions and types.
const path = require("node:path");
const ts = require("typescript");
const { fieldNames, resourceParts, table, traitsOf } = require("./docs-resource");

/**
 * @typedef {import("./model").PublicName} PublicName
 * @typedef {import("./docs").Page} Page
 */

/** A type as it is written, on one line. @param {ts.Node} node */
const textOf = (node) =>
  node
    .getText()
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .replace(/; }/g, " }")
    .replace(/< | (?=>)/g, (space) => space.trim());

/** The parameters of a function or a method. @param {ts.SignatureDeclarationBase} signature */
const parametersOf = ({ parameters }) =>
  parameters
    .map(({ name, type, dotDotDotToken, questionToken, initializer }) => {
      const called = ts.isIdentifier(name) ? name.text : "options";
      return `${dotDotDotToken ? "..." : ""}${called}${questionToken || initializer ? "?" : ""}: ${type ? textOf(type) : "unknown"}`;
    })
    .join(", ");

/** @param {readonly string[]} names */
const listed = (names) => names.map((name) => `\`${name}\``).join(", ");

/** A value as inline code, which may contain backticks. @param {string} value */
const inline = (value) => (value.includes("`") ? `\`\` ${value} \`\`` : `\`${value}\``);

/**
 * The content of a page.
 * @param {import("./model").Model} model
 * @param {Page} page
 * @param {import("./docs").Places} places
 */
function pageText(model, { file, title, names }, places) {
  /** The address of a public name. @param {string} name */
  const addressOf = (name) => {
    const place = places.get(name);
    if (!place) return undefined;
    return place.page === file ? place.anchor || "#" : path.posix.relative(path.posix.dirname(file), place.page) + place.anchor;
  };

  /** Prose and blocks of code. @param {string} text */
  const prose = (text) =>
    text
      .split(/(```[\s\S]*?```)/)
      .map((part, index) =>
        index % 2 === 1
          ? `\n\n${part}\n\n`
          : part
              .replace(/(?<!\n)\n(?!\n|- )/g, " ")
              .replace(
                /`(docs\/[^`]+\.md)`/g,
                (code, page) => `[${code}](${path.posix.relative(path.posix.dirname(`docs/api/${file}`), page)})`,
              )
              .replace(/\{@link (\w+)\}/g, (_, name) => (addressOf(name) ? `[\`${name}\`](${addressOf(name)})` : `\`${name}\``)),
      )
      .join("")
      .replace(/ *\n{2,} */g, "\n\n")
      .trim();

  /** A type with a link to the first public name in it. @param {string} text */
  const typed = (text) => {
    const address = text
      .match(/\b[A-Z]\w*/g)
      ?.map(addressOf)
      .find(Boolean);
    return address ? `[\`${text}\`](${address})` : `\`${text}\``;
  };

  /** @param {ts.Symbol} symbol */
  function fieldOf(symbol) {
    const comment = model.comment(symbol);
    const declaration = /** @type {ts.Declaration} */ (symbol.declarations?.[0]);
    const method = ts.isMethodSignature(declaration) || ts.isMethodDeclaration(declaration) ? declaration : undefined;
    const written = ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration) ? declaration.type : method?.type;
    // An output is described by its value.
    const [value] = written && ts.isTypeReferenceNode(written) && /^Output/.test(written.getText()) ? (written.typeArguments ?? []) : [];
    const node = value ?? written;
    const [preset = ""] = comment.tags("default");
    const [example] = comment.tags("example");
    return {
      name: symbol.name,
      isOptional: Boolean(symbol.flags & ts.SymbolFlags.Optional),
      method,
      node,
      type: node ? textOf(node) : model.checker.typeToString(model.checker.getTypeOfSymbol(symbol)),
      // A phrase is no code.
      preset: preset && (preset.includes("`") || /^[^"[{].* /.test(preset)) ? prose(preset) : preset && inline(preset),
      change: prose(comment.tag("change")),
      prose: prose(comment.text),
      described: [prose(comment.text), example && `Example: ${inline(example.replace(/\s*\n\s*/g, " "))}`].filter(Boolean).join("\n"),
    };
  }

  /** The fields in the order of the definition of a resource. @param {ts.Symbol[]} symbols @param {string} of The resource. */
  const fieldsOf = (symbols, of) => symbols.map(fieldOf).sort((a, b) => fieldNames(of).indexOf(a.name) - fieldNames(of).indexOf(b.name));

  /** The table of inputs, required ones first. @param {ts.Symbol[]} symbols @param {string} [of] The resource. */
  function inputs(symbols, of = "") {
    const rows = fieldsOf(symbols, of)
      .sort((a, b) => Number(a.isOptional) - Number(b.isOptional))
      .map((field) => {
        const { change, preset, secret, writeOnly } = traitsOf(of, field.name, field);
        const declared = field.type.replace(/ \| undefined$/, "");
        const type = secret && declared === "string" ? "string | SecretReference" : declared;
        return [`\`${field.name}\``, typed(type), preset, change, secret, writeOnly, field.described];
      });
    return table(["Name", "Type", "Default", "Changing it", "Secret", "Write-only", "Description"], rows);
  }

  /** The members of an inline object type, if any has a comment or parameters. @param {ts.Node | undefined} node @returns {ts.Symbol[]} */
  function inner(node) {
    const object = node && ts.isArrayTypeNode(node) ? node.elementType : node;
    if (!object || !ts.isTypeLiteralNode(object)) return [];
    const members = model.propertiesOf(model.checker.getTypeFromTypeNode(object));
    return members.some((each) => fieldOf(each).method || fieldOf(each).prose) ? members : [];
  }

  /** @param {ts.Symbol[]} symbols @param {string} of @param {string} [prefix] @returns {string[][]} */
  function rowsOf(symbols, of, prefix = "") {
    return fieldsOf(symbols, prefix ? "" : of).flatMap((field) => {
      // The example of an output is that of the input with the same comment.
      const description = of ? field.prose : field.described;
      const name = `${prefix}${field.name}`;
      if (field.method) return [[`\`${name}(${parametersOf(field.method)})\``, typed(field.type), "", description]];
      const parts = inner(field.node);
      const list = field.node && ts.isArrayTypeNode(field.node) ? "[]" : "";
      // A part of an output is as secret as the whole.
      const { secret } = traitsOf(prefix ? "" : of, field.name, { change: "", preset: "", isOptional: true });
      const type = parts.length > 0 ? `\`object${list}\`` : typed(field.type);
      return [[`\`${name}${field.isOptional ? "?" : ""}\``, type, secret, description], ...rowsOf(parts, of, `${name}${list}.`)];
    });
  }

  /** @param {ts.Symbol[]} symbols @param {string} [of] The resource. */
  const fields = (symbols, of = "") => table(["Name", "Type", "Secret", "Description"], rowsOf(symbols, of));

  /** The properties of a public interface or of a definition's. @param {ts.Symbol | undefined} symbol */
  const propertiesOf = (symbol) => (symbol ? model.propertiesOf(model.checker.getDeclaredTypeOfSymbol(symbol)) : []);

  /** True if the comment of an input says all that the comment of the output says. @param {ts.Symbol} input @param {ts.Symbol} output */
  const isSame = (input, output) => fieldOf(input).prose.startsWith(fieldOf(output).prose.replace(/\.$/, ""));

  /** @param {PublicName} resource */
  function resourcePage({ name, symbol }) {
    const { text, tag, tags } = model.comment(symbol);
    const definition = model.definitions.find(({ value }) => value.token.replace(":", ".") === title);
    // The component of a rekey has its outputs as members, and an explicit provider has none.
    const [taken, state] = definition?.interfaces ?? [model.publicName(name === "Rekey" ? "RekeyInputs" : `${name}Args`).symbol];
    const members = [...model.membersOf(name).values()].flatMap((member) => model.checker.getSymbolAtLocation(member.name) ?? []);
    const all = propertiesOf(taken);
    const inEach = (/** @type {string} */ name) =>
      definition?.isSettings ? propertiesOf(model.publicName(name).symbol).map((each) => each.name) : [];
    const [sharedInputs, sharedOutputs] = [inEach("SettingsInputs"), inEach("SettingsState")];
    const outputs = definition ? propertiesOf(state) : members;
    const equal = outputs.filter((output) => all.some((input) => input.name === output.name && isSame(input, output)));
    const others = outputs.filter((output) => !equal.includes(output) && !sharedOutputs.includes(output.name));
    const details = [
      ["API", prose(tag("see"))],
      ["Cannot be read back", prose(tag("unreadable"))],
    ].filter(([, said]) => said);
    const examples = tags("example").map((example) => `### ${prose(example.replace("\n", "\n\n"))}`);
    return [
      prose(text),
      ...(details.length > 0 ? [table(["", ""], details)] : []),
      ...(examples.length > 0 ? ["## Examples", ...examples] : []),
      "## Inputs",
      inputs(
        all.filter((each) => !sharedInputs.includes(each.name)),
        title,
      ),
      ...(sharedInputs.length > 0 ? [`Also the [inputs of all settings](settings.md#settingsinputs): ${listed(sharedInputs)}.`] : []),
      ...(outputs.length > 0 ? ["## Outputs"] : []),
      ...(equal.length > 0 ? [`These inputs are also outputs: ${listed(equal.map((each) => each.name))}.`] : []),
      ...(others.length > 0 ? [fields(others, title)] : []),
      ...(sharedOutputs.length > 0 ? [`Also the [outputs of all settings](settings.md#settingsstate): ${listed(sharedOutputs)}.`] : []),
      ...(outputs.length > 0 ? resourceParts(title, prose(tag("requests")), prose(tag("permissions"))) : []),
    ].join("\n\n");
  }

  /** @param {PublicName} declared */
  function part({ name, symbol, declaration }) {
    const { text, tag } = model.comment(symbol);
    if (ts.isFunctionDeclaration(declaration)) {
      const options = declaration.parameters[0]?.type?.getText() ?? "";
      const permissions = prose(tag("permissions"));
      return [
        `## ${name}()`,
        `\`\`\`text\n${name}(${parametersOf(declaration)}): ${declaration.type ? textOf(declaration.type) : "void"}\n\`\`\``,
        prose(text),
        ...(addressOf(options) ? [`See [\`${options}\`](${addressOf(options)}) for the options.`] : []),
        ...(permissions ? ["### Permissions", permissions] : []),
      ];
    }
    if (ts.isTypeAliasDeclaration(declaration)) {
      const type = textOf(declaration.type);
      return [`## ${name}`, prose(text), ...(type.length < 200 ? [`\`\`\`text\n${type}\n\`\`\``] : [])];
    }
    const properties = propertiesOf(symbol);
    const render = properties.some((each) => fieldOf(each).preset) ? inputs : fields;
    // All settings have the same effects of a change.
    const of = name === "SettingsInputs" ? "platform.GeneralSettings" : "";
    return [`## ${name}`, prose(text), ...(properties.length > 0 ? [render(properties, of)] : [])];
  }

  const resource = names.find(({ name }) => places.get(name)?.anchor === "");
  const onPage = resource ? ["", "Args", "Inputs", "State", "Attributes"].map((end) => resource.name + end) : [];
  const functions = names.filter(({ declaration }) => ts.isFunctionDeclaration(declaration));
  const others = names.filter(
    (each) =>
      !functions.includes(each) &&
      !onPage.includes(each.name) &&
      !(/Args$/.test(each.name) && ts.isInterfaceDeclaration(each.declaration) && each.declaration.heritageClauses),
  );
  return [`# ${title}`, ...(resource ? [resourcePage(resource)] : []), ...[...functions, ...others].flatMap(part)]
    .filter(Boolean)
    .join("\n\n");
}

module.exports = { pageText };
