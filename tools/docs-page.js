// @ts-check
// Renders a page of docs/api as Markdown: a resource, functions and types.
const path = require("node:path");
const { traitsOf } = require("./docs-fields");

/**
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).DeclarationReflection} Declared
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).Comment} Comment
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).CommentDisplayPart} Part
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).SomeType} Type
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).Reflection} Reflection
 * @typedef {import("typedoc", { with: { "resolution-mode": "import" } }).ParameterReflection} Parameter
 * @typedef {import("./docs-declarations").Page} Page
 */

/**
 * The content of a page.
 * @param {Page} page
 * @param {Map<Reflection, { page: string, anchor: string }>} places The place of each public name.
 */
async function writePage({ file, title, members }, places) {
  const { ReflectionKind, ReferenceType, ReflectionType, ArrayType, IntersectionType, UnionType } = await import("typedoc");

  /** @param {Reflection | undefined} target */
  const linkTo = (target) => {
    const found = target && places.get(target);
    if (!found) return undefined;
    return found.page === file ? found.anchor || "#" : path.posix.relative(path.posix.dirname(file), found.page) + found.anchor;
  };

  /** @param {readonly Part[]} [parts] */
  function prose(parts = []) {
    const text = parts.map((part) => {
      if (part.kind !== "inline-tag") return part.text;
      const address = linkTo(/** @type {Declared} */ (part.target));
      return address ? `[\`${part.text}\`](${address})` : `\`${part.text}\``;
    });
    return text
      .join("")
      .replace(/(?<!\n)\n(?!\n|- )/g, " ")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  /** @param {Comment} [comment] */
  function split(comment) {
    const parts = comment?.summary ?? [];
    const isExample = (/** @type {Part} */ { kind, text }) => kind === "code" && text.startsWith("```");
    return { text: prose(parts.filter((part) => !isExample(part))), examples: parts.filter(isExample).map(({ text }) => text) };
  }

  /** Separates the sentence for its own column from the rest. @param {Comment} [comment] */
  function sentences(comment) {
    const all = split(comment).text.split(/(?<=\.) +/);
    const isChange = (/** @type {string} */ sentence) => sentence.startsWith("Changing this");
    return {
      meaning: all.filter((sentence) => !isChange(sentence)).join(" "),
      change: all
        .filter(isChange)
        .map((sentence) => sentence.replace(/^Changing this /, "").replace(/\.$/, ""))
        .join("; "),
    };
  }

  /** @param {Comment | undefined} comment @param {`@${string}`} name */
  const tag = (comment, name) => {
    const found = comment?.blockTags.filter((each) => each.tag === name).map(({ content }) => prose(content)) ?? [];
    // TypeDoc treats a sentence as code, too.
    return found.join("; ").replace(/^```ts\s([\s\S]*?)\s```$/, (_, value) => (/^[^"[{].* /.test(value) ? value : `\`${value}\``));
  };

  /** The link to the first public name in a type. @param {Type | undefined} type @returns {string | undefined} */
  function explained(type) {
    if (type instanceof ReferenceType) return linkTo(type.reflection) ?? type.typeArguments?.map(explained).find(Boolean);
    if (type instanceof ArrayType) return explained(type.elementType);
    if (type instanceof UnionType || type instanceof IntersectionType) return type.types.map(explained).find(Boolean);
    return undefined;
  }

  /** @param {Type | undefined} type */
  function typed(type) {
    const text = `\`${String(type ?? "").replace(/\s+/g, " ")}\``;
    const address = explained(type);
    return address ? `[${text}](${address})` : text;
  }

  /** @param {readonly string[]} header @param {readonly (readonly string[])[]} rows */
  function table(header, rows) {
    const used = header.map((_, column) => rows.some((row) => row[column]));
    const line = (/** @type {readonly string[]} */ cells) =>
      `| ${cells
        .filter((_, column) => used[column])
        .map((cell) => cell.replaceAll("|", "\\|").replace(/\n+/g, "<br>"))
        .join(" | ")} |`;
    return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
  }

  /** @param {readonly Parameter[]} [parameters] */
  const listed = (parameters = []) =>
    parameters
      .map(({ name, flags, type, defaultValue }) => {
        const called = name.startsWith("__") ? "options" : `${flags.isRest ? "..." : ""}${name}`;
        return `${called}${flags.isOptional || defaultValue ? "?" : ""}: ${type}`;
      })
      .join(", ");

  /** The table of inputs: required ones first, those of all resources last. @param {Declared[]} members @param {string} [of] The resource. */
  function inputs(members, of = "") {
    const rank = (/** @type {Declared} */ { flags }) => (flags.isOptional ? 1 : 0) + (flags.isInherited ? 2 : 0);
    const rows = [...members]
      .sort((a, b) => rank(a) - rank(b))
      .map((member) => {
        const { meaning, change } = sentences(member.comment);
        const preset = tag(member.comment, "@default");
        const traits = traitsOf(of, member.name, { change, preset, isOptional: member.flags.isOptional });
        return [`\`${member.name}\``, typed(member.type), traits.preset, traits.change, traits.secret, traits.writeOnly, meaning];
      });
    return table(["Name", "Type", "Default", "Changing it", "Secret", "Write-only", "Meaning"], rows);
  }

  /** The members of an inline object type, if any has a comment or a signature. @param {Type | undefined} type */
  function inner(type) {
    const object = type instanceof ArrayType ? type.elementType : type;
    const members = object instanceof ReflectionType ? (object.declaration.children ?? []) : [];
    return members.some(({ comment, signatures }) => comment || signatures) ? members : [];
  }

  /** @param {Declared[]} members @param {string} of @param {string} [prefix] @returns {string[][]} */
  function rowsOf(members, of, prefix = "") {
    return members.flatMap((member) => {
      const [signature] = member.signatures ?? [];
      const { meaning } = sentences(member.comment ?? signature?.comment);
      const name = `${prefix}${member.name}`;
      if (signature) return [[`\`${name}(${listed(signature.parameters)})\``, typed(signature.type), "", meaning]];
      const type = member.type instanceof ReferenceType && /^Output/.test(member.type.name) ? member.type.typeArguments?.[0] : member.type;
      const parts = inner(type);
      const list = type instanceof ArrayType ? "[]" : "";
      const traits = traitsOf(of, name, { change: "", preset: "", isOptional: true });
      const own = [
        `\`${name}${member.flags.isOptional ? "?" : ""}\``,
        parts.length > 0 ? `\`object${list}\`` : typed(type),
        traits.secret,
        meaning,
      ];
      return [own, ...rowsOf(parts, of, `${name}${list}.`)];
    });
  }

  /** @param {Declared[]} members @param {string} [of] The resource. */
  const fields = (members, of = "") => table(["Name", "Type", "Secret", "Meaning"], rowsOf(members, of));

  /** The inputs inside `Args<…>`. @param {Declared | undefined} args @returns {Declared | undefined} */
  function inputsOf(args) {
    const [base] = args?.extendedTypes ?? [];
    if (!(base instanceof ReferenceType)) return undefined;
    const [inner] = base.typeArguments ?? [];
    const target = base.name === "Args" ? inner : base;
    const found = target instanceof ReferenceType ? /** @type {Declared} */ (target.reflection) : undefined;
    return base.name === "Args" ? found : inputsOf(found);
  }

  /** @param {Declared} resource */
  function resourcePage(resource) {
    const { comment } = resource;
    const { text, examples } = split(comment);
    const own = (resource.children ?? []).filter(({ flags, kind }) => !flags.isExternal && kind === ReflectionKind.Property);
    const get = own.find(({ name, flags }) => name === "get" && flags.isStatic);
    const made = resource.children?.find(({ kind }) => kind === ReflectionKind.Constructor)?.signatures?.[0];
    const args = made?.parameters?.find(({ name }) => name === "args")?.type;
    const taken = args instanceof ReferenceType ? /** @type {Declared} */ (args.reflection) : undefined;
    // An explicit provider takes its arguments as they are written, and has no outputs.
    const declared = inputsOf(taken) ?? taken;
    const [base] = resource.extendedTypes ?? [];
    const [state] = (base instanceof ReferenceType && base.name === "Outputs" && base.typeArguments) || [];
    const shown = state instanceof ReferenceType ? /** @type {Declared} */ (state.reflection).children : undefined;
    const outputs = shown ?? own.filter((each) => each !== get);
    const facts = [
      ["API", tag(comment, "@see")],
      ["Requests", tag(comment, "@requests")],
      ["Cannot be read back", tag(comment, "@unreadable")],
      ...(get ? [[`\`${resource.name}.get(name, id)\``, prose(get.comment?.summary)]] : []),
    ].filter(([, said]) => said);
    return [
      text,
      ...examples,
      ...(facts.length > 0 ? [table(["", ""], facts)] : []),
      "## Inputs",
      inputs(declared?.children ?? [], title),
      ...(outputs.length > 0 ? ["## Outputs", fields(outputs, title)] : []),
    ].join("\n\n");
  }

  /** @param {Declared} member */
  function functionPart(member) {
    return (member.signatures ?? []).flatMap(({ comment, parameters = [], type, name }) => {
      const { text, examples } = split(comment);
      const [options] = parameters;
      const target = options?.type instanceof ReferenceType ? /** @type {Declared} */ (options.type.reflection) : undefined;
      const address = target && linkTo(target);
      return [
        `## ${name}()`,
        `\`\`\`text\n${name}(${listed(parameters)}): ${type}\n\`\`\``,
        text,
        ...examples,
        ...(address ? [`Takes [\`${target.name}\`](${address}).`] : []),
      ];
    });
  }

  /** @param {Declared} member */
  function typePart(member) {
    const { text, examples } = split(member.comment);
    const own = (member.children ?? []).filter(({ flags, kind }) => !flags.isExternal && kind !== ReflectionKind.Constructor);
    const isTaken = own.some(({ comment }) => tag(comment, "@default") || sentences(comment).change);
    const alias = String(member.type ?? "");
    const body =
      own.length > 0 ? [isTaken ? inputs(own) : fields(own)] : alias && alias.length < 200 ? [`\`\`\`text\n${alias}\n\`\`\``] : [];
    return [`## ${member.name}`, text, ...examples, ...body];
  }

  const resource = members.find((member) => member.kindOf(ReflectionKind.Class) && places.get(member)?.anchor === "");
  const hidden = resource ? ["Args", "Inputs", "State", "Attributes"].map((end) => resource.name + end) : [];
  const functions = members.filter(({ signatures }) => signatures);
  const others = members.filter(
    (member) =>
      member !== resource &&
      !functions.includes(member) &&
      !hidden.includes(member.name) &&
      !(/Args$/.test(member.name) && member.extendedTypes),
  );
  return [`# ${title}`, ...(resource ? [resourcePage(resource)] : []), ...functions.flatMap(functionPart), ...others.flatMap(typePart)]
    .filter(Boolean)
    .join("\n\n");
}

module.exports = { writePage };
