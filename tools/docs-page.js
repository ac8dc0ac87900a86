// @ts-check
// Renders a page of docs/api as Markdown: a resource, functions and types.
const { fieldNames, traitsOf } = require("./docs-fields");
const { partsOf } = require("./docs-resource");
const { table, renderers } = require("./docs-text");

/**
 * @typedef {import("./docs-text").Comment} Comment
 * @typedef {import("./docs-text").Declared} Declared
 * @typedef {import("./docs-text").Type} Type
 * @typedef {import("./docs-declarations").Page} Page
 */

/**
 * The content of a page.
 * @param {Page} page
 * @param {import("./docs-text").Places} places
 */
async function writePage({ file, title, members }, places) {
  const { ReflectionKind, ReferenceType, ReflectionType, ArrayType } = await import("typedoc");

  const shared = await renderers(file, places);
  const { linkTo, listed, prose, tag, tags, typed, value } = shared;

  /** The description of a field, with its example. @param {Comment | undefined} comment */
  function described(comment) {
    const example = value(comment, "@example");
    return [prose(comment?.summary), ...(example ? [`Example: ${example}`] : [])].join("\n");
  }

  /** The fields in the order of their definition. Without one, inherited ones are last. @param {Declared[]} members @param {string} of The resource. */
  function ordered(members, of) {
    const names = fieldNames(of);
    const rank = (/** @type {Declared} */ { name, flags }) => (names.length > 0 ? names.indexOf(name) : flags.isInherited ? 1 : 0);
    return [...members].sort((a, b) => rank(a) - rank(b));
  }

  /** The table of inputs, required ones first. @param {Declared[]} members @param {string} [of] The resource. */
  function inputs(members, of = "") {
    const rows = ordered(members, of)
      .sort((a, b) => Number(a.flags.isOptional) - Number(b.flags.isOptional))
      .map(({ name, comment, flags, type }) => {
        const said = { change: tag(comment, "@change"), preset: value(comment, "@default"), isOptional: flags.isOptional };
        const { preset, change, secret, writeOnly } = traitsOf(of, name, said);
        return [`\`${name}\``, typed(type), preset, change, secret, writeOnly, described(comment)];
      });
    return table(["Name", "Type", "Default", "Changing it", "Secret", "Write-only", "Description"], rows);
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
      const comment = member.comment ?? signature?.comment;
      // The example of an output is that of the input with the same comment.
      const description = of ? prose(comment?.summary) : described(comment);
      const name = `${prefix}${member.name}`;
      if (signature) return [[`\`${name}(${listed(signature.parameters)})\``, typed(signature.type), "", description]];
      const type = member.type instanceof ReferenceType && /^Output/.test(member.type.name) ? member.type.typeArguments?.[0] : member.type;
      const parts = inner(type);
      const list = type instanceof ArrayType ? "[]" : "";
      // A part of an output is as secret as the whole.
      const { secret } = traitsOf(prefix ? "" : of, name, { change: "", preset: "", isOptional: true });
      const row = [
        `\`${name}${member.flags.isOptional ? "?" : ""}\``,
        parts.length > 0 ? `\`object${list}\`` : typed(type),
        secret,
        description,
      ];
      return [row, ...rowsOf(parts, of, `${name}${list}.`)];
    });
  }

  /** @param {Declared[]} members @param {string} [of] The resource. */
  const fields = (members, of = "") => table(["Name", "Type", "Secret", "Description"], rowsOf(ordered(members, of), of));

  /** The inputs inside `Args<…>`. @param {Declared | undefined} args @returns {Declared | undefined} */
  function inputsOf(args) {
    const [base] = args?.extendedTypes ?? [];
    if (!(base instanceof ReferenceType)) return undefined;
    const [inner] = base.typeArguments ?? [];
    const target = base.name === "Args" ? inner : base;
    const declared = target instanceof ReferenceType ? /** @type {Declared} */ (target.reflection) : undefined;
    return base.name === "Args" ? declared : inputsOf(declared);
  }

  /** The examples of a resource, each with its title. @param {Comment | undefined} comment */
  const examples = (comment) =>
    tags(comment, "@example").flatMap(({ name = "", content }) => [...(name ? [`### ${name}`] : []), prose(content)]);

  /** @param {Declared} resource */
  function resourcePage(resource) {
    const { comment } = resource;
    const properties = (resource.children ?? []).filter(({ flags, kind }) => !flags.isExternal && kind === ReflectionKind.Property);
    const get = properties.find(({ name, flags }) => name === "get" && flags.isStatic);
    const made = resource.children?.find(({ kind }) => kind === ReflectionKind.Constructor)?.signatures?.[0];
    const args = made?.parameters?.find(({ name }) => name === "args")?.type;
    const taken = args instanceof ReferenceType ? /** @type {Declared} */ (args.reflection) : undefined;
    // An explicit provider takes its arguments as they are written, and has no outputs.
    const declared = inputsOf(taken) ?? taken;
    const [base] = resource.extendedTypes ?? [];
    const [state] = (base instanceof ReferenceType && base.name === "Outputs" && base.typeArguments) || [];
    const members = state instanceof ReferenceType ? /** @type {Declared} */ (state.reflection).children : undefined;
    const outputs = members ?? properties.filter((each) => each !== get);
    const details = [
      ["API", tag(comment, "@see")],
      ["Cannot be read back", tag(comment, "@unreadable")],
    ].filter(([, said]) => said);
    const shownExamples = examples(comment);
    return [
      prose(comment?.summary),
      ...(details.length > 0 ? [table(["", ""], details)] : []),
      ...(shownExamples.length > 0 ? ["## Examples", ...shownExamples] : []),
      "## Inputs",
      inputs(declared?.children ?? [], title),
      ...(outputs.length > 0 ? ["## Outputs", fields(outputs, title)] : []),
      ...(outputs.length > 0 ? partsOf(title, resource, shared) : []),
    ].join("\n\n");
  }

  /** @param {Declared} member */
  function functionPart(member) {
    return (member.signatures ?? []).flatMap(({ comment, parameters = [], type, name }) => {
      const permissions = tag(comment, "@permissions");
      const [options] = parameters;
      const target = options?.type instanceof ReferenceType ? /** @type {Declared} */ (options.type.reflection) : undefined;
      const address = target && linkTo(target);
      return [
        `## ${name}()`,
        `\`\`\`text\n${name}(${listed(parameters)}): ${type}\n\`\`\``,
        prose(comment?.summary),
        ...(address ? [`Takes [\`${target.name}\`](${address}).`] : []),
        ...(permissions ? ["### Permissions", permissions] : []),
      ];
    });
  }

  /** @param {Declared} member */
  function typePart(member) {
    const properties = (member.children ?? []).filter(({ flags, kind }) => !flags.isExternal && kind !== ReflectionKind.Constructor);
    const isTaken = properties.some(({ comment }) => tag(comment, "@default"));
    const alias = String(member.type ?? "");
    const body =
      properties.length > 0
        ? [isTaken ? inputs(properties) : fields(properties)]
        : alias && alias.length < 200
          ? [`\`\`\`text\n${alias}\n\`\`\``]
          : [];
    return [`## ${member.name}`, prose(member.comment?.summary), ...body];
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
